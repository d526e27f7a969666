import type { ApiPaths, Kind, UniqueConstraint } from '../../model/kind.ts';
import { isKindName, kindsInOrder } from '../../model/kinds.ts';
import type { Schemas } from '../../schema/schema.ts';

/** A foreign key that holds one entity. */
export interface ForeignField {
  readonly field: string;
  /** The collection that is named. */
  readonly to: string;
  readonly required: boolean;
  readonly onDelete: 'cascade' | 'refuse';
}

/** One collection of the emulated server: a kind of the registry, or one of the few that only plugins write. */
export interface Collection {
  readonly name: string;
  readonly singular: string;
  /** The path of the collection, in segments; null where it is only reached under a parent. */
  readonly path: readonly string[] | null;
  /** The last segments of the collection's path under each parent, by foreign key. Absent: it is not nested there. */
  readonly nested: ReadonlyMap<string, readonly string[]>;
  /** The field by which the Admin API takes an entity instead of its id. */
  readonly endpointKey: string | null;
  readonly foreign: readonly ForeignField[];
  /** Fields that hold ids of another collection, which is kept from being deleted under them. */
  readonly lists: readonly { readonly field: string; readonly to: string }[];
  readonly unique: readonly UniqueConstraint[];
  /** The key under which a DB-less node takes the collection. */
  readonly declarative: string | null;
}

/** Kong's endpoint keys (kong.md, "Identity"); certificates go by any of their SNIs, acls by group under a consumer. */
const endpointKeys: { readonly [kind: string]: string } = {
  services: 'name',
  routes: 'name',
  consumers: 'username',
  consumer_groups: 'name',
  upstreams: 'name',
  snis: 'name',
  key_sets: 'name',
  keys: 'name',
  vaults: 'prefix',
  plugins: 'instance_name',
  keyauth_credentials: 'key',
  basicauth_credentials: 'username',
  hmacauth_credentials: 'username',
  jwt_secrets: 'key',
  oauth2_credentials: 'client_id',
  targets: 'target',
  filter_chains: 'name',
  partials: 'name',
  rbac_roles: 'name',
  custom_plugins: 'name',
  cloned_plugins: 'name',
  ai_models: 'name',
};

/** Collections that have no entry in the registry of kinds, because plugins fill them, not people. */
const pluginCollections: readonly Collection[] = [
  pluginCollection('acme_storage', 'acme_storage', ['key']),
  pluginCollection('sessions', 'session', ['session_id']),
  pluginCollection(
    'oauth2_tokens',
    'oauth2_token',
    ['access_token', 'refresh_token'],
    [
      { field: 'credential', to: 'oauth2_credentials', required: true, onDelete: 'cascade' },
      { field: 'service', to: 'services', required: false, onDelete: 'cascade' },
    ],
  ),
];

/** What an Enterprise gateway has beside the kinds of the registry: who may do what. */
const accessCollections: readonly Collection[] = [
  { ...pluginCollection('rbac_users', 'rbac_user', ['name']), path: ['rbac', 'users'], declarative: null },
  {
    ...pluginCollection(
      'rbac_user_roles',
      'rbac_user_role',
      [],
      [
        { field: 'user', to: 'rbac_users', required: true, onDelete: 'cascade' },
        { field: 'role', to: 'rbac_roles', required: true, onDelete: 'cascade' },
      ],
    ),
    // Reached over the user only, and in a form of its own (kong/user-roles.ts).
    path: null,
    nested: new Map(),
    declarative: null,
  },
  {
    ...pluginCollection(
      'rbac_role_entities',
      'rbac_role_entity',
      [],
      [{ field: 'role', to: 'rbac_roles', required: true, onDelete: 'cascade' }],
    ),
    path: null,
    nested: new Map([['role', ['entities']]]),
    declarative: null,
  },
];

/** The minor version with which an Enterprise gateway got a kind (deck.md 6); the AI Gateway's are in no 3.x. */
const since: { readonly [kind: string]: number } = {
  partials: 10,
  custom_plugins: 15,
  cloned_plugins: 15,
  ai_models: Number.POSITIVE_INFINITY,
};

function isThere(kind: Kind, schemas: Schemas, api: 'admin' | 'konnect'): boolean {
  if (kind.edition === 'oss') return true;
  if (schemas.edition !== 'enterprise') return false;
  const minor = /^\d+\.(\d+)/.exec(schemas.version ?? '')?.[1];
  return api === 'konnect' || minor === undefined || Number(minor) >= (since[kind.name] ?? 0);
}

/** The collections that a server of this edition and version has, parents before children, at the paths of one API. */
export function collectionsOf(schemas: Schemas, api: 'admin' | 'konnect' = 'admin'): readonly Collection[] {
  const kinds = kindsInOrder
    .filter((kind) => isThere(kind, schemas, api))
    .flatMap((kind) => {
      const paths = kind[api];
      return paths === null ? [] : [collectionOf(schemas, kind, paths)];
    });
  if (api === 'konnect') return kinds;
  return [...kinds, ...pluginCollections, ...(schemas.edition === 'enterprise' ? accessCollections : [])];
}

function collectionOf(schemas: Schemas, kind: Kind, paths: ApiPaths): Collection {
  const fields = schemas.entity(kind.name)?.fields;
  const has = (field: string) => fields === undefined || Object.hasOwn(fields, field);
  const foreign = kind.foreign
    .filter((key) => !key.list && has(key.field))
    .map((key) => ({ field: key.field, to: key.kind, required: key.required, onDelete: key.onDelete }));
  const own = paths.nested?.path.split('/');
  const below = own?.slice(own.indexOf('{parent}') + 1);
  const flat = paths.flat?.split('/') ?? null;
  const nested = new Map<string, readonly string[]>();
  for (const key of foreign) {
    const segments = key.field === kind.parent ? (below ?? flat) : flat;
    if (segments !== null) nested.set(key.field, segments);
  }
  const unique = kind.unique.map((constraint) => ({ ...constraint, fields: constraint.fields.filter(has) }));
  if (kind.name === 'ca_certificates') unique.push({ fields: ['cert_digest'], nullsClash: false });
  return {
    name: kind.name,
    singular: kind.singular,
    path: flat,
    nested,
    endpointKey: endpointKeys[kind.name] ?? null,
    foreign,
    lists: kind.foreign.filter((key) => key.list && has(key.field)).map((key) => ({ field: key.field, to: key.kind })),
    unique,
    declarative: kind.dbless,
  };
}

function pluginCollection(
  name: string,
  singular: string,
  unique: readonly string[],
  foreign: readonly ForeignField[] = [],
): Collection {
  return {
    name,
    singular,
    path: [name],
    nested: new Map(foreign.map(({ field }) => [field, [name]])),
    endpointKey: unique[0] ?? null,
    foreign,
    lists: [],
    unique: unique.map((field) => ({ fields: [field], nullsClash: false })),
    declarative: name,
  };
}

/** Whether a collection's entities can carry tags. */
export function carriesTags(collection: Collection, schemas: Schemas): boolean {
  const fields = schemas.entity(collection.name)?.fields;
  if (fields !== undefined) return Object.hasOwn(fields, 'tags');
  return isKindName(collection.name) && kindsInOrder.some((kind) => kind.name === collection.name && kind.tags);
}
