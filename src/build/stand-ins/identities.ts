import type { Entity, Reference } from '../../model/entity.ts';
import {
  canonicalJson,
  fromPointer,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
} from '../../model/json.ts';
import { kinds } from '../../model/kinds.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import type { State } from '../../model/state.ts';

/** Whether an entity is known by what came from the environment, so that its counterpart cannot be found by it. */
export function isKnownByEnvironment(entity: Entity, state: State): boolean {
  if (entity.idGiven) return false;
  if (entity.kind === 'certificates') return isCertificateKnownBy(entity, state);
  if (entity.fromEnvironment.size === 0) return false;
  const hidden = new Set([...entity.fromEnvironment.keys()].map((pointer) => fromPointer(pointer)[0] ?? ''));
  const fields: JsonObject = Object.fromEntries(
    Object.entries(entity.fields).map(([field, value]) => [field, hidden.has(field) ? probe(value) : value]),
  );
  return identityWith(entity, fields) !== identityWith(entity, entity.fields);
}

function isCertificateKnownBy(entity: Entity, state: State): boolean {
  const names = (state.entities.get('snis') ?? []).filter((sni) =>
    sni.references.some(({ field, id }) => field === 'certificate' && id === entity.id),
  );
  if (names.length === 0) return comesFromEnvironment(entity, ['cert']);
  return names.some((sni) => comesFromEnvironment(sni, ['name']));
}

function identityWith(entity: Entity, fields: JsonObject): string | null {
  return kinds[entity.kind].identity({
    fields,
    foreign: (field) => entity.references.find((reference) => reference.field === field)?.identity ?? null,
    snis: [],
  });
}

/** Another text in the place of each one. */
function probe(value: Json): Json {
  if (typeof value === 'string') return `${value} `;
  if (isJsonArray(value)) return value.map(probe);
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, probe(inner)]));
  return 'probe';
}

/** The identity that an entity has once its references go by other names. */
export function identityAmong(entity: Entity, nameOf: (reference: Reference) => string): string {
  if (entity.references.every((reference) => nameOf(reference) === reference.identity)) return entity.identity;
  const identity = kinds[entity.kind].identity({
    fields: entity.fields,
    foreign: (field) => {
      const reference = entity.references.find((candidate) => candidate.field === field);
      return reference === undefined ? null : nameOf(reference);
    },
    snis: [],
  });
  return identity ?? entity.identity;
}

/** Whether a live entity has all that was written of a proposed one, apart from what came from the environment. */
export function agrees(head: Entity, live: Entity): boolean {
  return Object.entries(head.fields).every(
    ([field, value]) => comesFromEnvironment(head, [field]) || jsonEqual(inOrder(value), inOrder(live.fields[field])),
  );
}

function inOrder(value: Json | undefined): Json | undefined {
  return isJsonArray(value) ? [...value].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) : value;
}
