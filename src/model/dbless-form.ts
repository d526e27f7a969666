import type { Entity, Reference } from './entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import { foreignKey, kinds, kindsInOrder } from './kinds.ts';
import { allEntities, type State } from './state.ts';

/** How a state is written for a DB-less Kong. */
export interface DblessOptions {
  /** `all`: every entity with its id, every reference as an id. `given`: derived ids only where nothing else can be named. */
  readonly ids: 'all' | 'given';
}

/**
 * A state as the text of a DB-less Kong's declarative configuration: canonical JSON, one flat list a kind, an explicit
 * id for every entity, every reference as a bare id, SNIs at the top level (kong.md, "DB-less: POST /config"). Equal
 * states give equal bytes, and the MD5 of the text is what a node reports as `configuration_hash` after
 * `POST /config {"config": text}`. Kinds that a DB-less Kong does not take are left out. What people read rather than
 * nodes can do without derived ids.
 */
export function renderDbless(state: State, options: DblessOptions = { ids: 'all' }): string {
  const write = writer(state, options);
  const document: { [key: string]: Json } = { _format_version: '3.0' };
  const links: JsonObject[] = [];
  for (const kind of kindsInOrder) {
    const key = kinds[kind.name].dbless;
    const entities = state.entities.get(kind.name) ?? [];
    if (key === null || entities.length === 0) continue;
    document[key] = entities.map((entity) => {
      if (entity.kind !== 'plugins') return flatForm(entity, write);
      for (const one of partialLinks(entity, state, write)) links.push(one);
      const { partials: _, ...plugin } = flatForm(entity, write);
      return plugin;
    });
  }
  if (links.length > 0) document['plugins_partials'] = links;
  return canonicalJson(document);
}

interface Writer {
  /** Whether an entity is written with its id. */
  readonly hasId: (entity: Entity) => boolean;
  /** What a reference is written as. */
  readonly reference: (reference: Reference) => string;
  /** What names an entity. */
  readonly nameOf: (entity: Entity) => string;
}

function writer(state: State, { ids }: DblessOptions): Writer {
  const byId = (reference: Reference) => reference.id ?? reference.identity;
  if (ids === 'all') return { hasId: () => true, reference: byId, nameOf: ({ id }) => id };
  const nameOf = (entity: Entity) => (entity.idGiven ? entity.id : (referenceName(entity) ?? entity.id));
  const named = (reference: Reference) =>
    reference.resolved && reference.id !== null ? state.byId(reference.kind, reference.id) : undefined;
  const needed = new Set<Entity>();
  for (const entity of allEntities(state)) {
    if (entity.kind === 'plugins' && isJsonArray(entity.fields['partials'])) needed.add(entity);
    for (const reference of entity.references) {
      const to = named(reference);
      if (to !== undefined && referenceName(to) === null) needed.add(to);
    }
  }
  return {
    hasId: (entity) => entity.idGiven || needed.has(entity),
    reference: (reference) => {
      const to = named(reference);
      return to === undefined ? byId(reference) : nameOf(to);
    },
    nameOf,
  };
}

/** The name by which a reference of a declarative configuration can mean an entity: its kind's endpoint key in Kong. */
function referenceName({ kind, fields }: Entity): string | null {
  if (kind === 'plugins') return null;
  const name = fields[kind === 'consumers' ? 'username' : 'name'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** An entity with its references in it. A reference to nothing keeps its text, for Kong to judge. */
function flatForm(entity: Entity, write: Writer): JsonObject {
  const flat: { [field: string]: Json } = { ...entity.fields, ...(write.hasId(entity) ? { id: entity.id } : {}) };
  const lists = new Map<string, Json[]>();
  for (const reference of entity.references) {
    const written = write.reference(reference);
    if (foreignKey(entity.kind, reference.field)?.list === true) {
      const list = lists.get(reference.field);
      if (list === undefined) lists.set(reference.field, [written]);
      else list.push(written);
    } else flat[reference.field] = written;
  }
  for (const [field, list] of lists) flat[field] = list;
  return flat;
}

/** A plugin's links to partials, which DB-less Kong takes as a list of their own. */
function partialLinks(plugin: Entity, state: State, write: Writer): readonly JsonObject[] {
  const partials = plugin.fields['partials'];
  if (!isJsonArray(partials)) return [];
  return partials.filter(isJsonObject).map((link) => {
    const { id, name, path } = link;
    const named = typeof name === 'string' ? state.byIdentity('partials', name) : undefined;
    const partial = typeof id === 'string' ? id : named === undefined ? (name ?? null) : write.nameOf(named);
    return { plugin: plugin.id, partial, ...(path === undefined ? {} : { path }) };
  });
}
