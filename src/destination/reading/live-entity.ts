import type { RawEntity, RawReference } from '../../model/assemble.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';

const noVariables: ReadonlyMap<string, string> = new Map();

/**
 * An entity as a server answers it, in parts: id, fields, what the server made, and foreign keys by id. `parent` is the
 * id of the entity under which it was listed, for answers that do not repeat it.
 */
export function rawLive(kind: Kind, answer: JsonObject, parent: string | null): RawEntity {
  const fields: { [field: string]: Json } = {};
  const made: { [field: string]: Json } = {};
  const references: RawReference[] = [];
  for (const [field, value] of Object.entries(answer)) {
    if (field === 'id') continue;
    const key = kind.foreign.find((candidate) => candidate.field === field);
    if (key !== undefined) for (const one of referencesOf(field, value)) references.push(one);
    else if (kind.serverMade.includes(field)) setOwn(made, field, value);
    else setOwn(fields, field, value);
  }
  if (parent !== null && kind.parent !== null && !references.some((reference) => reference.field === kind.parent)) {
    references.push({ field: kind.parent, index: null, to: { id: parent } });
  }
  const id = answer['id'];
  return {
    kind: kind.name,
    id: typeof id === 'string' ? id : null,
    fields,
    references,
    made,
    fromEnvironment: noVariables,
    source: null,
  };
}

/** A membership, of which servers only list the consumer: its id is derived, and the consumer's kept for its path. */
export function rawMembership(kind: Kind, group: string, consumer: string): RawEntity {
  return {
    kind: kind.name,
    id: null,
    fields: {},
    references: [
      { field: 'consumer_group', index: null, to: { id: group } },
      { field: 'consumer', index: null, to: { id: consumer } },
    ],
    made: {},
    fromEnvironment: noVariables,
    source: null,
  };
}

function referencesOf(field: string, value: Json): readonly RawReference[] {
  if (isJsonArray(value)) {
    return value.flatMap((item, index): readonly RawReference[] => {
      const id = idOf(item);
      return id === null ? [] : [{ field, index, to: { id } }];
    });
  }
  const id = idOf(value);
  return id === null ? [] : [{ field, index: null, to: { id } }];
}

function idOf(value: Json): string | null {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return null;
  const id = value['id'];
  return typeof id === 'string' ? id : null;
}
