import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { didYouMean } from '../model/suggest.ts';
import { type CheckOptions, checkRecord } from './check.ts';
import { normalForm } from './compare.ts';
import { extraChecks } from './custom/extra-checks.ts';
import { comparable, prepareEntity, storedForm, urlFault } from './custom/transformations.ts';
import { fillDefaults } from './defaults.ts';
import { entitySchema, pluginSchemaVersions } from './entity-schema.ts';
import type { Fault } from './fault.ts';
import type { RecordFields, RecordSchema, Schemas } from './schema.ts';

/**
 * Checks one entity, written as the Admin API takes it, as a server with these schemas would: by the document, and by
 * what Kong checks that no document states. An unknown plugin, vault or partial type is a fault of the field that names
 * it. Nothing is known of a kind without a schema, and nothing is found.
 */
export function checkEntity(
  schemas: Schemas,
  kind: KindName,
  value: JsonObject,
  options: Omit<CheckOptions, 'extra'> = {},
): readonly Fault[] {
  const schema = entitySchema(schemas, kind, value);
  if (schema === undefined) return [];
  const wrongUrl = urlFault(kind, value);
  if (wrongUrl !== null) return [wrongUrl];
  const prepared = prepareEntity(kind, value);
  const filledElsewhere = kind === 'plugins' ? partialPlaces(schema, prepared) : [];
  const check = (by: RecordSchema) => {
    const found = checkRecord(by, prepared, { ...options, extra: extraChecks(by, kind, prepared, schemas.router) });
    return filledElsewhere.length === 0 ? found : found.filter((fault) => !isWanting(fault, filledElsewhere));
  };
  const common = check(schema);
  const faults = common.length > 0 || kind !== 'plugins' ? common : fewest(versionsOf(schemas, prepared), check);
  const unknown = unknownType(schemas, kind, prepared);
  return unknown === null ? faults : [unknown, ...faults];
}

/**
 * An entity as Kong stores it: shorthands moved, defaults filled in, and what else the server changes on write (a
 * target's address, for one). What the server makes up itself (ids, times, secrets) stays missing.
 */
export function fillEntity(schemas: Schemas, kind: KindName, value: JsonObject): JsonObject {
  const schema = entitySchema(schemas, kind, value);
  if (schema === undefined) return value;
  const prepared = prepareEntity(kind, value);
  return storedForm(kind, prepared, fillDefaults(schema, prepared));
}

/**
 * The form in which two versions of an entity are compared (see normalForm), with what is particular to its kind.
 * `written` is the entity as the target state has it, whichever side is brought into form.
 */
export function normalEntity(
  schemas: Schemas,
  kind: KindName,
  value: JsonObject,
  written: JsonObject = value,
): JsonObject {
  const prepared = prepareEntity(kind, value);
  const schema = entitySchema(schemas, kind, value);
  if (schema === undefined) return prepared;
  const stored = storedForm(kind, prepared, fillDefaults(schema, prepared));
  return comparable(kind, normalForm(schema, stored, { written: prepareEntity(kind, written) }), written);
}

/** The schemas of single versions, one of which has to take the plugin. */
function versionsOf(schemas: Schemas, { name }: JsonObject): readonly RecordSchema[] {
  return typeof name === 'string' ? pluginSchemaVersions(schemas, name) : [];
}

/** The faults by the schema that finds the fewest; of equals the first, and none as soon as one finds none. */
function fewest(schemas: readonly RecordSchema[], check: (schema: RecordSchema) => readonly Fault[]): readonly Fault[] {
  let least: readonly Fault[] | null = null;
  for (const schema of schemas) {
    const faults = check(schema);
    if (faults.length === 0) return faults;
    if (least === null || faults.length < least.length) least = faults;
  }
  return least ?? [];
}

/**
 * Where a plugin's partials fill in its configuration: the places written, else all that it may take partials at. Where
 * the schema does not say (it does since 3.11), those that a Redis can stand at, which is what the first partials were.
 */
function partialPlaces(schema: RecordSchema, plugin: JsonObject): readonly string[] {
  const links = plugin['partials'];
  if (!isJsonArray(links)) return [];
  const all = schema.supported_partials?.flatMap(({ paths }) => paths) ?? redisPlaces(schema.fields, []);
  return links.flatMap((link) => {
    const path = isJsonObject(link) ? link['path'] : undefined;
    return typeof path === 'string' ? [path] : all;
  });
}

function redisPlaces(fields: RecordFields, path: readonly string[]): readonly string[] {
  return Object.entries(fields).flatMap(([name, { type, fields: inner }]) => {
    if (type !== 'record' || inner === undefined) return [];
    const at = [...path, name];
    return name === 'redis' ? [at.join('.')] : redisPlaces(inner, at);
  });
}

/** Whether something is only missing that a partial brings. */
function isWanting(fault: Fault, places: readonly string[]): boolean {
  if (fault.code !== 'required' && fault.code !== 'conditional') return false;
  const isBrought = (path: JsonPath) => {
    const field = path.join('.');
    return places.some((place) => field === place || field.startsWith(`${place}.`));
  };
  // A server tells of a condition a second time, as a fault of the whole.
  if (fault.ofEntity && fault.path.length === 0) return (fault.basis ?? []).some(isBrought);
  return isBrought(fault.path);
}

function unknownType(schemas: Schemas, kind: KindName, value: JsonObject): Fault | null {
  switch (kind) {
    case 'plugins':
      return typeFault('name', value['name'], schemas.plugin, 'plugin', schemas.pluginNames);
    case 'vaults':
      return typeFault('name', value['name'], schemas.vault, 'vault type', []);
    case 'partials':
      return typeFault('type', value['type'], schemas.partial, 'partial type', []);
    default:
      return null;
  }
}

function typeFault(
  field: string,
  name: Json | undefined,
  lookUp: (name: string) => unknown,
  what: string,
  known: readonly string[],
): Fault | null {
  if (typeof name !== 'string' || name === '' || lookUp(name) !== undefined) return null;
  const message = `there is no ${what} "${name}" here`;
  return {
    path: [field],
    code: `unknown-${what.replace(' ', '-')}`,
    message,
    hint: didYouMean(name, known),
    ofEntity: false,
  };
}
