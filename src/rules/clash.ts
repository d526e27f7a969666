import type { Entity } from '../model/entity.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import type { UniqueConstraint } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import { compareLocations, type Location } from '../model/location.ts';
import type { State } from '../model/state.ts';
import { normalTarget } from '../model/target-address.ts';
import type { RuleContext } from './rule.ts';

/** Entities of one kind that may not be together, because of one constraint. */
export interface Clash {
  readonly constraint: ClashConstraint;
  /** All of them, the one written last first. */
  readonly entities: readonly Entity[];
}

/** What may be there once only: an id, a unique constraint of the registry, a CA certificate, an identity. */
export type ClashConstraint =
  | { readonly type: 'id' }
  | { readonly type: 'identity' }
  | { readonly type: 'certificate' }
  | ({ readonly type: 'unique' } & UniqueConstraint);

/** The clashes that are to be reported on an entity, because it was written last of those concerned. */
export function clashesOf(entity: Entity, context: RuleContext): readonly Clash[] {
  return context.memo('clashes', () => findClashes(context.state)).get(entity) ?? [];
}

/** Where an entity holds the value that clashes; undefined for one that was not written. */
export function clashPlace(entity: Entity, constraint: ClashConstraint): Location | undefined {
  return entity.source?.at([clashField(constraint)]);
}

/** The field of a constraint that the reader should look at. */
export function clashField(constraint: ClashConstraint): string {
  switch (constraint.type) {
    case 'id':
      return 'id';
    case 'identity':
      return '';
    case 'certificate':
      return 'cert';
    case 'unique':
      return constraint.fields[constraint.fields.length - 1] ?? '';
  }
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
  const first = entities[0];
  if (first === undefined || entities.length < 2) return [];
  const uniques = kinds[first.kind].unique.map((constraint) => ({ type: 'unique' as const, ...constraint }));
  const clashes: Clash[] = [];
  const add = (constraint: ClashConstraint, group: readonly Entity[]) =>
    clashes.push({ constraint, entities: [...group].sort(lastWrittenFirst) });

  for (const group of groupsBy(entities, (entity) => entity.id)) {
    if (group.some((entity) => entity.idGiven)) add({ type: 'id' }, group);
    else if (!explained(group, uniques)) add({ type: identityConstraint(first) }, group);
  }
  for (const constraint of uniques) {
    for (const group of groupsBy(entities, (entity) => uniqueKey(entity, constraint))) {
      const distinct = withoutRepeatedIds(group);
      if (distinct.length > 1) add(constraint, distinct);
    }
  }
  return clashes;
}

function identityConstraint(entity: Entity): 'identity' | 'certificate' {
  return entity.kind === 'ca_certificates' ? 'certificate' : 'identity';
}

/** Whether entities of one identity clash in a way that is reported for itself. */
function explained(group: readonly Entity[], uniques: readonly UniqueConstraint[]): boolean {
  const [first] = group;
  if (first === undefined) return true;
  // A certificate's identity is its SNIs: two of one identity share an SNI, which is reported.
  if (first.kind === 'certificates' && !first.identity.startsWith('sha256:')) return true;
  return uniques.some((constraint) => {
    const key = uniqueKey(first, constraint);
    return key !== null && group.every((entity) => uniqueKey(entity, constraint) === key);
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
