import { isUuid } from '../../model/derived-id.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Collection } from '../state/collections.ts';
import type { Gateway } from '../state/gateway.ts';
import { errorTree, type PlacedError } from './error-tree.ts';

/** A JSON value that is being built or taken apart. */
export type Draft = { [key: string]: Json };

/** A list that a declarative configuration may hold inside an entity: what names it by a foreign key. */
export interface ChildList {
  readonly collection: Collection;
  /** The foreign key that nesting sets. */
  readonly field: string;
}

/** The collections that a DB-less node takes, parents before children. */
export function declarativeCollections(gateway: Gateway): readonly Collection[] {
  return [...gateway.collections.values()].filter((collection) => collection.declarative !== null);
}

/** The lists that an entity of a collection may hold. */
export function childLists(gateway: Gateway, collection: Collection): readonly ChildList[] {
  return declarativeCollections(gateway).flatMap((child) =>
    child.foreign.filter((key) => key.to === collection.name).map((key) => ({ collection: child, field: key.field })),
  );
}

/** Whether a collection has a field of its own by the name of a list: Kong then passes the list over in most of its walks. */
export function hidesList(gateway: Gateway, collection: Collection, list: ChildList): boolean {
  return Object.hasOwn(gateway.schemas.entity(collection.name)?.fields ?? {}, list.collection.name);
}

/** A changeable copy of a JSON value. */
export function draftOf(value: JsonObject): Draft {
  return structuredClone(value) as Draft;
}

/** An entry of a list as a draft, or null where it is no object. */
export function draftAt(list: Json | undefined, index: number): Draft | null {
  const item = isJsonArray(list) ? list[index] : undefined;
  return isJsonObject(item) ? (item as Draft) : null;
}

/** One entry of `flattened_errors`. */
type Flattened = Draft;

/**
 * What is left of an error tree, and the errors that could be told of single entities (kong.md, "flatten_errors"). As in
 * Kong, errors whose place is not an entity of the input are lost, and what no section of the input explains is left.
 * Throws where Kong itself fails: on an error inside a list whose entry is no object.
 */
export function flattenErrors(
  gateway: Gateway,
  input: JsonObject,
  errors: readonly PlacedError[],
): { readonly fields: JsonObject; readonly flattened: readonly JsonObject[] } {
  const tree = errorTree(errors);
  const echo = draftOf(input);
  const left: Draft = {};
  const flattened: Flattened[] = [];
  for (const [section, found] of Object.entries(tree)) {
    const entities = echo[section];
    const collection = gateway.collections.get(section);
    if (collection === undefined || typeof found === 'string' || (!isJsonArray(entities) && !isJsonObject(entities))) {
      left[section] = found;
      continue;
    }
    for (const [index, error] of Object.entries(found ?? {})) {
      const entity = draftAt(entities, Number(index));
      if (entity !== null && error !== null) addEntity(gateway, collection, entity, error, flattened);
    }
  }
  return { fields: left, flattened };
}

function addEntity(gateway: Gateway, collection: Collection, entity: Draft, error: Json, flattened: Flattened[]): void {
  const errors: Draft = isJsonObject(error) ? { ...error } : { '@entity': error };
  const id = entity['id'];
  const self: JsonObject | null = typeof id === 'string' && isUuid(id) ? { id } : null;
  for (const { field, to } of collection.foreign) {
    const value = entity[field];
    const target = gateway.collections.get(to);
    if (!isJsonObject(value) || target === undefined) continue;
    const inner = errors[field];
    delete errors[field];
    const key = value['id'];
    if (typeof key === 'string' && isUuid(key)) entity[field] = { id: key };
    else delete entity[field];
    if (inner !== undefined && inner !== null) addEntity(gateway, target, { ...value }, inner, flattened);
  }
  for (const { collection: child, field } of childLists(gateway, collection)) {
    const value = entity[child.name];
    if (!isJsonArray(value)) continue;
    const inner = errors[child.name];
    delete errors[child.name];
    delete entity[child.name];
    if (inner === undefined || inner === null) continue;
    for (const [index, item] of value.entries()) {
      if (!isJsonObject(item)) throw new TypeError('an entry of a list is no entity');
      const draft: Draft = { ...item };
      if (draft[field] === undefined && self !== null) draft[field] = self;
      const at = isJsonArray(inner) ? inner[index] : isJsonObject(inner) ? inner[String(index)] : undefined;
      if (at !== undefined && at !== null) addEntity(gateway, child, draft, at, flattened);
    }
  }
  const list = categorized(errors, '');
  if (list.length === 0) return;
  const { name, tags } = entity;
  flattened.push({
    entity_type: collection.singular,
    ...(typeof name === 'string' && name !== '' ? { entity_name: name } : {}),
    ...(self === null ? {} : { entity_id: String(self['id']) }),
    ...(isJsonArray(tags) && tags.every((tag) => typeof tag === 'string') ? { entity_tags: tags } : {}),
    entity,
    errors: list,
  });
}

function categorized(errors: Json, prefix: string): readonly JsonObject[] {
  if (errors === null) return [];
  if (typeof errors === 'string') return [{ type: 'field', field: prefix, message: errors }];
  const at = (step: string) => (prefix === '' ? step : `${prefix}.${step}`);
  if (isJsonArray(errors)) return errors.flatMap((inner, index) => categorized(inner, at(String(index + 1))));
  if (!isJsonObject(errors)) return [];
  return Object.entries(errors).flatMap(([key, inner]): readonly JsonObject[] => {
    if (key !== '@entity') return categorized(inner, at(key));
    const messages = isJsonArray(inner) ? inner : [inner];
    return messages.map((message) => ({ type: 'entity', message }));
  });
}
