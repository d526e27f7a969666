import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { knownShorthandPaths } from '../known-shorthands.ts';
import type { FieldSchema, RecordSchema, ShorthandField, SupportedPartial } from '../schema.ts';

/** The plugins of many versions (documents/versions.ts). */
export interface VersionStore {
  /** The versions that there are documents of, oldest first. */
  readonly versions: readonly string[];
  /** The plugins of a version, by name; of the nearest older one where there is no document of it. */
  readonly pluginNames: (version: string) => readonly string[];
  readonly plugin: (version: string, name: string) => RecordSchema | undefined;
}

/**
 * Reads the store of plugin schemas, in which every distinct field is kept once and names others by number. Fields are
 * made when first asked for, and shared.
 */
export function openVersionStore(document: JsonObject): VersionStore {
  const nodes = isJsonArray(document['nodes']) ? document['nodes'] : [];
  const plugins = isJsonObject(document['plugins']) ? document['plugins'] : {};
  const versions = isJsonArray(document['versions']) ? document['versions'].map(String) : [];
  const made = new Map<number, FieldSchema>();
  const field = (index: Json | undefined): FieldSchema => {
    const number = Number(index);
    const known = made.get(number);
    if (known !== undefined) return known;
    const result = expand(nodes[number], field);
    made.set(number, result);
    return result;
  };
  const placesOf = (name: string): JsonObject => {
    const places = Object.hasOwn(plugins, name) ? plugins[name] : undefined;
    return isJsonObject(places) ? places : {};
  };
  return {
    versions,
    pluginNames: (version) => {
      const at = nearestVersion(versions, version);
      return Object.keys(plugins).filter((name) => placesOf(name)[at] !== undefined);
    },
    plugin: (version, name) => {
      const index = placesOf(name)[nearestVersion(versions, version)];
      return index === undefined ? undefined : asRecord(field(index), nodes[Number(index)]);
    },
  };
}

/** The version itself, else the newest that is older, else the oldest there is. */
export function nearestVersion(versions: readonly string[], version: string): string {
  return versions.findLast((candidate) => minor(candidate) <= minor(version)) ?? versions[0] ?? version;
}

/** The second number of a version such as `3.9`. */
export function minor(version: string): number {
  return Number(version.split('.')[1] ?? 0);
}

function expand(node: Json | undefined, field: (index: Json | undefined) => FieldSchema): FieldSchema {
  if (!isJsonObject(node)) return { type: 'any' };
  const { fields, elements, keys, values, shorthand_fields: shorthands, ...rest } = node;
  const parts: { -readonly [K in keyof FieldSchema]?: FieldSchema[K] } = {};
  if (isJsonObject(fields)) {
    parts.fields = Object.fromEntries(Object.entries(fields).map(([name, index]) => [name, field(index)]));
  }
  if (elements !== undefined) parts.elements = field(elements);
  if (keys !== undefined) parts.keys = field(keys);
  if (values !== undefined) parts.values = field(values);
  if (isJsonArray(shorthands)) {
    parts.shorthand_fields = shorthands.filter(isJsonObject).map((shorthand) => {
      const { name, paths, ...others } = shorthand as unknown as ShorthandField;
      const said = paths.length > 0 ? paths : knownShorthandPaths(name, parts.fields ?? {});
      return { ...others, name, paths: said, schema: field(shorthand['schema']) };
    });
  }
  const expanded = { ...(rest as unknown as FieldSchema), ...parts };
  // Documents say of no record whether it may be null; dumps of real Kongs have null for some.
  return expanded.type === 'record' && expanded.required === true ? { ...expanded, nullable: true } : expanded;
}

function asRecord(field: FieldSchema, node: Json | undefined): RecordSchema {
  const partials = isJsonObject(node) ? node['supported_partials'] : undefined;
  const { config, ...others } = field.fields ?? {};
  return {
    fields: config === undefined ? others : { ...others, config: { ...config, nullable: false } },
    entity_checks: field.entity_checks ?? [],
    shorthand_fields: field.shorthand_fields ?? [],
    ...(partials === undefined ? {} : { supported_partials: partials as unknown as readonly SupportedPartial[] }),
  };
}
