import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { UniqueConstraint } from '../../model/kind.ts';
import type { Collection, ForeignField } from './collections.ts';

/** An entity as it is held: every field, references as `{"id": …}`, and its id. */
export interface Stored extends JsonObject {
  readonly id: string;
}

/** Why a write was not made. */
export type StoreConflict =
  | { readonly conflict: 'primary-key'; readonly id: string }
  | { readonly conflict: 'unique'; readonly constraint: UniqueConstraint }
  | { readonly conflict: 'foreign'; readonly key: ForeignField };

/** Why a delete was not made: who still names the entity. */
export interface StillReferenced {
  readonly by: Collection;
  readonly id: string;
  readonly list: boolean;
}

interface Table {
  readonly collection: Collection;
  readonly byId: Map<string, Stored>;
  /** Ids in order, brought up to date when a list is read. */
  ordered: string[];
  stale: boolean;
  readonly unique: readonly { readonly constraint: UniqueConstraint; readonly index: Map<string, string> }[];
  readonly children: ReadonlyMap<string, Map<string, Set<string>>>;
}

/** Entities of all collections, with indexes over ids, unique values and references. Nothing in it knows HTTP or Kong. */
export class Store {
  /** How many writes there were. */
  changes = 0;
  readonly #tables = new Map<string, Table>();
  readonly #referrers = new Map<string, { readonly from: Collection; readonly key: ForeignField }[]>();
  readonly #lists = new Map<string, { readonly from: Collection; readonly field: string }[]>();

  constructor(collections: readonly Collection[]) {
    for (const collection of collections) {
      this.#tables.set(collection.name, {
        collection,
        byId: new Map(),
        ordered: [],
        stale: false,
        unique: collection.unique.map((constraint) => ({ constraint, index: new Map() })),
        children: new Map(collection.foreign.map((key) => [key.field, new Map()])),
      });
      for (const key of collection.foreign) {
        const known = this.#referrers.get(key.to) ?? [];
        known.push({ from: collection, key });
        this.#referrers.set(key.to, known);
      }
      for (const list of collection.lists) {
        const known = this.#lists.get(list.to) ?? [];
        known.push({ from: collection, field: list.field });
        this.#lists.set(list.to, known);
      }
    }
  }

  /** How many entities there are, in one collection or in all. */
  count(name?: string): number {
    if (name !== undefined) return this.#tables.get(name)?.byId.size ?? 0;
    let sum = 0;
    for (const table of this.#tables.values()) sum += table.byId.size;
    return sum;
  }

  /** The entity with an id, in any letter case. */
  get(name: string, id: string): Stored | undefined {
    return this.#tables.get(name)?.byId.get(id.toLowerCase());
  }

  /** The entity with a value in a field that is unique by itself. */
  findUnique(name: string, field: string, value: Json): Stored | undefined {
    const table = this.#tables.get(name);
    const single = table?.unique.find(
      ({ constraint }) => constraint.fields.length === 1 && constraint.fields[0] === field,
    );
    const id = single?.index.get(keyPart(value));
    return id === undefined ? undefined : table?.byId.get(id);
  }

  /** All entities of a collection in order of their ids. */
  all(name: string): readonly Stored[] {
    return this.after(name, null, Number.POSITIVE_INFINITY);
  }

  /** Up to `limit` entities in order of their ids, from the one after the given id on. */
  after(name: string, id: string | null, limit: number): readonly Stored[] {
    const table = this.#tables.get(name);
    if (table === undefined) return [];
    const ids = inOrder(table);
    const from = id === null ? 0 : firstAfter(ids, id);
    const until = Math.min(ids.length, from + limit);
    const found: Stored[] = [];
    for (let index = from; index < until; index += 1) {
      const entity = table.byId.get(ids[index] ?? '');
      if (entity !== undefined) found.push(entity);
    }
    return found;
  }

  /** The entities that name a parent by a foreign key, in order of their ids. */
  childrenOf(name: string, field: string, parentId: string): readonly Stored[] {
    const table = this.#tables.get(name);
    const ids = table?.children.get(field)?.get(parentId);
    if (table === undefined || ids === undefined) return [];
    return [...ids].sort().flatMap((id) => table.byId.get(id) ?? []);
  }

  /** The first conflict that putting an entity in would meet: its id (when it is new), its unique values, its references. */
  conflictOf(name: string, entity: Stored, mode: 'insert' | 'replace'): StoreConflict | null {
    const table = this.#tables.get(name);
    if (table === undefined) return null;
    if (mode === 'insert' && table.byId.has(entity.id)) return { conflict: 'primary-key', id: entity.id };
    for (const { constraint, index } of table.unique) {
      const key = uniqueKey(constraint, entity);
      const holder = key === null ? undefined : index.get(key);
      if (holder !== undefined && holder !== entity.id) return { conflict: 'unique', constraint };
    }
    for (const key of table.collection.foreign) {
      const id = referenceId(entity[key.field]);
      if (id !== null && this.get(key.to, id) === undefined) return { conflict: 'foreign', key };
    }
    return null;
  }

  /** Puts an entity in, or replaces the one with its id. Conflicts are the caller's to look for first. */
  put(name: string, entity: Stored): void {
    const table = this.#tables.get(name);
    if (table === undefined) return;
    this.changes += 1;
    const known = table.byId.get(entity.id);
    if (known === undefined) table.stale = true;
    else unindex(table, known);
    table.byId.set(entity.id, entity);
    for (const { constraint, index } of table.unique) {
      const key = uniqueKey(constraint, entity);
      if (key !== null) index.set(key, entity.id);
    }
    for (const [field, parents] of table.children) {
      const parent = referenceId(entity[field]);
      if (parent === null) continue;
      const children = parents.get(parent);
      if (children === undefined) parents.set(parent, new Set([entity.id]));
      else children.add(entity.id);
    }
  }

  /** Who keeps an entity from being deleted: the first that names it and would not go with it. */
  keeperOf(name: string, id: string): StillReferenced | null {
    for (const { from, field } of this.#lists.get(name) ?? []) {
      for (const entity of this.#tables.get(from.name)?.byId.values() ?? []) {
        const list = entity[field];
        if (isJsonArray(list) && list.includes(id)) return { by: from, id: entity.id, list: true };
      }
    }
    for (const { from, key } of this.#referrers.get(name) ?? []) {
      if (key.onDelete !== 'refuse') continue;
      const [first] = this.#tables.get(from.name)?.children.get(key.field)?.get(id) ?? [];
      if (first !== undefined) return { by: from, id: first, list: false };
    }
    return null;
  }

  /** Takes an entity out, and all that goes with it. Whether it may go is the caller's to ask first. */
  remove(name: string, id: string): void {
    const table = this.#tables.get(name);
    const entity = table?.byId.get(id);
    if (table === undefined || entity === undefined) return;
    for (const { from, key } of this.#referrers.get(name) ?? []) {
      if (key.onDelete !== 'cascade') continue;
      const children = this.#tables.get(from.name)?.children.get(key.field)?.get(id);
      for (const child of [...(children ?? [])]) this.remove(from.name, child);
    }
    this.changes += 1;
    unindex(table, entity);
    table.byId.delete(id);
    table.stale = true;
  }
}

/** The id that a reference holds, in lower case; null where it is unset. */
export function referenceId(value: Json | undefined): string | null {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id.toLowerCase() : null;
}

function inOrder(table: Table): readonly string[] {
  if (table.stale) {
    table.ordered = [...table.byId.keys()].sort();
    table.stale = false;
  }
  return table.ordered;
}

function firstAfter(ids: readonly string[], id: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? '') <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unindex(table: Table, entity: Stored): void {
  for (const { constraint, index } of table.unique) {
    const key = uniqueKey(constraint, entity);
    if (key !== null && index.get(key) === entity.id) index.delete(key);
  }
  for (const [field, parents] of table.children) {
    const parent = referenceId(entity[field]);
    if (parent !== null) parents.get(parent)?.delete(entity.id);
  }
}

function uniqueKey(constraint: UniqueConstraint, entity: JsonObject): string | null {
  const values = constraint.fields.map((field) => entity[field] ?? null);
  const absent = values.filter((value) => value === null).length;
  if (absent === values.length || (absent > 0 && !constraint.nullsClash)) return null;
  return values.map(keyPart).join('\n');
}

function keyPart(value: Json): string {
  return referenceId(value) ?? JSON.stringify(value);
}
