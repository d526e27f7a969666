import type { JsonObject } from './json.ts';

/** Every kind of entity, by the name of its collection in Kong's data model. */
export type KindName =
  | 'services'
  | 'routes'
  | 'consumers'
  | 'consumer_groups'
  | 'consumer_group_consumers'
  | 'keyauth_credentials'
  | 'basicauth_credentials'
  | 'hmacauth_credentials'
  | 'jwt_secrets'
  | 'oauth2_credentials'
  | 'acls'
  | 'mtls_auth_credentials'
  | 'plugins'
  | 'upstreams'
  | 'targets'
  | 'certificates'
  | 'snis'
  | 'ca_certificates'
  | 'vaults'
  | 'keys'
  | 'key_sets'
  | 'filter_chains'
  | 'partials'
  | 'licenses'
  | 'rbac_roles'
  | 'rbac_role_endpoints'
  | 'degraphql_routes'
  | 'graphql_ratelimiting_cost_decorations'
  | 'custom_plugins'
  | 'cloned_plugins'
  | 'ai_models';

/**
 * A field that names another entity. `list` is a field that holds several (a service's `ca_certificates`).
 * `wire` is how the Admin API takes it: `{"id": …}` or the bare id. `onDelete` says what a server does with this
 * entity when the one it names is deleted: it goes too, or the delete is refused.
 */
export interface ForeignKey {
  readonly field: string;
  readonly kind: KindName;
  readonly required: boolean;
  readonly list: boolean;
  readonly wire: 'object' | 'id';
  readonly onDelete: 'cascade' | 'refuse';
}

/**
 * Fields whose values, taken together, one entity of the kind at most may have; a foreign key counts as the entity it
 * names. Where every field is absent or null there is nothing to clash. `nullsClash` makes an absent part a value like
 * any other once one field is there (a plugin's scope; a key's set).
 */
export interface UniqueConstraint {
  readonly fields: readonly string[];
  readonly nullsClash: boolean;
}

/** What an identity is computed from: an entity's fields, and the identities around it. */
export interface IdentitySource {
  readonly fields: JsonObject;
  /** The identity of the entity that a foreign key names; the text as written where that is unknown; null where unset. */
  readonly foreign: (field: string) => string | null;
  /** The names of the SNIs that belong to this certificate, sorted. Empty for every other kind. */
  readonly snis: readonly string[];
}

/**
 * Where a kind lives in an HTTP API. `flat` is the collection's path, `nested` its path under a parent (with `{parent}`
 * for the parent's id), each without a leading slash. A list is read from `flat` where there is one, else under every
 * parent; writes go to `write`.
 */
export interface ApiPaths {
  readonly flat: string | null;
  readonly nested: { readonly parent: string; readonly path: string } | null;
  readonly write: 'flat' | 'nested';
  /**
   * How an entity is put in place: `put` by id creates or replaces; `target` is POST to create and PATCH to change
   * (Kong's targets, which PUT never creates); `post` is POST to create and PATCH to change by id; `membership` is POST
   * of a consumer to a group, and nothing to change.
   */
  readonly verb: 'put' | 'target' | 'post' | 'membership';
}

/** Where a kind may be written in a decK file. */
export interface DeckForm {
  /** The key at the top of a file that lists the kind, in decK's form or in that of a DB-less Kong. */
  readonly topLevel: string | null;
  /** The keys under parents that list the kind as children. `field` is the foreign key that nesting sets. */
  readonly nested: readonly { readonly parent: KindName; readonly key: string; readonly field: string }[];
}

/** All that is particular to one kind of entity. Every consumer of the registry reads it from here. */
export interface Kind {
  readonly name: KindName;
  /** What Kong calls one of them in error trees (`flattened_errors[].entity_type`). */
  readonly singular: string;
  /** What people call one of them. */
  readonly label: string;
  readonly edition: 'oss' | 'enterprise';
  /** Creation order: an entity names only entities of lower levels. Deletion goes the other way. */
  readonly level: number;
  readonly foreign: readonly ForeignKey[];
  /** The foreign key to the entity that this one belongs to and is shown under, or null. */
  readonly parent: string | null;
  /** The natural key (DESIGN.md 3a), or null where the fields do not give one. */
  readonly identity: (source: IdentitySource) => string | null;
  /** What people read instead of the identity where that holds a digest of a secret; null shows the identity. */
  readonly shownAs: 'identity' | 'parent-and-id';
  /** The name of the kind in go-kong's scheme of derived ids. */
  readonly idNamespace: string;
  readonly unique: readonly UniqueConstraint[];
  /** JSON pointers into the fields whose values are secret; `*` stands for any run of characters within one step. */
  readonly secrets: readonly string[];
  /** JSON pointers of arrays whose order means nothing. */
  readonly sets: readonly string[];
  /** Fields that the server makes and that are never compared. */
  readonly serverMade: readonly string[];
  /** Whether entities of the kind can carry tags. */
  readonly tags: boolean;
  readonly deck: DeckForm;
  /** The Admin API's paths. */
  readonly admin: ApiPaths;
  /** Konnect's paths under `core-entities/`, or null where Konnect has no such kind. */
  readonly konnect: ApiPaths | null;
  /** The kind's key in a DB-less Kong's declarative configuration, or null where it takes none. */
  readonly dbless: string | null;
}
