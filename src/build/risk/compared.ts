import type { Entity } from '../../model/entity.ts';
import type { KindName } from '../../model/kind.ts';
import type { Location } from '../../model/location.ts';
import type { State } from '../../model/state.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { RiskCode } from './codes.ts';
import type { RiskNote, RiskSeverity } from './risk.ts';

/** What notes depend on besides the two states. */
export interface RiskContext {
  /** The destination's schemas: they fill defaults, and say which router there is. */
  readonly schemas: Schemas;
  /** The instant at which certificates are judged, in milliseconds since 1970. */
  readonly instant: number;
}

/** The two states that notes are about, and what of one is which of the other. */
export interface Compared extends RiskContext {
  readonly base: State;
  readonly head: State;
  /** The entity of the head that one of the base has become; undefined where it is gone. */
  readonly inHead: (entity: Entity) => Entity | undefined;
  /** The entity of the base that one of the head was; undefined where it is new. */
  readonly inBase: (entity: Entity) => Entity | undefined;
}

/** Two states to compare. An entity is the same one by a given id, else by its identity, else by its id. */
export function compared(base: State, head: State, context: RiskContext): Compared {
  return {
    ...context,
    base,
    head,
    inHead: (entity) => counterpart(entity, head),
    inBase: (entity) => counterpart(entity, base),
  };
}

function counterpart(entity: Entity, other: State): Entity | undefined {
  const given = entity.idGiven ? other.byId(entity.kind, entity.id) : undefined;
  return given ?? other.byIdentity(entity.kind, entity.identity) ?? other.byId(entity.kind, entity.id);
}

/** The entities of a kind that both states have: as the base has it, and as the head has it. */
export function pairsOf(kind: KindName, states: Compared): readonly (readonly [Entity, Entity])[] {
  return (states.base.entities.get(kind) ?? []).flatMap((before) => {
    const after = states.inHead(before);
    return after === undefined ? [] : [[before, after] as const];
  });
}

/** The entities of a kind that the base has and the head has not. */
export function removedOf(kind: KindName, states: Compared): readonly Entity[] {
  return (states.base.entities.get(kind) ?? []).filter((entity) => states.inHead(entity) === undefined);
}

/** More places than this help nobody. */
const mostPlaces = 5;

/** A note whose places are those of the proposed files. */
export function noteInHead(
  code: RiskCode,
  severity: RiskSeverity,
  message: string,
  places: readonly (Location | null | undefined)[],
): RiskNote {
  return { code, severity, message, locations: known(places) };
}

/** A note about what is gone, whose places are those of the branch's files. */
export function noteInBase(
  code: RiskCode,
  severity: RiskSeverity,
  message: string,
  places: readonly (Location | null | undefined)[],
): RiskNote {
  return { code, severity, message, locations: known(places), removed: true };
}

/** Where an entity was written. */
export function placeOf(entity: Entity | undefined, field?: string): Location | null {
  const source = entity?.source ?? null;
  if (source === null) return null;
  return field === undefined ? source.location : source.at([field]);
}

function known(places: readonly (Location | null | undefined)[]): readonly Location[] {
  const seen = new Map<string, Location>();
  for (const place of places) {
    if (place === null || place === undefined) continue;
    const key = `${place.file}:${place.line}:${place.column}`;
    if (!seen.has(key)) seen.set(key, place);
    if (seen.size === mostPlaces) break;
  }
  return [...seen.values()];
}
