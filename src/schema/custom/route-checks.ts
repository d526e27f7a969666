import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { EntityCheck } from '../check.ts';
import type { Fault } from '../fault.ts';

interface ProtocolRule {
  readonly protocols: readonly string[];
  /** At least one of these must be set. */
  readonly needs: readonly string[];
  /** None of these may be set. */
  readonly forbids: readonly string[];
}

const http = ['methods', 'hosts', 'headers', 'paths'];
const stream = ['sources', 'destinations', 'snis'];

/** What a route may and must match by, for each group of protocols (kong.md; what a real Kong refused). */
const rules: readonly ProtocolRule[] = [
  { protocols: ['http'], needs: http, forbids: ['sources', 'destinations'] },
  { protocols: ['https'], needs: [...http, 'snis'], forbids: ['sources', 'destinations'] },
  { protocols: ['tcp', 'tls', 'udp'], needs: stream, forbids: http },
  { protocols: ['tls_passthrough'], needs: ['snis'], forbids: http },
  { protocols: ['grpc'], needs: ['hosts', 'headers', 'paths'], forbids: ['methods', 'sources', 'destinations'] },
  {
    protocols: ['grpcs'],
    needs: ['hosts', 'headers', 'paths', 'snis'],
    forbids: ['methods', 'sources', 'destinations'],
  },
  { protocols: ['ws'], needs: http, forbids: ['sources', 'destinations'] },
  { protocols: ['wss'], needs: [...http, 'snis'], forbids: ['sources', 'destinations'] },
];

const matchFields = ['methods', 'hosts', 'headers', 'paths', 'snis', 'sources', 'destinations'];

/**
 * A route matches by something, and only by what its protocols know. `expressions` says whether the router takes
 * expressions.
 */
export const routeMatches =
  (expressions: boolean): EntityCheck =>
  (route, isFaulty, asServer) => {
    const protocols = route['protocols'];
    if (isFaulty('protocols') || !isJsonArray(protocols)) return [];
    const faults: Fault[] = [];
    if (protocols.some((protocol) => protocol === 'grpc' || protocol === 'grpcs') && route['strip_path'] === true) {
      faults.push(ofField('strip_path', 'must not be true when "protocols" is grpc or grpcs'));
    }
    if (expressions && typeof route['expression'] === 'string') return [...faults, ...withExpression(route)];
    // The rule of the most permissive protocol counts: https beside http may match by SNI.
    const rule = rules.findLast(({ protocols: of }) => protocols.some((protocol) => of.includes(String(protocol))));
    if (rule === undefined) return faults;
    const named = rule.protocols.join(', ');
    for (const field of rule.forbids) {
      if (isSet(route[field])) faults.push(ofField(field, `must not be set when "protocols" is ${named}`));
    }
    // Of an expression that this router does not know, people are told that, and no more.
    const meantOtherwise = isSet(route['expression']) && !asServer;
    if (!meantOtherwise && !rule.needs.some((field) => isSet(route[field]))) {
      const message = `must match by one of ${rule.needs.join(', ')} when "protocols" is ${named}`;
      const hint = 'A route without a match is refused: give it paths or hosts, for example.';
      faults.push({ path: [], code: 'conditional-at-least-one-of', message, hint, ofEntity: true });
    }
    return faults;
  };

function withExpression(route: JsonObject): readonly Fault[] {
  return [...matchFields.filter((field) => isSet(route[field])), ...(priorityOf(route) ? ['regex_priority'] : [])].map(
    (field) => ofField(field, 'must not be set beside "expression"'),
  );
}

function priorityOf(route: JsonObject): boolean {
  return isSet(route['regex_priority']) && route['regex_priority'] !== 0;
}

function ofField(field: string, message: string): Fault {
  return { path: [field], code: 'conditional', message, hint: '', ofEntity: false };
}

function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (isJsonArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : true;
}
