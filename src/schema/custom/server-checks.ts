import { isJsonObject, type Json, type JsonObject, jsonEqual, valueAt } from '../../model/json.ts';
import type { Fault } from '../fault.ts';

/**
 * What a stored value is computed from: `input` and `needs` must come together, and anew when what is needed changes
 * (kong.md: PATCH of a basic-auth password). No schema that Kong serves states it.
 */
const transformations: {
  readonly [kind: string]: { readonly input: readonly string[]; readonly needs: readonly string[] };
} = {
  basicauth_credentials: { input: ['password'], needs: ['consumer.id'] },
};

/** What a server finds when it computes what it stores, or null; `known` is the entity that `given` changes, or null. */
export function transformationFault(kind: string, given: JsonObject, known: JsonObject | null): Fault | null {
  const rule = transformations[kind];
  if (rule === undefined) return null;
  const read = (from: JsonObject, field: string): Json | undefined => valueAt(from, field.split('.'));
  const isSet = (field: string) => {
    const value = read(given, field) ?? null;
    return value !== null && value !== '' && !(isJsonObject(value) && Object.keys(value).length === 0);
  };
  const needsChanged = known !== null && rule.needs.some((field) => !jsonEqual(read(given, field), read(known, field)));
  if (!needsChanged && !rule.input.some(isSet)) return null;
  const all = [...rule.input, ...rule.needs];
  const set = all.filter(isSet).length;
  if (set === 0 || set === all.length) return null;
  const basis = all.map((field) => field.split('.'));
  const message = `all of these fields or none must be set: ${all.join(', ')}`;
  return { path: [], code: 'mutually-required', message, hint: '', ofEntity: true, basis };
}

/** What plugins are set to that needs a database (kong.md, "Plugin configs refused in DB-less"). */
const databaseSettings: {
  readonly [plugin: string]: { readonly field: string; readonly value: string; readonly ofEntity: boolean };
} = {
  'rate-limiting': { field: 'policy', value: 'cluster', ofEntity: false },
  'response-ratelimiting': { field: 'policy', value: 'cluster', ofEntity: false },
  acme: { field: 'storage', value: 'kong', ofEntity: true },
};

/** What a DB-less node refuses of a plugin that a gateway with a database takes; null where nothing. */
export function databaseFault(plugin: JsonObject): Fault | null {
  const { name, config } = plugin;
  const known = typeof name === 'string' && Object.hasOwn(databaseSettings, name);
  const setting = known ? databaseSettings[name] : undefined;
  if (setting === undefined || !isJsonObject(config) || config[setting.field] !== setting.value) return null;
  const message = `"${setting.value}" needs a database, which this node has not`;
  const path = ['config', setting.field];
  return {
    path: setting.ofEntity ? [] : path,
    code: 'database',
    message,
    hint: '',
    ofEntity: setting.ofEntity,
    basis: [path],
  };
}
