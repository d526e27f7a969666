import type { Entity } from '../model/entity.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import type { KindName, UniqueConstraint } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import { compareLocations } from '../model/location.ts';
import type { State } from '../model/state.ts';
import { normalTarget } from '../model/target-address.ts';
import type { RuleContext } from './rule.ts';

/** The rules that report clashes; each clash belongs to exactly one. */
export type ClashRule =
  | 'unique-id'
  | 'unique-name'
  | 'unique-credential'
  | 'unique-sni'
  | 'unique-value'
  | 'duplicate-plugin'
  | 'duplicate-identity';

/** Entities of one kind that may not be together. */
export interface Clash {
  readonly rule: ClashRule;
  /** What is the same: fields and foreign keys, or `id`; empty where it is all that tells entities of the kind apart. */
  readonly fields: readonly string[];
  /** All of them, the one written last first. */
  readonly entities: readonly Entity[];
}

/** The clashes of a rule that are to be reported on an entity, because it was written last of those concerned. */
export function clashesOf(entity: Entity, rule: ClashRule, context: RuleContext): readonly Clash[] {
  const clashes = context.memo('clashes', () => findClashes(context.state)).get(entity) ?? [];
  return clashes.filter((clash) => clash.rule === rule);
}

/** What may not be the same in two entities of a kind: the key is null where there is nothing to clash. */
interface Constraint {
  readonly rule: ClashRule;
  readonly fields: readonly string[];
  readonly keyOf: (entity: Entity) => string | null;
}

function constraintsOf(kind: KindName): readonly Constraint[] {
  const constraints = kinds[kind].unique.map(
    (unique): Constraint => ({
      rule: ruleOf(kind, unique.fields),
      fields: unique.fields,
      keyOf: (entity) => uniqueKey(entity, unique),
    }),
  );
  if (kind !== 'ca_certificates') return constraints;
  // Kong keeps the digest of a CA certificate unique; here its identity holds that digest.
  const keyOf = (entity: Entity) => (entity.identity.startsWith('sha256:') ? entity.identity : null);
  return [...constraints, { rule: 'unique-value', fields: ['cert'], keyOf }];
}

const credentialKinds: readonly KindName[] = [
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'mtls_auth_credentials',
];

function ruleOf(kind: KindName, fields: readonly string[]): ClashRule {
  if (kind === 'plugins' && fields.length > 1) return 'duplicate-plugin';
  if (kind === 'snis') return 'unique-sni';
  if (credentialKinds.includes(kind)) return 'unique-credential';
  const named = fields.length === 1 && (fields[0] === 'name' || fields[0] === 'username');
  return named ? 'unique-name' : 'unique-value';
}

function findClashes(state: State): ReadonlyMap<Entity, readonly Clash[]> {
  const reported = new Map<Entity, Clash[]>();
  for (const list of state.entities.values()) {
    for (const clash of clashesAmong(list)) {
      const last = clash.entities[0];
      if (last === undefined) continue;
      const known = reported.get(last);
      if (known === undefined) reported.set(last, [clash]);
      else known.push(clash);
    }
  }
  return reported;
}

function clashesAmong(entities: readonly Entity[]): readonly Clash[] {
  const [first] = entities;
  if (first === undefined || entities.length < 2) return [];
  const constraints = constraintsOf(first.kind);
  const clashes: Clash[] = [];
  const add = (rule: ClashRule, fields: readonly string[], group: readonly Entity[]) =>
    clashes.push({ rule, fields, entities: [...group].sort(lastWrittenFirst) });

  for (const group of groupsBy(entities, (entity) => entity.id)) {
    if (group.some((entity) => entity.idGiven)) add('unique-id', ['id'], group);
    else if (!explained(group, constraints)) add('duplicate-identity', [], group);
  }
  for (const { rule, fields, keyOf } of constraints) {
    for (const group of groupsBy(entities, keyOf)) {
      const distinct = withoutRepeatedIds(group);
      if (distinct.length > 1) add(rule, fields, distinct);
    }
  }
  return clashes;
}

/** Whether entities of one identity clash in a way that is reported for itself. */
function explained(group: readonly Entity[], constraints: readonly Constraint[]): boolean {
  const [first] = group;
  if (first === undefined) return true;
  // A certificate's identity is its SNIs: two of one identity share an SNI, which is reported.
  if (first.kind === 'certificates' && !first.identity.startsWith('sha256:')) return true;
  return constraints.some(({ keyOf }) => {
    const key = keyOf(first);
    return key !== null && group.every((entity) => keyOf(entity) === key);
  });
}

/** Two entities with one given id clash by that id; saying it once is enough. */
function withoutRepeatedIds(group: readonly Entity[]): readonly Entity[] {
  const seen = new Set<string>();
  return group.filter((entity) => {
    if (!entity.idGiven) return true;
    if (seen.has(entity.id)) return false;
    seen.add(entity.id);
    return true;
  });
}

/** The groups of two or more that share a key, in the order of their first entity. */
function groupsBy(
  entities: readonly Entity[],
  keyOf: (entity: Entity) => string | null,
): readonly (readonly Entity[])[] {
  const firsts = new Map<string, Entity>();
  const groups = new Map<string, Entity[]>();
  for (const entity of entities) {
    const key = keyOf(entity);
    if (key === null) continue;
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, entity);
      continue;
    }
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [first, entity]);
    else group.push(entity);
  }
  return [...groups.values()];
}

/** The values that a constraint wants to be unique, as one text; null where there is nothing to clash. */
function uniqueKey(entity: Entity, constraint: UniqueConstraint): string | null {
  const parts: string[] = [];
  for (const [index, field] of constraint.fields.entries()) {
    const part = uniquePart(entity, field);
    // The first field is the one that is named; without it the entity is incomplete, which is another finding.
    if (part === null && (index === 0 || !constraint.nullsClash)) return null;
    parts.push(part ?? '-');
  }
  return parts.join('\n');
}

function uniquePart(entity: Entity, field: string): string | null {
  const key = kinds[entity.kind].foreign.find((candidate) => candidate.field === field);
  if (key !== undefined) {
    const reference = entity.references.find((candidate) => candidate.field === field);
    if (reference === undefined) return null;
    return reference.resolved && reference.id !== null ? `id ${reference.id}` : `text ${reference.identity}`;
  }
  const value: Json | undefined = entity.fields[field];
  if (value === undefined || value === null || value === '') return null;
  if (entity.kind === 'targets' && field === 'target' && typeof value === 'string') return normalTarget(value);
  return canonicalJson(value);
}

function lastWrittenFirst(a: Entity, b: Entity): number {
  const [first, second] = [a.source?.location, b.source?.location];
  if (first !== undefined && second !== undefined) return compareLocations(second, first) || compareText(a, b);
  if (first === second) return compareText(a, b);
  return first === undefined ? 1 : -1;
}

function compareText(a: Entity, b: Entity): number {
  const [first, second] = [`${a.identity}\n${a.id}`, `${b.identity}\n${b.id}`];
  return first < second ? -1 : first > second ? 1 : 0;
}
