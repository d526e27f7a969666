import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, setOwn } from '../../model/json.ts';
import type { Collection } from '../state/collections.ts';
import { asWritten, filledEntity, recordSchemaOf } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import { storedForm, withHashes, withServerMade } from '../state/server-made.ts';
import { Store, type Stored } from '../state/store.ts';
import { checkDeclarative } from './declarative-check.ts';
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
import { linkPlugins } from './plugin-links.ts';

/** What a declarative configuration comes to: the new content and what is answered, or its faults and the input as far as it was read. */
export type Loaded =
  | { readonly store: Store; readonly answered: JsonObject; readonly count: number }
  | { readonly faults: readonly PlacedError[]; readonly input: JsonObject };

interface Entry {
  readonly collection: Collection;
  readonly item: Draft;
  readonly index: number;
  readonly path: JsonPath;
  readonly parent: { readonly field: string; readonly id: string } | null;
  readonly hidden: boolean;
}

/**
 * Reads a declarative configuration as a DB-less Kong does: checked by schema, ids derived, defaults filled, values that
 * must be unique and references looked at over the whole. Nothing of the gateway changes.
 */
export function loadDeclarative(gateway: Gateway, given: JsonObject): Loaded {
  const input = draftOf(migrated(given));
  const faults = [...linkPlugins(gateway, input), ...checkDeclarative(gateway, input)];
  if (faults.length > 0) return { faults, input };
  deriveIds(gateway, input, null);
  const entries: Entry[] = [];
  const declared = collectEntries(gateway, input);
  const completed = declared.map((entry) => ({ ...entry, item: completeItem(gateway, entry) }));
  for (const one of completed) entries.push(one);
  const wrong = [...uniquenessFaults(entries), ...uniqueFieldFaults(gateway, entries)];
  if (wrong.length > 0) return { faults: wrong, input };
  const dangling = resolveReferences(entries);
  if (dangling.length > 0) return { faults: dangling, input };
  return fill(gateway, entries, input['_transform'] !== false);
}

/** Before format 3.0 a path was a regular expression by its looks; now it says so with a `~`. */
function migrated(given: JsonObject): JsonObject {
  const version = given['_format_version'];
  if (version !== '1.1' && version !== '2.1') return given;
  const inList = (value: Json | undefined, change: (item: JsonObject) => JsonObject): Json | undefined =>
    isJsonArray(value) ? value.map((item) => (isJsonObject(item) ? change(item) : item)) : value;
  const route = (item: JsonObject): JsonObject => {
    const paths = item['paths'];
    return isJsonArray(paths) ? { ...item, paths: paths.map(markedPath) } : item;
  };
  const routes = inList(given['routes'], route);
  const services = inList(given['services'], (service) => {
    const nested = inList(service['routes'], route);
    return nested === undefined ? service : { ...service, routes: nested };
  });
  return {
    ...given,
    ...(routes === undefined ? {} : { routes }),
    ...(services === undefined ? {} : { services }),
  };
}

function markedPath(path: Json): Json {
  if (typeof path !== 'string' || path.startsWith('~')) return path;
  return /^[a-zA-Z0-9._~/%-]*$/.test(path) ? path : `~${path}`;
}

function listsIn(gateway: Gateway, collection: Collection | null): readonly ChildList[] {
  if (collection === null) return declarativeCollections(gateway).map((child) => ({ collection: child, field: '' }));
  return childLists(gateway, collection);
}

function deriveIds(gateway: Gateway, record: Draft, collection: Collection | null): void {
  for (const list of listsIn(gateway, collection)) {
    const items = record[list.collection.name];
    if (!isJsonArray(items) || (collection !== null && hidesList(gateway, collection, list))) continue;
    for (const entry of items) {
      if (!isJsonObject(entry)) continue;
      const item = entry as Draft;
      const own = record['id'];
      const parent = collection === null || typeof own !== 'string' ? null : { field: list.field, id: own };
      if (item['id'] === undefined && (collection === null || parent !== null)) {
        const id = declarativeKey(list.collection, item, parent);
        if (id !== null) item['id'] = id;
      }
      deriveIds(gateway, item, list.collection);
    }
  }
}

/** Every entity of the input, children before the entity that holds them, with random ids where none could be derived. */
function collectEntries(gateway: Gateway, input: Draft): readonly Entry[] {
  const entries: Entry[] = [];
  const walk = (record: Draft, collection: Collection | null, path: JsonPath) => {
    for (const list of listsIn(gateway, collection)) {
      const items = record[list.collection.name];
      if (!isJsonArray(items)) continue;
      for (const [index, entry] of items.entries()) {
        if (!isJsonObject(entry)) continue;
        const made = withServerMade(gateway, list.collection, entry, null);
        const item: Draft = { ...made };
        const at = [...path, list.collection.name, index];
        walk(item, list.collection, at);
        const parent = collection === null ? null : { field: list.field, id: String(record['id']) };
        const hidden = collection !== null && hidesList(gateway, collection, list);
        entries.push({ collection: list.collection, item, index, path: at, parent, hidden });
      }
    }
  };
  walk(input, null, []);
  return entries;
}

/** An entity with its defaults and without what it holds, its parent set. */
function completeItem(gateway: Gateway, entry: Entry): Draft {
  const own: Draft = {};
  const lists = new Set(childLists(gateway, entry.collection).map((list) => list.collection.name));
  for (const [key, value] of Object.entries(entry.item)) {
    if (!lists.has(key) && key !== '_comment' && key !== '_ignore') setOwn(own, key, value);
  }
  if (entry.parent !== null) own[entry.parent.field] = { id: entry.parent.id };
  const { schemas } = gateway;
  return { ...filledEntity(schemas, entry.collection.name, asWritten(schemas, entry.collection.name, own)) };
}

function fault(path: JsonPath, error: Json): PlacedError {
  return { path, error };
}

/** Ids and endpoint keys that are there twice. The place of the second one is that in its own list, as Kong has it. */
function uniquenessFaults(entries: readonly Entry[]): readonly PlacedError[] {
  const ids = new Set<string>();
  const keys = new Set<string>();
  const faults: PlacedError[] = [];
  for (const { collection, item, index, path } of entries) {
    const field = collection.endpointKey;
    const isUnique = collection.unique.some(
      (constraint) => constraint.fields.length === 1 && constraint.fields[0] === field,
    );
    const key = field === null || !isUnique ? undefined : item[field];
    if (typeof key === 'string') {
      const name = `${collection.name}\n${key}`;
      if (keys.has(name)) {
        faults.push(fault([collection.name, index], `another entity of ${collection.name} has this ${field} already`));
        continue;
      }
      keys.add(name);
    }
    const id = `${collection.name}\n${String(item['id'])}`;
    if (ids.has(id)) faults.push(fault(path, `another entity of ${collection.name} has this id already`));
    ids.add(id);
  }
  return faults;
}

/** Unique fields beside the endpoint key. Kong tells these by the entity's id, so flattening loses them. */
function uniqueFieldFaults(gateway: Gateway, entries: readonly Entry[]): readonly PlacedError[] {
  const seen = new Set<string>();
  const faults: PlacedError[] = [];
  for (const { collection, item } of entries) {
    const fields = gateway.schemas.entity(collection.name)?.fields ?? {};
    for (const [field, schema] of Object.entries(fields)) {
      const value = item[field];
      if (schema.unique !== true || field === collection.endpointKey || typeof value !== 'string') continue;
      const key = `${collection.name}\n${field}\n${value}`;
      if (seen.has(key)) {
        faults.push(
          fault(
            [collection.name, String(item['id'])],
            `another entity of ${collection.name} has this ${field} already`,
          ),
        );
      }
      seen.add(key);
    }
  }
  return faults;
}

/** Puts ids in the place of names, and tells the references that name nothing here. */
function resolveReferences(entries: readonly Entry[]): readonly PlacedError[] {
  const named = new Map<string, string>();
  for (const { collection, item } of entries) {
    const id = String(item['id']);
    named.set(`${collection.name}\n${id}`, id);
    const key = collection.endpointKey === null ? undefined : item[collection.endpointKey];
    if (typeof key === 'string') named.set(`${collection.name}\n${key}`, id);
  }
  const faults: PlacedError[] = [];
  for (const { collection, item } of entries) {
    const key = collection.endpointKey === null ? undefined : item[collection.endpointKey];
    const at = typeof key === 'string' ? key : String(item['id']);
    let count = 0;
    for (const { field, to } of collection.foreign) {
      const value = item[field] ?? null;
      if (value === null) continue;
      const written = isJsonObject(value) ? value['id'] : value;
      const id = named.get(`${to}\n${String(written)}`);
      if (id !== undefined) item[field] = { id };
      else {
        faults.push(fault([collection.name, at, count], `${field} names nothing among ${to}`));
        count += 1;
      }
    }
  }
  return faults;
}

function fill(gateway: Gateway, entries: readonly Entry[], transform: boolean): Loaded {
  const store = new Store([...gateway.collections.values()]);
  const answered: { [kind: string]: Draft } = {};
  const snis = new Map<string, Json[]>();
  for (const { collection, item, hidden, parent } of entries) {
    const schema = recordSchemaOf(gateway.schemas, collection.name, item);
    const told: Draft = {};
    for (const [field, own] of Object.entries(schema?.fields ?? {})) {
      if (collection.name === 'keyauth_credentials' && field === 'ttl') continue;
      if (own.transient !== true) told[field] = item[field] ?? null;
    }
    if (schema === undefined) Object.assign(told, item);
    const id = String(item['id']);
    const kept = storedForm(collection, told);
    const stored: Stored = { ...(transform ? withHashes(gateway, collection, kept, () => true) : kept), id };
    store.put(collection.name, stored);
    if (hidden && parent !== null) {
      const list = snis.get(parent.id) ?? [];
      list.push({ ...told, _comment: null, _ignore: null });
      snis.set(parent.id, list);
    }
    if (collection.name === 'certificates') told['snis'] = snis.get(id) ?? null;
    const known = answered[collection.name] ?? {};
    known[id] = told;
    answered[collection.name] = known;
  }
  return { store, answered, count: entries.length };
}
