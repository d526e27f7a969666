import type { Entity } from './entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import { foreignKey, kinds, kindsInOrder } from './kinds.ts';
import type { State } from './state.ts';

/**
 * A state as the text of a DB-less Kong's declarative configuration: canonical JSON, one flat list a kind, an explicit
 * id for every entity, every reference as a bare id, SNIs at the top level (kong.md, "DB-less: POST /config"). Equal
 * states give equal bytes, and the MD5 of the text is what a node reports as `configuration_hash` after
 * `POST /config {"config": text}`. Kinds that a DB-less Kong does not take are left out.
 */
export function renderDbless(state: State): string {
  const document: { [key: string]: Json } = { _format_version: '3.0' };
  const links: JsonObject[] = [];
  for (const kind of kindsInOrder) {
    const key = kinds[kind.name].dbless;
    const entities = state.entities.get(kind.name) ?? [];
    if (key === null || entities.length === 0) continue;
    document[key] = entities.map((entity) => {
      if (entity.kind !== 'plugins') return flatForm(entity);
      links.push(...partialLinks(entity, state));
      const { partials: _, ...plugin } = flatForm(entity);
      return plugin;
    });
  }
  if (links.length > 0) document['plugins_partials'] = links;
  return canonicalJson(document);
}

/** An entity with its id and its references as bare ids. A reference to nothing keeps its text, for Kong to judge. */
function flatForm(entity: Entity): JsonObject {
  const flat: { [field: string]: Json } = { ...entity.fields, id: entity.id };
  const lists = new Map<string, Json[]>();
  for (const reference of entity.references) {
    const written = reference.id ?? reference.identity;
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
function partialLinks(plugin: Entity, state: State): readonly JsonObject[] {
  const partials = plugin.fields['partials'];
  if (!isJsonArray(partials)) return [];
  return partials.filter(isJsonObject).map((link) => {
    const { id, name, path } = link;
    const named = typeof name === 'string' ? state.byIdentity('partials', name)?.id : undefined;
    const partial = typeof id === 'string' ? id : (named ?? name ?? null);
    return { plugin: plugin.id, partial, ...(path === undefined ? {} : { path }) };
  });
}
