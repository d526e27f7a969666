import { dump } from 'js-yaml';
import { type Entity, type Reference, referenceOf } from '../../model/entity.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey } from '../../model/kinds.ts';
import { allEntities, type State } from '../../model/state.ts';
import { customKinds } from './custom-entities.ts';
import { withoutNulls } from './deep-merge.ts';
import { currentFormat } from './format-version.ts';
import { placementOf, referenced, referenceName } from './placement.ts';

/** What files say about themselves and a state does not hold: needed to read it again as it was meant. */
export interface RenderHeader {
  /** Written as `_workspace`, unless null or the default one. */
  readonly workspace?: string | null;
  /** Written as `_konnect`, unless null. */
  readonly controlPlane?: string | null;
  /** Written as `_info.default_lookup_tags`. */
  readonly lookupTags?: ReadonlyMap<KindName, readonly string[]>;
}

/** How a state is written as decK. */
export interface RenderOptions extends RenderHeader {
  /** Whether derived ids are written too; given ones always are. */
  readonly ids: boolean;
}

/** One decK document, as text, with the content of `renderDeck`. Equal states give equal text. */
export function renderDeckYaml(state: State, options: RenderOptions): string {
  return dump(renderDeck(state, options), { lineWidth: -1, noRefs: true });
}

/**
 * A state as one decK document: children under their parents, references by name where there is one, lists in order of
 * identity, keys in a fixed order. Reading it again gives an equal state.
 */
export function renderDeck(state: State, options: RenderOptions): JsonObject {
  const bodies = new Map<Entity, Body>();
  const top = new Map<string, JsonObject[]>();
  const needIds = entitiesNamedById(state);
  const entities = allEntities(state);
  for (const entity of entities) bodies.set(entity, { fields: {}, lists: new Map() });
  for (const entity of entities) {
    const isAsked = options.ids && !withoutIdInDeck.has(entity.kind);
    const writeId = isAsked || entity.idGiven || needIds.has(entity);
    const { under, key, fields } = write(entity, state, writeId, options);
    const body = bodies.get(entity);
    if (body !== undefined) body.fields = fields;
    const lists = (under === null ? undefined : bodies.get(under)?.lists) ?? top;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [fields]);
    else list.push(fields);
  }
  // Children are put into the objects that their parents' lists already hold.
  for (const body of bodies.values()) {
    for (const key of [...body.lists.keys()].sort()) body.fields[key] = body.lists.get(key) ?? [];
  }
  return { ...header(state, options), ...topLists(top) };
}

/** Kinds of which decK takes no id (deck.md 1.4). */
const withoutIdInDeck: ReadonlySet<KindName> = new Set(['rbac_role_endpoints']);

interface Body {
  fields: { [field: string]: Json };
  readonly lists: Map<string, JsonObject[]>;
}

interface Written {
  readonly under: Entity | null;
  readonly key: string;
  readonly fields: { [field: string]: Json };
}

function header(state: State, options: RenderOptions): JsonObject {
  const definitions = state.entities.has('custom_plugins') || state.entities.has('cloned_plugins');
  const lookupTags = [...(options.lookupTags ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const info: JsonObject = {
    ...(lookupTags.length === 0 ? {} : { default_lookup_tags: Object.fromEntries(lookupTags) }),
    ...(state.selectTags.length === 0 ? {} : { select_tags: state.selectTags }),
    ...(definitions ? { include_plugin_definitions: true } : {}),
  };
  const workspace = options.workspace ?? 'default';
  return {
    _format_version: currentFormat,
    ...(workspace === 'default' ? {} : { _workspace: workspace }),
    ...(typeof options.controlPlane === 'string' ? { _konnect: { control_plane_name: options.controlPlane } } : {}),
    ...(Object.keys(info).length === 0 ? {} : { _info: info }),
  };
}

/** The order in which people look for things; what is not named comes after, by name. */
const topOrder = ['services', 'routes', 'plugins', 'consumers', 'consumer_groups', 'upstreams', 'certificates'];

function topLists(top: ReadonlyMap<string, JsonObject[]>): JsonObject {
  const rank = (key: string) => (topOrder.includes(key) ? topOrder.indexOf(key) : topOrder.length);
  const keys = [...top.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, top.get(key) ?? []]));
}

function write(entity: Entity, state: State, writeId: boolean, options: RenderOptions): Written {
  if (entity.kind === 'consumer_group_consumers') return writeMembership(entity, state, options);
  if (customKinds.includes(entity.kind)) return writeCustom(entity, state, writeId);
  const placement = placementOf(entity, state);
  const references = writeReferences(entity, state, placement.under === null ? null : placement.field);
  const fields = inOrder({ ...withoutNulls(entity.fields), ...references }, writeId ? entity.id : null);
  return { under: placement.under, key: placement.key, fields };
}

/**
 * A membership stands among the consumer's groups; where the consumer is looked up, among the group's consumers; else in
 * a list that a DB-less Kong has.
 */
function writeMembership(entity: Entity, state: State, { lookupTags }: RenderOptions): Written {
  const group = referenceOf(entity, 'consumer_group');
  const consumer = referenceOf(entity, 'consumer');
  const under = consumer === undefined ? undefined : referenced(state, consumer);
  if (under !== undefined && group !== undefined) {
    return { under, key: 'groups', fields: objectForm(group, state) };
  }
  const owner = group === undefined ? undefined : referenced(state, group);
  // Without lookup tags, what a group lists is declared by it.
  if (owner !== undefined && consumer !== undefined && lookupTags?.has('consumers') === true) {
    return { under: owner, key: 'consumers', fields: objectForm(consumer, state) };
  }
  const fields: { [field: string]: Json } = {};
  for (const reference of entity.references) fields[reference.field] = textForm(reference, state);
  return { under: null, key: 'consumer_group_consumers', fields };
}

function writeCustom(entity: Entity, state: State, writeId: boolean): Written {
  const fields: { [field: string]: Json } = { ...entity.fields };
  for (const reference of entity.references) fields[reference.field] = objectForm(reference, state);
  return {
    under: null,
    key: 'custom_entities',
    fields: { type: entity.kind, ...(writeId ? { id: entity.id } : {}), fields: sorted(fields) },
  };
}

/** References in decK's forms (deck.md 1.4), but for the one that nesting says. */
function writeReferences(entity: Entity, state: State, nestedField: string | null): JsonObject {
  const written: { [field: string]: Json } = {};
  for (const reference of entity.references) {
    if (reference.field === nestedField) continue;
    if (foreignKey(entity.kind, reference.field)?.list === true) {
      const list = written[reference.field];
      written[reference.field] = [...(isJsonArray(list) ? list : []), textForm(reference, state)];
    } else {
      written[reference.field] = objectFormKinds.has(entity.kind)
        ? objectForm(reference, state)
        : textForm(reference, state);
    }
  }
  return written;
}

/** The kinds whose references decK writes as `{name: …}` or `{id: …}`; others are bare texts. */
const objectFormKinds: ReadonlySet<KindName> = new Set(['routes', 'upstreams', 'mtls_auth_credentials', 'keys']);

function textForm(reference: Reference, state: State): string {
  const entity = referenced(state, reference);
  if (entity === undefined) return reference.id ?? reference.identity;
  return referenceName(entity) ?? entity.id;
}

function objectForm(reference: Reference, state: State): { [field: string]: Json } {
  const entity = referenced(state, reference);
  const name = entity === undefined ? (reference.id === null ? reference.identity : null) : referenceName(entity);
  if (name === null) return { id: entity?.id ?? reference.id };
  return { [reference.kind === 'consumers' ? 'username' : 'name']: name };
}

/** Entities that something names and that have no name: their ids have to be written, derived or not. */
function entitiesNamedById(state: State): ReadonlySet<Entity> {
  const needed = new Set<Entity>();
  for (const entity of allEntities(state)) {
    const isMembership = entity.kind === 'consumer_group_consumers';
    const placement = isMembership ? null : placementOf(entity, state);
    for (const reference of entity.references) {
      if (isMembership && reference.field === 'consumer') continue;
      if (placement !== null && placement.under !== null && placement.field === reference.field) continue;
      const named = referenced(state, reference);
      if (named !== undefined && referenceName(named) === null) needed.add(named);
    }
  }
  return needed;
}

/** Fields that say which entity this is, in the order in which they stand before all others. */
const leading = ['name', 'username', 'custom_id', 'target', 'prefix', 'group'];

function inOrder(fields: JsonObject, id: string | null): { [field: string]: Json } {
  const ordered: { [field: string]: Json } = {};
  for (const field of leading) {
    const value = fields[field];
    if (value !== undefined) ordered[field] = value;
  }
  if (id !== null) ordered['id'] = id;
  for (const field of Object.keys(fields).sort()) {
    const value = fields[field];
    if (value !== undefined && !leading.includes(field)) setOwn(ordered, field, sorted(value));
  }
  return ordered;
}

/** A value with the keys of every mapping in order. */
function sorted(value: Json): Json {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const ordered: { [key: string]: Json } = {};
  for (const key of Object.keys(value).sort()) setOwn(ordered, key, sorted(value[key] ?? null));
  return ordered;
}
