import type { Entity, Reference } from '../../model/entity.ts';
import {
  fromPointer,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonPath,
  toPointer,
  valueAt,
} from '../../model/json.ts';
import type { Live } from '../../model/live.ts';
import { leaves } from '../../model/secret.ts';
import { allEntities, type State, stateOf } from '../../model/state.ts';
import { identityAmong } from './identities.ts';
import { type LiveMatches, liveMatches, sameIn } from './live-matches.ts';
import { type BaseSide, patchedFields } from './patched-fields.ts';

/** The two sides that a review plans with, and what of them is not compared. */
export interface ReviewSides {
  readonly live: Live;
  /** The proposed state, without what cannot be compared. */
  readonly state: State;
  /** What is not compared, in a sentence each, without a value of the environment. */
  readonly notCompared: readonly string[];
}

/**
 * What is live as a review may compare it: `base` and `head` were built with stand-ins for the values of the environment,
 * what is live has the values. Where both say the same, live gets the stand-in, so that nothing shows; where they do not,
 * something else, so that a change of a secret shows, without a value. An entity that is known by such a value is found
 * by what else is known of it, or else left out of both sides. `base` is null where the branch could not be built: all
 * that comes from the environment then counts as unchanged. `inForce` is the state that was delivered last, with the
 * values, where it is known: entities are then found by the variables that they were delivered from, and values that
 * only an older revision had from the environment stay hidden.
 */
export function forReview(live: Live, base: State | null, head: State, inForce: State | null = null): ReviewSides {
  const past = (entity: Entity) =>
    inForce?.byId(entity.kind, entity.id) ?? inForce?.byIdentity(entity.kind, entity.identity);
  const isConcerned = [head, base, inForce].some(
    (state) => state !== null && allEntities(state).some(({ fromEnvironment }) => fromEnvironment.size > 0),
  );
  if (!isConcerned) return { live, state: head, notCompared: [] };
  const matches = liveMatches(live.state, base, head, past);
  const renamed = renamedIn(live.state, matches);
  const hidden = new Set<string>();
  const entities = allEntities(live.state)
    .filter((entity) => !matches.leftOut.has(entity))
    .map((entity) => withNames(adjusted(entity, base, matches, past, hidden), renamed));
  const shown = entities.map((entity) => withHidden(entity, hidden));
  return {
    live: { ...live, state: stateOf(shown, live.state.selectTags) },
    state:
      matches.leftOut.size === 0
        ? head
        : stateOf(
            allEntities(head).filter((entity) => !matches.leftOut.has(entity)),
            head.selectTags,
          ),
    notCompared: matches.notCompared,
  };
}

/** What live entities are called by now, where that is not what the files call them. */
function renamedIn(live: State, { headOf, goneOf }: LiveMatches): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (const entity of allEntities(live)) {
    const match = headOf.get(entity) ?? goneOf.get(entity);
    if (match === undefined || match.identity === entity.identity || match.fromEnvironment.size === 0) continue;
    renamed.set(`${entity.kind}\n${entity.identity}`, match.identity);
  }
  return renamed;
}

/** A live entity with stand-ins. What came from the environment before is noted in `hidden`, and never shown. */
function adjusted(
  entity: Entity,
  base: State | null,
  matches: LiveMatches,
  past: (entity: Entity) => Entity | undefined,
  hidden: Set<string>,
): Entity {
  const head = matches.headOf.get(entity);
  const was = matches.goneOf.get(entity) ?? (head === undefined || base === null ? undefined : sameIn(base, head));
  const delivered = past(entity);
  for (const side of [head, was, delivered]) {
    for (const pointer of side?.fromEnvironment.keys() ?? []) {
      for (const leaf of leaves(valueAt(entity.fields, fromPointer(pointer)))) {
        if (leaf.length >= shortestTelling) hidden.add(leaf);
      }
    }
  }
  const match = head ?? was;
  const fromEnvironment = new Map([
    ...entity.fromEnvironment,
    ...(delivered?.fromEnvironment ?? []),
    ...(was?.fromEnvironment ?? []),
  ]);
  if (match === undefined || match.fromEnvironment.size === 0) {
    return fromEnvironment.size === 0 ? entity : { ...entity, fromEnvironment };
  }
  const side: BaseSide = base === null ? 'unknown' : (was ?? 'absent');
  const isSameName = match.identity === entity.identity;
  return {
    ...entity,
    ...(isSameName ? {} : { identity: match.identity, name: match.name }),
    fields: head === undefined ? entity.fields : patchedFields(entity, head, side),
    fromEnvironment,
  };
}

/** Short words are in too many places to be told from a secret by their value alone. */
const shortestTelling = 6;

/** What names another entity by a name that is not shown gets the name that the files have for it. */
function withNames(entity: Entity, renamed: ReadonlyMap<string, string>): Entity {
  if (renamed.size === 0) return entity;
  const nameOf = ({ kind, identity }: Reference) => renamed.get(`${kind}\n${identity}`) ?? identity;
  const changed = entity.references.find((reference) => nameOf(reference) !== reference.identity);
  if (changed === undefined) return entity;
  const identity = identityAmong(entity, nameOf);
  return {
    ...entity,
    identity,
    name: entity.name === entity.identity ? identity : underNewName(entity.name, changed.identity, nameOf(changed)),
    references: entity.references.map((reference) => ({ ...reference, identity: nameOf(reference) })),
  };
}

/** A name that begins with that of the parent. */
function underNewName(name: string, parent: string, renamed: string): string {
  return name.startsWith(`${parent}/`) ? `${renamed}${name.slice(parent.length)}` : name;
}

/** Marks what holds a hidden value wherever else it stands, so that no plan shows it. */
function withHidden(entity: Entity, hidden: ReadonlySet<string>): Entity {
  if (hidden.size === 0) return entity;
  const found: string[] = [];
  visit(entity.fields, [], (text, path) => {
    if (hidden.has(text)) found.push(toPointer(path));
  });
  if (found.length === 0) return entity;
  return {
    ...entity,
    fromEnvironment: new Map([
      ...entity.fromEnvironment,
      ...found.map((pointer) => [pointer, 'the environment'] as const),
    ]),
  };
}

function visit(value: Json, path: JsonPath, found: (text: string, path: JsonPath) => void): void {
  if (isJsonArray(value)) {
    for (const [at, item] of value.entries()) visit(item, [...path, at], found);
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key], found);
  } else if (typeof value === 'string') found(value, path);
}
