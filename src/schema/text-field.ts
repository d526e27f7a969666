import type { JsonObject, JsonPath } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { entitySchema } from './entity-schema.ts';
import type { FieldSchema, RecordFields, Schemas, ShorthandField } from './schema.ts';

/** Whether Kong takes a text, and nothing else, in a field of an entity, given by its path. */
export function isTextField(schemas: Schemas, kind: KindName, fields: JsonObject, path: JsonPath): boolean {
  const schema = entitySchema(schemas, kind, fields);
  if (schema === undefined) return false;
  const [first, ...rest] = path;
  const top = first === undefined ? undefined : member(schema.fields, schema.shorthand_fields, String(first));
  return rest.reduce<FieldSchema | undefined>(below, top)?.type === 'string';
}

function below(field: FieldSchema | undefined, step: string | number): FieldSchema | undefined {
  switch (field?.type) {
    case 'record':
      return member(field.fields ?? {}, field.shorthand_fields ?? [], String(step));
    case 'array':
    case 'set':
      return typeof step === 'number' || /^\d+$/.test(step) ? field.elements : undefined;
    case 'map':
      return field.values;
    default:
      return undefined;
  }
}

function member(fields: RecordFields, shorthands: readonly ShorthandField[], name: string): FieldSchema | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return shorthands.find((shorthand) => shorthand.name === name)?.schema;
}
