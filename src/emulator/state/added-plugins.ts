import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { RecordSchema, Schemas } from '../../schema/schema.ts';
import { parseServedSchema } from '../../schema/served.ts';

/** Plugins that an emulated Kong has beyond those of its release: the schemas, as Kong serves them, by name. */
export type AddedPlugins = { readonly [name: string]: Json };

/** The fields that every plugin has, for a schema that gives its `config` alone. */
const everyPlugin: readonly JsonObject[] = [
  { protocols: { type: 'set', elements: { type: 'string' }, default: ['grpc', 'grpcs', 'http', 'https'] } },
  { consumer: { type: 'foreign', reference: 'consumers' } },
];

/** Schemas with plugins that were added. Throws where one is no schema. */
export function withAddedPlugins(schemas: Schemas, added: AddedPlugins): Schemas {
  const names = Object.keys(added);
  if (names.length === 0) return schemas;
  const own = new Map<string, RecordSchema>();
  for (const name of names) {
    const record = parseServedSchema(complete(added[name]), name);
    if (record?.fields['config'] === undefined) throw new TypeError(`the schema of ${name} has no field "config"`);
    own.set(name, record);
  }
  return {
    ...schemas,
    plugin: (name) => own.get(name) ?? schemas.plugin(name),
    pluginNames: [...new Set([...schemas.pluginNames, ...names])].sort(),
  };
}

function complete(document: Json | undefined): Json | undefined {
  if (!isJsonObject(document)) return document;
  const fields = document['fields'];
  if (!Array.isArray(fields)) return document;
  const named = new Set(fields.flatMap((field) => (isJsonObject(field) ? Object.keys(field) : [])));
  return {
    ...document,
    fields: [...everyPlugin.filter((field) => !Object.keys(field).some((name) => named.has(name))), ...fields],
  };
}
