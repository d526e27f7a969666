import type { Json, JsonObject } from '../../model/json.ts';
import type { FieldSchema, RecordFields, RecordSchema, Schemas } from '../../schema/schema.ts';

/** The types that Konnect serves a JSON Schema of (deck.md 5.3), and the kinds that they are. */
const types: { readonly [type: string]: { readonly kind: string; readonly wrapped?: true } } = {
  service: { kind: 'services' },
  route: { kind: 'routes' },
  upstream: { kind: 'upstreams' },
  target: { kind: 'targets' },
  consumer: { kind: 'consumers' },
  consumer_group: { kind: 'consumer_groups' },
  certificate: { kind: 'certificates' },
  ca_certificate: { kind: 'ca_certificates' },
  sni: { kind: 'snis' },
  vault: { kind: 'vaults' },
  key: { kind: 'keys' },
  'key-set': { kind: 'key_sets' },
  jwt: { kind: 'jwt_secrets', wrapped: true },
  'hmac-auth': { kind: 'hmacauth_credentials', wrapped: true },
  'basic-auth': { kind: 'basicauth_credentials', wrapped: true },
  'mtls-auth': { kind: 'mtls_auth_credentials', wrapped: true },
};

/**
 * The JSON Schema that a Konnect control plane serves of a type of entity, made from Kong's own schema; undefined where
 * there is none. A credential's is wrapped in `value`, and a vault's says for each of its types what `config` is.
 */
export function jsonSchemaOf(schemas: Schemas, type: string): JsonObject | undefined {
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  const record = known === undefined ? undefined : schemas.entity(known.kind);
  if (known === undefined || record === undefined) return undefined;
  const schema = { ...objectSchema(record.fields), ...(type === 'vault' ? vaultConfigs(schemas) : {}) };
  return known.wrapped === true ? { type: 'object', properties: { value: schema }, required: ['value'] } : schema;
}

function objectSchema(fields: RecordFields): JsonObject {
  const required = Object.entries(fields).flatMap(([name, field]) =>
    field.required === true && field.default === undefined && field.auto !== true ? [name] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

function vaultConfigs(schemas: Schemas): JsonObject {
  const names = ['aws', 'azure', 'conjur', 'env', 'gcp', 'hcv', 'konnect'];
  const found = names.flatMap((name): readonly (readonly [string, RecordSchema])[] => {
    const schema = schemas.vault(name);
    return schema === undefined ? [] : [[name, schema]];
  });
  return {
    allOf: found.map(([name, { fields }]) => ({
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
      then: { properties: { config: fields['config'] === undefined ? {} : fieldSchema(fields['config']) } },
      if: { properties: { name: { const: name } }, required: ['name'] },
    })),
  };
}

function fieldSchema(field: FieldSchema): JsonObject {
  const schema: { [key: string]: Json } = {};
  if (field.default !== undefined) schema['default'] = field.default;
  if (field.one_of !== undefined) schema['enum'] = field.one_of;
  if (field.between !== undefined) [schema['minimum'], schema['maximum']] = [...field.between];
  if (field.uuid === true) schema['format'] = 'uuid';
  switch (field.type) {
    case 'string':
    case 'function':
      return { type: 'string', ...schema, ...lengths(field, 'minLength', 'maxLength') };
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: field.type, ...schema };
    case 'array':
    case 'set':
      return {
        type: 'array',
        ...(field.elements === undefined ? {} : { items: fieldSchema(field.elements) }),
        ...(field.type === 'set' ? { uniqueItems: true } : {}),
        ...schema,
        ...lengths(field, 'minItems', 'maxItems'),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: field.values === undefined ? true : fieldSchema(field.values),
        ...schema,
      };
    case 'record':
      return field.fields === undefined ? { type: 'object', ...schema } : { ...objectSchema(field.fields), ...schema };
    case 'foreign':
      return { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false, ...schema };
    case 'json':
    case 'any':
      return schema;
    default:
      return field.type satisfies never;
  }
}

function lengths(field: FieldSchema, least: string, most: string): JsonObject {
  return {
    ...(field.len_min === undefined ? {} : { [least]: field.len_min }),
    ...(field.len_max === undefined ? {} : { [most]: field.len_max }),
  };
}
