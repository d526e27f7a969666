import type { Entity, Reference } from '../model/entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { State } from '../model/state.ts';
import type { Matching } from './match.ts';

/**
 * The partials that a plugin of the target state links, with the ids that the destination knows them by in the place of
 * names: a name goes on to another partial when the id behind it changes, and the link has to go with it. What names
 * nothing known stays as it is written; undefined where the plugin links none.
 */
export function linksToSend(plugin: Entity, matching: Matching): readonly Json[] | undefined {
  const links = plugin.fields['partials'];
  if (plugin.kind !== 'plugins' || !isJsonArray(links)) return undefined;
  return links.map((link) => {
    if (!isJsonObject(link)) return link;
    const reference = referenceOf(link);
    const id = reference === null ? null : matching.idOfReference(reference);
    return id === null ? link : withId(link, id);
  });
}

/**
 * Normal forms of one plugin, live and wanted, whose links to partials can be compared: by the ids that the destination
 * knows, in one order, and with the place that the server filled in where none is written.
 */
export function comparableLinks(
  sides: { readonly live: JsonObject; readonly target: JsonObject },
  plugin: Entity,
  matching: Matching,
): { readonly live: JsonObject; readonly target: JsonObject } {
  const wanted = linksToSend(plugin, matching);
  const found = sides.live['partials'];
  if (plugin.kind !== 'plugins' || (wanted === undefined && found === undefined)) return sides;
  const live = (isJsonArray(found) ? found : []).map((link) => {
    if (!isJsonObject(link)) return link;
    // What others own is known by its id alone.
    const id = typeof link['id'] === 'string' ? link['id'] : livePartial(link, matching.live)?.id;
    return id === undefined ? link : withId(link, id);
  });
  const target = (wanted ?? []).map((link) => {
    if (!isJsonObject(link) || (link['path'] ?? null) !== null) return link;
    const same = live.filter((other) => isJsonObject(other) && other['id'] === link['id']);
    const [one] = same;
    return same.length === 1 && isJsonObject(one) ? { ...link, path: one['path'] ?? null } : link;
  });
  return { live: withLinks(sides.live, live), target: withLinks(sides.target, target) };
}

/** The target entities that a plugin's links name, as far as the target state has them. */
export function partialsOf(plugin: Entity, matching: Matching): readonly Entity[] {
  return linksIn(plugin).flatMap((link) => {
    const reference = referenceOf(link);
    return (reference === null ? undefined : matching.referent(reference)) ?? [];
  });
}

/** The live partials that a live plugin uses. */
export function livePartialsOf(plugin: Entity, live: State): readonly Entity[] {
  return linksIn(plugin).flatMap((link) => livePartial(link, live) ?? []);
}

function linksIn(plugin: Entity): readonly JsonObject[] {
  const links = plugin.kind === 'plugins' ? plugin.fields['partials'] : undefined;
  return isJsonArray(links) ? links.filter(isJsonObject) : [];
}

function livePartial({ id, name }: JsonObject, live: State): Entity | undefined {
  if (typeof id === 'string') return live.byId('partials', id);
  return typeof name === 'string' ? live.byIdentity('partials', name) : undefined;
}

function referenceOf({ id, name }: JsonObject): Reference | null {
  const link = { field: 'partials', index: null, kind: 'partials', resolved: false } as const;
  if (typeof id === 'string') return { ...link, identity: id, id };
  return typeof name === 'string' ? { ...link, identity: name, id: null } : null;
}

function withId(link: JsonObject, id: string): JsonObject {
  const { name: _, ...rest } = link;
  return { ...rest, id };
}

function withLinks(fields: JsonObject, links: readonly Json[]): JsonObject {
  const { partials: _, ...rest } = fields;
  if (links.length === 0) return rest;
  const inOrder = links
    .map((link) => (isJsonObject(link) ? withoutNulls(link) : link))
    .map((link) => ({ link, text: canonicalJson(link) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return { ...rest, partials: inOrder.map(({ link }) => link) };
}

function withoutNulls(link: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(link).filter(([, value]) => value !== null));
}
