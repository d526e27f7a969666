import type { Document } from '../../manifest/document.ts';
import type { JsonObject, JsonPath } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { Location } from '../../model/location.ts';

/** A value with its place. */
export interface Placed<T> {
  readonly value: T;
  readonly location: Location;
}

/** A mapping that other places of the files take values from. */
export interface SharedObject {
  readonly document: Document;
  readonly path: JsonPath;
  readonly value: JsonObject;
}

/** What decK files say about themselves, all files taken together. */
export interface DeckInfo {
  readonly formatVersion: Placed<string> | null;
  readonly workspace: Placed<string> | null;
  /** The control plane that the files are for, by `_konnect`. */
  readonly controlPlane: Placed<string> | null;
  /** The select tags of all files, sorted, each once. */
  readonly selectTags: readonly Placed<string>[];
  /** Kinds of which others own entities that these files may name, with the tags that those carry. */
  readonly lookupTags: ReadonlyMap<KindName, readonly string[]>;
  /** Defaults that the files give, by kind. */
  readonly defaults: ReadonlyMap<KindName, SharedObject>;
  /** What `_config` may name. */
  readonly sharedConfigs: ReadonlyMap<string, SharedObject>;
}
