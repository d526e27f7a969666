import { describe, type Entity } from '../../../model/entity.ts';
import { type JsonObject, jsonEqual } from '../../../model/json.ts';
import { fillEntity } from '../../../schema/entity.ts';
import { type Compared, noteInHead, pairsOf, placeOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { listOf, shownField } from '../wording.ts';

const fields = ['protocol', 'host', 'port', 'path'] as const;
const withTls: readonly unknown[] = ['https', 'grpcs', 'tls', 'wss', 'tls_passthrough'];

/** Notes about services whose requests are sent somewhere else. One that gives up TLS is dangerous. */
export function serviceNotes(states: Compared): readonly RiskNote[] {
  return pairsOf('services', states).flatMap(([then, now]) => {
    const before = filled(then, states);
    const after = filled(now, states);
    const changed = fields.filter((field) => !isKept(field, [then, before], [now, after]));
    if (changed.length === 0) return [];
    const parts = changed.map(
      (field) => `${field} ${shownField(then, field, before[field])} → ${shownField(now, field, after[field])}`,
    );
    const isBare = withTls.includes(before['protocol']) && !withTls.includes(after['protocol']);
    const message = `Requests of the ${describe(now)} are sent elsewhere: ${listOf(parts, 4)}.${isBare ? ' They are no longer encrypted on their way.' : ''}`;
    return [
      noteInHead(
        'service-destination-changed',
        isBare ? 'danger' : 'warning',
        message,
        changed.map((field) => placeOf(now, field)),
      ),
    ];
  });
}

function filled(service: Entity, { schemas }: Compared): JsonObject {
  return fillEntity(schemas, 'services', service.fields);
}

type Side = readonly [entity: Entity, fields: JsonObject];

function isKept(field: string, [then, before]: Side, [now, after]: Side): boolean {
  const pointer = `/${field}`;
  // Two variables of which one stands for a number may have the same stand-in.
  if (then.fromEnvironment.get(pointer) !== now.fromEnvironment.get(pointer)) return false;
  return jsonEqual(before[field] ?? null, after[field] ?? null);
}
