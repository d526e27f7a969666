import type { Entity } from '../model/entity.ts';
import { isJsonArray, isJsonObject, type Json } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { allEntities, type State } from '../model/state.ts';

/** What an entity cannot be right without. */
export interface Need {
  readonly entity: Entity;
  /** Whether it is what the entity is attached to: a plugin's scope, a credential's consumer. */
  readonly attached: boolean;
}

/** Who needs whom in one state. */
export interface NeedGraph {
  readonly needs: (entity: Entity) => readonly Need[];
  /** The entities that need this one, and how. */
  readonly neededBy: (entity: Entity) => readonly Need[];
}

/**
 * The dependencies of a state: every reference, and what is named without one. A service's host may be an upstream;
 * a plugin may name a fallback consumer, partials, keys and certificates by id, or be made by a custom plugin; and any
 * field may point into a vault (`{vault://prefix/…}`).
 */
export function needGraph(state: State): NeedGraph {
  const needs = new Map<Entity, readonly Need[]>();
  const neededBy = new Map<Entity, Need[]>();
  const find = namesIn(state);
  for (const entity of allEntities(state)) {
    const own = needsOf(entity, state, find).filter((need) => need.entity !== entity);
    if (own.length === 0) continue;
    needs.set(entity, own);
    for (const need of own) {
      const back = { entity, attached: need.attached };
      const list = neededBy.get(need.entity);
      if (list === undefined) neededBy.set(need.entity, [back]);
      else list.push(back);
    }
  }
  return { needs: (entity) => needs.get(entity) ?? [], neededBy: (entity) => neededBy.get(entity) ?? [] };
}

/** The foreign keys of what is attached to something, rather than made with it. */
const attachments: { readonly [K in KindName]?: readonly string[] } = {
  plugins: ['service', 'route', 'consumer', 'consumer_group'],
  filter_chains: ['service', 'route'],
  acls: ['consumer'],
  consumer_group_consumers: ['consumer', 'consumer_group'],
};

function needsOf(entity: Entity, state: State, find: NameIndex): readonly Need[] {
  const found: Need[] = [];
  const attached = attachments[entity.kind] ?? [];
  for (const reference of entity.references) {
    const to = (reference.id === null ? undefined : state.byId(reference.kind, reference.id)) ?? undefined;
    const named = to ?? state.byIdentity(reference.kind, reference.identity);
    if (named !== undefined) found.push({ entity: named, attached: attached.includes(reference.field) });
  }
  const soft = [...softNeeds(entity, find), ...vaultNeeds(entity, find)];
  for (const other of soft) found.push({ entity: other, attached: false });
  return found;
}

interface NameIndex {
  readonly upstream: ReadonlyMap<string, Entity>;
  readonly vault: ReadonlyMap<string, Entity>;
  readonly consumer: ReadonlyMap<string, Entity>;
  readonly partial: ReadonlyMap<string, Entity>;
  readonly pluginCode: ReadonlyMap<string, Entity>;
  readonly byId: ReadonlyMap<string, Entity>;
}

/** Kinds that the text of a plugin's configuration may name by id. */
const namedById: readonly KindName[] = [
  'ca_certificates',
  'certificates',
  'consumers',
  'consumer_groups',
  'keys',
  'key_sets',
  'partials',
  'upstreams',
];

function namesIn(state: State): NameIndex {
  const by = (kind: KindName, ...fields: readonly string[]) => {
    const index = new Map<string, Entity>();
    for (const field of fields) {
      for (const entity of state.entities.get(kind) ?? []) {
        const name = entity.fields[field];
        if (typeof name === 'string' && !index.has(name)) index.set(name, entity);
      }
    }
    return index;
  };
  const ids = namedById.flatMap((kind) =>
    (state.entities.get(kind) ?? []).map((entity) => [entity.id, entity] as const),
  );
  return {
    upstream: by('upstreams', 'name'),
    vault: by('vaults', 'prefix'),
    consumer: by('consumers', 'username', 'custom_id'),
    partial: by('partials', 'name'),
    pluginCode: new Map([...by('custom_plugins', 'name'), ...by('cloned_plugins', 'name')]),
    byId: new Map(ids),
  };
}

function softNeeds(entity: Entity, find: NameIndex): readonly Entity[] {
  const { fields } = entity;
  const one = (index: ReadonlyMap<string, Entity>, name: Json | undefined) => {
    const found = typeof name === 'string' ? index.get(name) : undefined;
    return found === undefined ? [] : [found];
  };
  if (entity.kind === 'services') return one(find.upstream, fields['host']);
  if (entity.kind !== 'plugins') return [];
  const { config, partials } = fields;
  const links = isJsonArray(partials) ? partials.filter(isJsonObject) : [];
  const texts = [...textsIn(config)].map((text) => text.toLowerCase());
  return [
    ...one(find.pluginCode, fields['name']),
    ...(isJsonObject(config) ? one(find.consumer, config['anonymous']) : []),
    ...links.flatMap((link) => [...one(find.partial, link['name']), ...one(find.byId, link['id'])]),
    ...texts.flatMap((text) => one(find.byId, text)),
  ];
}

const vaultReference = /\{vault:\/\/([^/}]+)\//g;

function vaultNeeds(entity: Entity, find: NameIndex): readonly Entity[] {
  if (find.vault.size === 0) return [];
  const found = new Set<Entity>();
  for (const text of textsIn(entity.fields)) {
    for (const [, prefix = ''] of text.matchAll(vaultReference)) {
      const vault = find.vault.get(prefix);
      if (vault !== undefined) found.add(vault);
    }
  }
  return [...found];
}

function* textsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (isJsonArray(value)) for (const item of value) yield* textsIn(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) yield* textsIn(item);
}
