import { isUuid } from '../model/derived-id.ts';
import { describe, type Entity, entityName, type Reference } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import { foreignKey, kinds } from '../model/kinds.ts';
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
of a service, which Kong does not look up when it stores them.`,
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

function check(entity: Entity, context: RuleContext): readonly Finding[] {
  return entity.references
    .filter((reference) => !reference.resolved)
    .map((reference) => finding(entity, reference, context));
}

function finding(entity: Entity, reference: Reference, context: RuleContext): Finding {
  const path = reference.index === null ? [reference.field] : [reference.field, reference.index];
  const label = kinds[reference.kind].label;
  const byId = isUuid(reference.identity);
  const written = isSecret(entity, path) ? '' : ` ${byId ? reference.identity : JSON.stringify(reference.identity)}`;
  const nearest = byId || written === '' ? undefined : namesOf(reference.kind, context).nearest(reference.identity);
  const excuse = excuseOf(entity, reference, byId, context);
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

/** Why what is missing may be right, or null where it cannot be. */
function excuseOf(entity: Entity, reference: Reference, byId: boolean, context: RuleContext): string | null {
  if ((byId && !context.ownsAll) || context.external.has(reference.kind)) return 'it has to exist already';
  // Kong keeps these ids as they are, and looks for what they name only when it needs it.
  const soft = foreignKey(entity.kind, reference.field)?.wire === 'id';
  return soft ? 'Kong takes the id, and then does without' : null;
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
