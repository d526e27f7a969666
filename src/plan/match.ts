import type { Entity, Reference } from '../model/entity.ts';
import { kinds, kindsInOrder } from '../model/kinds.ts';
import type { State } from '../model/state.ts';

/** Which live entity is which entity of the target state, and by what ids the destination knows or will know them. */
export interface Matching {
  readonly target: State;
  readonly live: State;
  readonly liveOf: (entity: Entity) => Entity | undefined;
  readonly targetOf: (entity: Entity) => Entity | undefined;
  /** The id of a target entity at the destination: that of its live counterpart, else its own. */
  readonly idOf: (entity: Entity) => string;
  /** The target entity that a reference of the target state names, where the state has it. */
  readonly referent: (reference: Reference) => Entity | undefined;
  /** The id to send for a reference of the target state; null where it names nothing known. */
  readonly idOfReference: (reference: Reference) => string | null;
  /** A reference of a target entity to something that is named but not known, or undefined: it cannot be written. */
  readonly unknownReference: (entity: Entity) => Reference | undefined;
}

/**
 * Matches both sides: a given id first, then the identity (a live entity of the same identity keeps its id), then the
 * derived id, then (certificates) a shared certificate or SNI. An entity whose given id is not live is new, even where
 * its identity is live under another id. Parents are matched before children, so that the children of a renamed parent
 * are still known. `read` is all that was read, out of which `live` is what may be changed: references may name the rest.
 */
export function match(target: State, live: State, read: State = live): Matching {
  const liveOf = new Map<Entity, Entity>();
  const targetOf = new Map<Entity, Entity>();
  const pair = (entity: Entity, counterpart: Entity) => {
    liveOf.set(entity, counterpart);
    targetOf.set(counterpart, entity);
  };
  for (const { name: kind } of kindsInOrder) {
    const wanted = target.entities.get(kind) ?? [];
    const found = live.entities.get(kind) ?? [];
    if (wanted.length === 0 || found.length === 0) continue;
    for (const entity of wanted) {
      const counterpart = entity.idGiven ? live.byId(kind, entity.id) : undefined;
      if (counterpart !== undefined && !targetOf.has(counterpart)) pair(entity, counterpart);
    }
    pairByIdentity(wanted, found, { liveOf, targetOf, live, pair });
    pairByDerivedId(wanted, { liveOf, targetOf, live, pair });
    if (kind === 'certificates') pairCertificates(wanted, found, { liveOf, targetOf, live, target, pair });
  }

  const referent = (reference: Reference) =>
    reference.id === null
      ? target.byIdentity(reference.kind, reference.identity)
      : target.byId(reference.kind, reference.id);
  const idOf = (entity: Entity) => liveOf.get(entity)?.id ?? entity.id;
  const idOfReference = (reference: Reference) => {
    const to = referent(reference);
    if (to !== undefined) return idOf(to);
    return reference.id ?? read.byIdentity(reference.kind, reference.identity)?.id ?? null;
  };
  return {
    target,
    live,
    liveOf: (entity) => liveOf.get(entity),
    targetOf: (entity) => targetOf.get(entity),
    idOf,
    referent,
    idOfReference,
    unknownReference: (entity) => entity.references.find((reference) => idOfReference(reference) === null),
  };
}

interface Pairs {
  readonly liveOf: Map<Entity, Entity>;
  readonly targetOf: Map<Entity, Entity>;
  readonly live: State;
  readonly pair: (entity: Entity, counterpart: Entity) => void;
}

function pairByIdentity(wanted: readonly Entity[], found: readonly Entity[], pairs: Pairs): void {
  const byIdentity = new Map<string, Entity[]>();
  for (const entity of found) {
    if (pairs.targetOf.has(entity)) continue;
    const identity = translatedIdentity(entity, pairs);
    const list = byIdentity.get(identity);
    if (list === undefined) byIdentity.set(identity, [entity]);
    else list.push(entity);
  }
  for (const entity of wanted) {
    if (entity.idGiven) continue;
    const candidates = byIdentity.get(entity.identity);
    if (candidates === undefined) continue;
    // Nameless entities may share an identity: the one that bears the derived id is the likelier.
    const at = Math.max(
      0,
      candidates.findIndex((candidate) => candidate.id === entity.id),
    );
    const [counterpart] = candidates.splice(at, 1);
    if (counterpart !== undefined) pairs.pair(entity, counterpart);
  }
}

/** The identity that a live entity has in the target state's words, where a parent goes by another name there. */
function translatedIdentity(entity: Entity, pairs: Pairs): string {
  const parentIdentity = (reference: Reference): string => {
    const parent = reference.id === null ? undefined : pairs.live.byId(reference.kind, reference.id);
    return (parent === undefined ? undefined : pairs.targetOf.get(parent)?.identity) ?? reference.identity;
  };
  if (entity.references.every((reference) => parentIdentity(reference) === reference.identity)) return entity.identity;
  return (
    kinds[entity.kind].identity({
      fields: entity.fields,
      foreign: (field) => {
        const reference = entity.references.find((candidate) => candidate.field === field);
        return reference === undefined ? null : parentIdentity(reference);
      },
      snis: [],
    }) ?? entity.identity
  );
}

/**
 * A derived id may be live under another identity (renamed by hand). Then it is that entity, whichever other entity
 * took it for its own by identity: two entities cannot have one id.
 */
function pairByDerivedId(wanted: readonly Entity[], pairs: Pairs): void {
  const open = wanted.filter((entity) => !entity.idGiven && !pairs.liveOf.has(entity));
  for (let entity = open.pop(); entity !== undefined; entity = open.pop()) {
    const counterpart = pairs.live.byId(entity.kind, entity.id);
    if (counterpart === undefined) continue;
    const rival = pairs.targetOf.get(counterpart);
    if (rival !== undefined && rival.id === counterpart.id) continue;
    if (rival !== undefined) {
      pairs.liveOf.delete(rival);
      open.push(rival);
    }
    pairs.pair(entity, counterpart);
  }
}

/** A certificate's identity is its SNI names, so one that gains or loses a name is found by what else it shares. */
function pairCertificates(wanted: readonly Entity[], found: readonly Entity[], pairs: Pairs & { target: State }): void {
  const free = (entity: Entity) => !pairs.targetOf.has(entity);
  const open = wanted.filter((entity) => !entity.idGiven && !pairs.liveOf.has(entity));
  if (open.length === 0) return;
  const bySni = new Map<string, Entity>();
  for (const sni of pairs.live.entities.get('snis') ?? []) {
    const owner = ownerOf(sni, pairs.live);
    if (owner !== undefined) bySni.set(sni.identity, owner);
  }
  const wantedSnis = new Map<Entity, string[]>();
  for (const sni of pairs.target.entities.get('snis') ?? []) {
    const owner = ownerOf(sni, pairs.target);
    if (owner !== undefined) wantedSnis.set(owner, [...(wantedSnis.get(owner) ?? []), sni.identity]);
  }
  for (const entity of open) {
    const shared = (wantedSnis.get(entity) ?? []).map((name) => bySni.get(name)).filter((owner) => owner !== undefined);
    const counterpart =
      shared.find((owner) => free(owner) && sameCertificate(owner, entity)) ??
      shared.find(free) ??
      found.find((candidate) => free(candidate) && sameCertificate(candidate, entity));
    if (counterpart !== undefined) pairs.pair(entity, counterpart);
  }
}

function ownerOf(sni: Entity, state: State): Entity | undefined {
  const reference = sni.references.find((candidate) => candidate.field === 'certificate');
  return reference === undefined || reference.id === null ? undefined : state.byId('certificates', reference.id);
}

function sameCertificate(a: Entity, b: Entity): boolean {
  const [first, second] = [a.fields['cert'], b.fields['cert']];
  return typeof first === 'string' && typeof second === 'string' && first.trim() === second.trim();
}
