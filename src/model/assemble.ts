import { derivedId, isUuid } from './derived-id.ts';
import type { Entity, Reference } from './entity.ts';
import { canonicalJson, isJsonArray, type Json, type JsonObject } from './json.ts';
import type { ForeignKey, KindName } from './kind.ts';
import { sha256 } from './kind-parts.ts';
import { kinds } from './kinds.ts';
import { fileLocation, type Source } from './location.ts';
import { type State, stateOf } from './state.ts';

/**
 * What a foreign key was written to name: another raw entity (by nesting), an id, a natural key (a service's name, a
 * consumer's username or custom_id), or a text that may be either.
 */
export type RawTarget =
  | { readonly entity: RawEntity }
  | { readonly id: string }
  | { readonly name: string }
  | { readonly nameOrId: string };

/** A foreign key as written. `index` is the place in a field that holds a list, else null. */
export interface RawReference {
  readonly field: string;
  readonly index: number | null;
  readonly to: RawTarget;
  /** Whether what it names was written by way of the environment; false where it is left out. */
  readonly fromEnvironment?: boolean;
}

/** An entity as a dialect wrote it or a server answered it, before names, ids and references are worked out. */
export interface RawEntity {
  readonly kind: KindName;
  readonly id: string | null;
  readonly fields: JsonObject;
  readonly references: readonly RawReference[];
  readonly made: JsonObject;
  readonly fromEnvironment: ReadonlyMap<string, string>;
  readonly source: Source | null;
}

/** What holds for all entities that are assembled together. */
export interface AssembleOptions {
  /** The workspace, which enters derived ids; null or `default` for none. */
  readonly workspace: string | null;
  /** Tags that every entity that can carry tags is given. */
  readonly selectTags: readonly string[];
}

/**
 * The state that raw entities make up: identities and ids worked out, references resolved against the whole set,
 * whatever the order they came in. Nothing is refused here: what clashes or names nothing is in the state for the
 * rules to report.
 */
export function assemble(raw: readonly RawEntity[], options: AssembleOptions): State {
  const lookup = rawLookup(raw);
  const memo = new Map<RawEntity, string>();
  const snis = sniNames(raw, lookup);

  const identityOf = (entity: RawEntity): string => {
    const known = memo.get(entity);
    if (known !== undefined) return known;
    memo.set(entity, fallbackIdentity(entity));
    const identity =
      kinds[entity.kind].identity({
        fields: entity.fields,
        foreign: (field) => {
          const reference = entity.references.find((candidate) => candidate.field === field);
          if (reference === undefined) return null;
          const found = findRaw(lookup, entity.kind, reference);
          return found === undefined ? writtenTarget(reference.to) : identityOf(found);
        },
        snis: snis.get(entity) ?? [],
      }) ?? fallbackIdentity(entity);
    const apart = isNamesake(lookup, entity, identity) ? `custom_id/${identity}` : identity;
    memo.set(entity, apart);
    return apart;
  };
  const idOf = (entity: RawEntity): string =>
    entity.id?.toLowerCase() ?? derivedId(entity.kind, identityOf(entity), options.workspace);

  const toReference = (entity: RawEntity, reference: RawReference): Reference | null => {
    const key = foreignKeyOf(entity.kind, reference.field);
    if (key === undefined) return null;
    const found = findRaw(lookup, entity.kind, reference);
    return {
      field: reference.field,
      index: reference.index,
      kind: key.kind,
      identity: found === undefined ? writtenTarget(reference.to) : identityOf(found),
      id: found === undefined ? writtenId(reference.to) : idOf(found),
      resolved: found !== undefined,
      ...(reference.fromEnvironment === true ? { fromEnvironment: true } : {}),
    };
  };

  const entities = raw.map((entity): Entity => {
    const identity = identityOf(entity);
    const id = idOf(entity);
    const references = entity.references
      .map((reference) => toReference(entity, reference))
      .filter((reference) => reference !== null);
    return {
      kind: entity.kind,
      id,
      idGiven: entity.id !== null,
      identity,
      name: shownName(entity, identity, id, references),
      fields: withTags(entity, options.selectTags),
      references,
      made: entity.made,
      fromEnvironment: entity.fromEnvironment,
      source: entity.source,
    };
  });
  return stateOf(entities, options.selectTags);
}

/** What raw entities can be found by. */
export interface RawLookup {
  readonly byId: ReadonlyMap<KindName, ReadonlyMap<string, RawEntity>>;
  readonly byName: ReadonlyMap<KindName, ReadonlyMap<string, RawEntity>>;
}

/** The fields by which the Admin API lets an entity be named in a reference; the first that fits wins. */
const naturalNames: { readonly [K in KindName]?: readonly string[] } = {
  consumers: ['username', 'custom_id'],
  vaults: ['prefix'],
};

/** A look-up of raw entities by given id and by natural key; of several that fit, the first. */
export function rawLookup(raw: readonly RawEntity[]): RawLookup {
  const byId = new Map<KindName, Map<string, RawEntity>>();
  const byName = new Map<KindName, Map<string, RawEntity>>();
  const put = (index: Map<KindName, Map<string, RawEntity>>, entity: RawEntity, key: string) => {
    const known = index.get(entity.kind);
    if (known === undefined) index.set(entity.kind, new Map([[key, entity]]));
    else if (!known.has(key)) known.set(key, entity);
  };
  for (const entity of raw) if (entity.id !== null) put(byId, entity, entity.id.toLowerCase());
  const rounds = Math.max(...Object.values(naturalNames).map((fields) => fields.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const entity of raw) {
      const field = (naturalNames[entity.kind] ?? ['name'])[round];
      const name = field === undefined ? undefined : entity.fields[field];
      if (typeof name === 'string') put(byName, entity, name);
    }
  }
  return { byId, byName };
}

/** The raw entity that a reference of an entity of this kind means, or undefined where there is none. */
export function findRaw(lookup: RawLookup, kind: KindName, reference: RawReference): RawEntity | undefined {
  const to = reference.to;
  if ('entity' in to) return to.entity;
  const key = foreignKeyOf(kind, reference.field);
  if (key === undefined) return undefined;
  const byId = (id: string) => lookup.byId.get(key.kind)?.get(id.toLowerCase());
  const byName = (name: string) => lookup.byName.get(key.kind)?.get(name);
  if ('id' in to) return byId(to.id);
  if ('name' in to) return byName(to.name);
  return byId(to.nameOrId) ?? byName(to.nameOrId);
}

function foreignKeyOf(kind: KindName, field: string): ForeignKey | undefined {
  return kinds[kind].foreign.find((key) => key.field === field);
}

function writtenTarget(to: RawTarget): string {
  if ('entity' in to) return '';
  if ('id' in to) return to.id.toLowerCase();
  return 'name' in to ? to.name : to.nameOrId;
}

function writtenId(to: RawTarget): string | null {
  if ('id' in to) return to.id.toLowerCase();
  return 'nameOrId' in to && isUuid(to.nameOrId) ? to.nameOrId.toLowerCase() : null;
}

function sniNames(raw: readonly RawEntity[], lookup: RawLookup): ReadonlyMap<RawEntity, readonly string[]> {
  const names = new Map<RawEntity, string[]>();
  for (const sni of raw) {
    if (sni.kind !== 'snis') continue;
    const name = sni.fields['name'];
    const reference = sni.references.find((candidate) => candidate.field === 'certificate');
    const certificate = reference === undefined ? undefined : findRaw(lookup, 'snis', reference);
    if (certificate === undefined || typeof name !== 'string') continue;
    const list = names.get(certificate);
    if (list === undefined) names.set(certificate, [name]);
    else list.push(name);
  }
  for (const list of names.values()) list.sort();
  return names;
}

/** Whether a consumer known by its custom_id bears what is another one's username: Kong takes the two for different. */
function isNamesake(lookup: RawLookup, entity: RawEntity, identity: string): boolean {
  if (entity.kind !== 'consumers' || entity.fields['custom_id'] !== identity) return false;
  const named = lookup.byName.get('consumers')?.get(identity);
  return named !== undefined && named !== entity && named.fields['username'] === identity && !hasUsername(entity);
}

function hasUsername(consumer: RawEntity): boolean {
  const username = consumer.fields['username'];
  return typeof username === 'string' && username !== '';
}

/** Keeps what has no natural key (and is reported for it) apart from all else. */
function fallbackIdentity(entity: RawEntity): string {
  if (entity.id !== null) return `#${entity.id.toLowerCase()}`;
  const place = entity.source?.location ?? fileLocation('');
  return `#${sha256(`${canonicalJson(entity.fields)}\n${place.file}:${place.line}:${place.column}`).slice(0, 16)}`;
}

function shownName(entity: RawEntity, identity: string, id: string, references: readonly Reference[]): string {
  const kind = kinds[entity.kind];
  if (identity.startsWith('#')) return id;
  if (kind.shownAs === 'identity') return identity;
  const parent = references.find((reference) => reference.field === kind.parent)?.identity;
  const word = entity.kind === 'keyauth_credentials' ? 'key-auth' : kind.singular;
  return [...(parent === undefined ? [] : [parent]), word, id.slice(0, 8)].join('/');
}

function withTags(entity: RawEntity, selectTags: readonly string[]): JsonObject {
  if (selectTags.length === 0 || !kinds[entity.kind].tags) return entity.fields;
  const written = entity.fields['tags'];
  if (written !== undefined && written !== null && !isJsonArray(written)) return entity.fields;
  const tags: Json[] = [...(written ?? [])];
  for (const tag of selectTags) if (!tags.includes(tag)) tags.push(tag);
  return { ...entity.fields, tags };
}
