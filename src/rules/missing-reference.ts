import { isUuid } from '../model/derived-id.ts';
import { describe, type Entity, entityName } from '../model/entity.ts';
import { isJsonArray, isJsonObject, type JsonPath } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { foreignKey, kinds } from '../model/kinds.ts';
import type { State } from '../model/state.ts';
import { page } from './page.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';
import { isSecret } from './secret.ts';
import { type TypoIndex, typoIndex } from './typo-index.ts';

/** What an entity names has to be there. */
export const missingReference: Rule = {
  name: 'missing-reference',
  severity: 'error',
  summary: 'Whatever an entity names (its service, route, consumer, certificate, …) is declared.',
  kinds: 'all',
  check,
  documentation: page({
    title: 'missing-reference',
    what: `Looks at every foreign key: a route's service, a plugin's service, route, consumer and consumer group, a target's
upstream, an SNI's certificate, a service's client certificate, and so on. What it names, by name or by id, has to be declared
in the same revision. It is a warning where it may be right: an id, when tags bound what Konverge owns; a name of a kind with
\`default_lookup_tags\` or that the destination excludes; and the CA certificates
of a service, which Kong does not look up when it stores them. With \`kong.version: any\` and no destination, files may be a part of
a whole, as decK's \`apply\` takes them: there it is a warning also for an id, and for a name of a kind of which they declare nothing.`,
    why: `Kong refuses an entity that names nothing, and everything that depends on it with it. Left out silently, the
same mistake is worse: a plugin that is to protect a route would protect nothing.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
plugins:
  - name: key-auth
    service: oders`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
plugins:
  - name: key-auth
    service: orders`,
    fix: 'Correct the name, declare what is missing, or delete what names it. After a rename, look for the old name in all files.',
  }),
};

/** A name or an id that nothing in the state has, and where it stands. */
interface Dangling {
  readonly kind: KindName;
  readonly text: string;
  /** The id that was written beside a name; null where there is none, or it is the text. */
  readonly id: string | null;
  readonly path: JsonPath;
  /** Whether Kong takes an id that names nothing. */
  readonly soft: boolean;
}

function check(entity: Entity, context: RuleContext): readonly Finding[] {
  const dangling = entity.references
    .filter((reference) => !reference.resolved)
    .map(
      ({ field, index, kind, identity }): Dangling => ({
        kind,
        text: identity,
        id: null,
        path: index === null ? [field] : [field, index],
        // Kong keeps a bare id as it is, and looks for what it names only when it needs it.
        soft: foreignKey(entity.kind, field)?.wire === 'id' && isUuid(identity),
      }),
    );
  return [...dangling, ...danglingPartials(entity, context.state)].map((one) => finding(entity, one, context));
}

/** The links of a plugin to partials, which stand in a field of their own kind rather than in a foreign key. */
function danglingPartials(entity: Entity, state: State): readonly Dangling[] {
  const links = entity.kind === 'plugins' ? entity.fields['partials'] : undefined;
  if (!isJsonArray(links)) return [];
  return links.flatMap((link, index): readonly Dangling[] => {
    if (!isJsonObject(link)) return [];
    const { id, name } = link;
    if (typeof id === 'string' && state.byId('partials', id) !== undefined) return [];
    if (typeof name === 'string' && state.byIdentity('partials', name) !== undefined) return [];
    if (typeof name === 'string') {
      const path = ['partials', index, 'name'];
      return [{ kind: 'partials', text: name, id: typeof id === 'string' ? id : null, path, soft: false }];
    }
    if (typeof id !== 'string') return [];
    return [{ kind: 'partials', text: id, id: null, path: ['partials', index, 'id'], soft: false }];
  });
}

function finding(entity: Entity, dangling: Dangling, context: RuleContext): Finding {
  const { kind, text, path, soft } = dangling;
  const label = kinds[kind].label;
  const byId = isUuid(text);
  const written = isSecret(entity, path) ? '' : ` ${byId ? text : JSON.stringify(text)}`;
  const nearest = byId || written === '' ? undefined : namesOf(kind, context).nearest(text);
  const excuse = mayBeElsewhere(entity, dangling, context)
    ? 'it has to exist already'
    : soft
      ? 'Kong takes the id, and then does without'
      : null;
  return {
    ...(excuse === null ? {} : { severity: 'warning' as const }),
    message: `The ${describe(entity)} names ${label}${written}, which is not declared${excuse === null ? '' : ` here; ${excuse}`}.`,
    hint:
      nearest === undefined
        ? `Declare the ${label}, or name one that is declared.`
        : `Did you mean ${JSON.stringify(nearest)}?`,
    locations: entity.source === null ? [] : [entity.source.at(path)],
    entities: [entityName(entity)],
  };
}

/** Whether what is named may well be there although these files do not declare it. */
function mayBeElsewhere(entity: Entity, { kind, text, id }: Dangling, context: RuleContext): boolean {
  const byId = isUuid(text);
  if (context.external.has(kind) || (!context.ownsAll && (byId || (id !== null && isUuid(id))))) return true;
  // decK's apply looks at what is there already, but not for partials; and who is in a group is never left open.
  if (!context.standsAlone || kind === 'partials' || entity.kind === 'consumer_group_consumers') return false;
  return byId || context.state.entities.get(kind) === undefined;
}

/** The names by which entities of a kind can be named. */
function namesOf(kind: KindName, context: RuleContext): TypoIndex {
  return context.memo(`names of ${kind}`, () =>
    typoIndex(
      (context.state.entities.get(kind) ?? [])
        .filter((entity) => !/^(#|sha256:)/.test(entity.identity) && !isSecret(entity, ['name']))
        .map((entity) => entity.identity),
    ),
  );
}
