import type { Json, JsonObject } from '../model/json.ts';

/** A pattern of Lua's language, as Kong's schemas state them. */
export interface LuaMatch {
  readonly pattern: string;
}

/**
 * A field in Kong's schema language, with the words taken out. What a served document says beyond this is kept out;
 * what it lacks is absent.
 */
export interface FieldSchema {
  readonly type:
    | 'string'
    | 'integer'
    | 'number'
    | 'boolean'
    | 'array'
    | 'set'
    | 'map'
    | 'record'
    | 'foreign'
    | 'json'
    | 'function'
    | 'any';
  readonly required?: boolean;
  /** Takes null although it is filled where it is missing: its document does not say whether it is required. */
  readonly nullable?: boolean;
  readonly default?: Json;
  /** Made by the server where it is left out. */
  readonly auto?: boolean;
  readonly unique?: boolean;
  readonly encrypted?: boolean;
  readonly referenceable?: boolean;
  readonly uuid?: boolean;
  readonly eq?: Json;
  readonly ne?: Json;
  readonly gt?: number;
  readonly between?: readonly [number, number];
  readonly one_of?: readonly Json[];
  readonly not_one_of?: readonly Json[];
  readonly len_eq?: number;
  readonly len_min?: number;
  readonly len_max?: number;
  readonly starts_with?: string;
  readonly match?: string;
  readonly not_match?: string;
  readonly match_all?: readonly LuaMatch[];
  readonly match_any?: { readonly patterns: readonly string[] };
  readonly match_none?: readonly LuaMatch[];
  readonly contains?: Json;
  readonly is_regex?: boolean;
  readonly elements?: FieldSchema;
  readonly keys?: FieldSchema;
  readonly values?: FieldSchema;
  readonly reference?: string;
  readonly on_delete?: string;
  readonly mutually_exclusive_subsets?: Json;
  /** A point in time, in seconds since 1970; must be above zero. */
  readonly timestamp?: boolean;
  /** Taken and checked, but no part of the stored entity (a certificate's `snis`). */
  readonly transient?: boolean;
  /** Filled in by the schema of a plugin or vault. */
  readonly abstract?: boolean;
  /** Of a record. */
  readonly fields?: RecordFields;
  readonly entity_checks?: readonly JsonObject[];
  readonly shorthand_fields?: readonly ShorthandField[];
  /** Replaced by other fields; still accepted. */
  readonly deprecated?: boolean;
}

/** The fields of a record in the order in which the schema lists them. */
export type RecordFields = { readonly [name: string]: FieldSchema };

/**
 * A field that stands for others (`redis_host` for `redis.host`). `paths` are where its value goes, from the record it
 * stands in; none where the document does not say. `answered` says that Kong answers the old field beside the new ones
 * and refuses two that differ.
 */
export interface ShorthandField {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly paths: readonly (readonly string[])[];
  readonly answered?: boolean;
}

/** The schema of an entity, a plugin (with its `config`), a vault or a partial. */
export interface RecordSchema {
  readonly fields: RecordFields;
  readonly entity_checks: readonly JsonObject[];
  readonly shorthand_fields: readonly ShorthandField[];
  /** Where a plugin takes partials: the types, and the places in it (`config.redis`) that each may fill. */
  readonly supported_partials?: readonly SupportedPartial[];
}

/** A type of partial that a plugin takes, and the places in the plugin that it may fill. */
export interface SupportedPartial {
  readonly type: string;
  readonly paths: readonly string[];
}

/** All schemas that one Kong version, or one destination, has. */
export interface Schemas {
  /** Such as `3.9`; null where it was not asked. */
  readonly version: string | null;
  readonly edition: 'oss' | 'enterprise';
  readonly router: 'traditional' | 'traditional_compatible' | 'expressions';
  /** The schema of a kind's entities, by the kind's name; undefined where none is known. */
  readonly entity: (kind: string) => RecordSchema | undefined;
  /** The schema of a plugin: `config`, `protocols`, and the scopes it may have; undefined where there is no such plugin. */
  readonly plugin: (name: string) => RecordSchema | undefined;
  /**
   * Where `plugin` is that of several versions at once: the schemas of the single versions, newest first. One of them
   * has to take the whole configuration.
   */
  readonly pluginVersions?: (name: string) => readonly RecordSchema[];
  readonly vault: (name: string) => RecordSchema | undefined;
  readonly partial: (type: string) => RecordSchema | undefined;
  /** Names of all plugins there are, sorted. */
  readonly pluginNames: readonly string[];
  /** Whether the configuration assumes them, rather than that a Kong was asked; false where it is left out. */
  readonly assumed?: boolean;
  /**
   * Where it is only assumed that the Kong is open source, since nothing says which edition it is: the schemas that it has
   * if it is not.
   */
  readonly orEnterprise?: Schemas;
  /**
   * Where a destination was asked: what it answered by now at a path under `/schemas/`, and `withheld` where its user
   * may not read it.
   */
  readonly answered?: (path: string) => RecordSchema | 'withheld' | undefined;
}
