import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, setOwn } from '../../model/json.ts';
import { transformationFault } from '../../schema/custom/server-checks.ts';
import type { Collection } from '../state/collections.ts';
import { asWritten, checkedEntity, recordSchemaOf, withEntityError } from '../state/entity-check.ts';
import { type Gateway, newId } from '../state/gateway.ts';
import { referenceErrors } from '../state/reference-check.ts';
import { declarativeKey } from './declarative-ids.ts';
import {
  type ChildList,
  childLists,
  type Draft,
  declarativeCollections,
  draftOf,
  hidesList,
} from './declarative-tree.ts';
import type { PlacedError } from './error-tree.ts';

const formatVersions = ['1.1', '2.1', '3.0'];
const anyId = '00000000-0000-4000-8000-000000000000';

/** The lists that a walk goes into below an entity, and the names by which they stand there. */
function listsOf(gateway: Gateway, collection: Collection): ReadonlyMap<string, ChildList> {
  return new Map(childLists(gateway, collection).map((list) => [list.collection.name, list]));
}

/** An error, and whether it is that a reference must be null. */
interface Found extends PlacedError {
  readonly mustBeNull: boolean;
}

function fault(path: JsonPath, error: Json, mustBeNull = false): Found {
  return { path, error, mustBeNull };
}

/**
 * Every fault of a declarative configuration by its schemas. As Kong does, it is checked as it stands first, and where
 * that finds anything once more with ids and references filled in, for some checks need them; what must be null is told
 * from the first pass as well.
 */
export function checkDeclarative(gateway: Gateway, input: JsonObject): readonly PlacedError[] {
  const first = checkPass(gateway, input, false);
  if (first.length === 0) return [];
  const filled = draftOf(input);
  fillReferences(gateway, filled);
  const second = checkPass(gateway, filled, true);
  // The later of two errors at one place is the one that is told.
  return second.length === 0 ? [] : [...second, ...first.filter((found) => found.mustBeNull)];
}

function checkPass(gateway: Gateway, input: JsonObject, withForeign: boolean): readonly Found[] {
  const faults: Found[] = [];
  const version = input['_format_version'];
  if (version === undefined || version === null) faults.push(fault(['_format_version'], 'is required'));
  else if (typeof version !== 'string') faults.push(fault(['_format_version'], 'must be a text'));
  else if (!formatVersions.includes(version)) {
    faults.push(fault(['_format_version'], `must be one of: ${formatVersions.join(', ')}`));
  }
  const known = new Map(
    declarativeCollections(gateway).map((collection) => [collection.declarative ?? '', collection]),
  );
  for (const [key, value] of Object.entries(input)) {
    const collection = known.get(key);
    if (collection !== undefined) checkList(gateway, collection, value, [key], null, withForeign, faults);
    else if (!['_format_version', '_transform', '_comment', '_ignore'].includes(key)) {
      faults.push(fault([key], `there is no field "${key}" here`));
    }
  }
  checkExtras(input, [], faults);
  if (input['_transform'] !== undefined && typeof input['_transform'] !== 'boolean') {
    faults.push(fault(['_transform'], 'must be true or false'));
  }
  return faults;
}

function checkExtras(record: JsonObject, path: JsonPath, faults: Found[]): void {
  const comment = record['_comment'];
  if (comment !== undefined && comment !== null && typeof comment !== 'string') {
    faults.push(fault([...path, '_comment'], 'must be a text'));
  }
  const ignored = record['_ignore'];
  if (ignored !== undefined && ignored !== null && !isJsonArray(ignored)) {
    faults.push(fault([...path, '_ignore'], 'must be a list'));
  }
}

function checkList(
  gateway: Gateway,
  collection: Collection,
  value: Json,
  path: JsonPath,
  parent: ChildList | null,
  withForeign: boolean,
  faults: Found[],
): void {
  if (value === null) return;
  if (!isJsonArray(value) && !(isJsonObject(value) && Object.keys(value).length === 0)) {
    faults.push(fault(path, 'must be a list'));
    return;
  }
  for (const [index, item] of (isJsonArray(value) ? value : []).entries()) {
    const at = [...path, index];
    if (isJsonObject(item)) checkItem(gateway, collection, item, at, parent, withForeign, faults);
    else faults.push(fault(at, 'must be a record'));
  }
}

function checkItem(
  gateway: Gateway,
  collection: Collection,
  item: JsonObject,
  path: JsonPath,
  parent: ChildList | null,
  withForeign: boolean,
  faults: Found[],
): void {
  const lists = listsOf(gateway, collection);
  const own: Draft = {};
  for (const [key, value] of Object.entries(item)) {
    const list = lists.get(key);
    if (list !== undefined) checkList(gateway, list.collection, value, [...path, key], list, withForeign, faults);
    else if (key !== '_comment' && key !== '_ignore') setOwn(own, key, value);
  }
  checkExtras(item, path, faults);
  if (!withForeign) prepareForeign(gateway, collection, own, path, parent, faults);
  const { errors } = checkedEntity(gateway, collection.name, asWritten(gateway.schemas, collection.name, own));
  const all: Draft = { ...withEntityError(errors, transformationFault(collection.name, own, null)?.message ?? null) };
  if (withForeign) Object.assign(all, referenceErrors(collection, own));
  if (!withForeign && parent !== null) for (const { field } of collection.foreign) delete all[field];
  for (const [key, error] of Object.entries(all)) faults.push(fault([...path, key], error));
}

/** In the first pass a reference is a text at the top, and must be null below a parent. */
function prepareForeign(
  gateway: Gateway,
  collection: Collection,
  own: Draft,
  path: JsonPath,
  parent: ChildList | null,
  faults: Found[],
): void {
  const schema = recordSchemaOf(gateway.schemas, collection.name, own);
  for (const { field } of collection.foreign) {
    const value = own[field];
    if (value === undefined || value === null) continue;
    delete own[field];
    if (parent !== null || schema?.fields[field]?.eq === null) {
      faults.push(fault([...path, field], 'must be null', true));
    } else if (typeof value === 'string') own[field] = { id: anyId };
    else faults.push(fault([...path, field], 'must be a text'));
  }
}

/** Gives ids to what has none, parents to what is nested, and ids for texts that name something here. */
function fillReferences(gateway: Gateway, input: Draft): void {
  const byKey = new Map<string, string>();
  const all: { readonly collection: Collection; readonly item: Draft }[] = [];
  const walk = (record: Draft, collection: Collection | null) => {
    const lists: readonly ChildList[] =
      collection === null
        ? declarativeCollections(gateway).map((child) => ({ collection: child, field: '' }))
        : childLists(gateway, collection).filter((list) => !hidesList(gateway, collection, list));
    for (const list of lists) {
      const items = record[list.collection.name];
      if (!isJsonArray(items)) continue;
      for (const entry of items) {
        if (!isJsonObject(entry)) continue;
        const item = entry as Draft;
        const parent = collection === null ? null : { field: list.field, id: String(record['id']) };
        if (item['id'] === undefined) {
          item['id'] = declarativeKey(list.collection, item, parent) ?? newId(gateway.chance);
        }
        walk(item, list.collection);
        const id = String(item['id']);
        byKey.set(`${list.collection.name}\n${id}`, id);
        const key = list.collection.endpointKey === null ? undefined : item[list.collection.endpointKey];
        if (typeof key === 'string') byKey.set(`${list.collection.name}\n${key}`, id);
        if (parent !== null && (item[parent.field] === undefined || item[parent.field] === null)) {
          item[parent.field] = { id: parent.id };
        }
        all.push({ collection: list.collection, item });
      }
    }
  };
  walk(input, null);
  for (const { collection, item } of all) {
    for (const { field, to } of collection.foreign) {
      const value = item[field];
      const id = typeof value === 'string' ? byKey.get(`${to}\n${value}`) : undefined;
      if (id !== undefined) item[field] = { id };
    }
  }
}
