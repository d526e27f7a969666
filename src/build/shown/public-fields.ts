import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, ownValue } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey } from '../../model/kinds.ts';
import { isSecretField, type SecretPattern, secretPatterns } from '../../model/secret.ts';
import { type FillableRecord, fillable } from '../../schema/defaults.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import type { FieldSchema, RecordSchema, Schemas } from '../../schema/schema.ts';
import { secretPaths } from '../../schema/secret-paths.ts';

/** Told of each value that is not known to be public, by its path. */
export type Hide = (path: JsonPath) => void;

/** Kinds of which a value of another type than the schema's may be a secret in the wrong place. */
const bearers: ReadonlySet<KindName> = new Set([
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'mtls_auth_credentials',
  'certificates',
  'keys',
  'vaults',
  'licenses',
  'plugins',
  'partials',
]);

/** Whether entities of a kind hold secrets, so that what stands in place of one may be a secret itself. */
function bearsSecrets(kind: KindName): boolean {
  return bearers.has(kind) || secretPatterns(kind).length > 0;
}

/** Whether a text holds what may be a user name and a password of an address. */
export function mayHoldUserinfo(value: Json): boolean {
  return typeof value === 'string' && /[:/][^@\s]*@/.test(value);
}

/**
 * Hides of an entity's own fields (`own` of `written`) what is not known to be public: a field that the schema has and
 * does not call secret, with a value of its type. References are public.
 */
export function hideFields(
  schemas: Schemas,
  kind: KindName,
  written: JsonObject,
  own: Iterable<string>,
  path: JsonPath,
  hide: Hide,
): void {
  const schema = entitySchema(schemas, kind, written);
  const walk: Walk = { kind, secrets: schema === undefined ? [] : secretPatternsOf(schema), hide };
  for (const field of own) {
    const value = written[field] ?? null;
    if (foreignKey(kind, field) !== undefined || isKept(field, value)) continue;
    hideField(walk, schema === undefined ? undefined : fieldOf(schema, field), value, [...path, field], [field]);
  }
}

/** Fields that every entity may have and none has a secret in. */
function isKept(field: string, value: Json): boolean {
  if (field === 'tags') return isJsonArray(value) && value.every((tag) => typeof tag === 'string');
  return (field === 'id' && typeof value === 'string') || (madeAt.includes(field) && typeof value === 'number');
}

const madeAt = ['created_at', 'updated_at'];

interface Walk {
  readonly kind: KindName;
  readonly secrets: readonly SecretPattern[];
  readonly hide: Hide;
}

const patternsBySchema = new WeakMap<RecordSchema, readonly SecretPattern[]>();

function secretPatternsOf(schema: RecordSchema): readonly SecretPattern[] {
  const known = patternsBySchema.get(schema);
  if (known !== undefined) return known;
  const patterns = secretPaths(schema).map((pointer) => pointer.slice(1).split('/'));
  patternsBySchema.set(schema, patterns);
  return patterns;
}

function fieldOf(record: FillableRecord, name: string): FieldSchema | undefined {
  return ownValue(record.fields, name) ?? record.shorthand_fields?.find((shorthand) => shorthand.name === name)?.schema;
}

/** `at` is the path within the entity. */
function hideField(walk: Walk, field: FieldSchema | undefined, value: Json, path: JsonPath, at: JsonPath): void {
  if (value === null) return;
  if (field === undefined || isSecret(walk, at)) {
    walk.hide(path);
    return;
  }
  const { elements, values } = field;
  if (isJsonArray(value)) {
    if (field.type !== 'array' && field.type !== 'set') walk.hide(path);
    else for (const [index, item] of value.entries()) hideField(walk, elements, item, [...path, index], [...at, index]);
  } else if (isJsonObject(value)) {
    const record = field.type === 'record' && field.fields !== undefined ? fillable(field) : null;
    if (record === null && field.type !== 'map') walk.hide(path);
    else {
      for (const [key, inner] of Object.entries(value)) {
        hideField(walk, record === null ? values : fieldOf(record, key), inner, [...path, key], [...at, key]);
      }
    }
  } else if (mayHoldUserinfo(value) || !fits(field, value, bearsSecrets(walk.kind))) walk.hide(path);
}

function isSecret({ kind, secrets }: Walk, at: JsonPath): boolean {
  if (isSecretField(kind, at)) return true;
  return secrets.some(
    (pattern) => pattern.length <= at.length && pattern.every((step, index) => step === '*' || step === at[index]),
  );
}

/** Whether a scalar is of a field's type; where there are no secrets near, any scalar for any other. */
function fits({ type }: FieldSchema, value: boolean | number | string, nearSecrets: boolean): boolean {
  switch (type) {
    case 'boolean':
      return !nearSecrets || typeof value === 'boolean';
    case 'integer':
    case 'number':
      return !nearSecrets || typeof value === 'number';
    case 'string':
      return !nearSecrets || typeof value === 'string';
    case 'foreign':
      return true;
    case 'array':
    case 'set':
    case 'map':
    case 'record':
    case 'json':
    case 'function':
    case 'any':
      return false;
  }
}

/** Whether a value anywhere at a path of a plugin's configuration is public in every plugin that has such a field. */
export function isPublicInEveryPlugin(schemas: Schemas, config: JsonPath): boolean {
  let found = false;
  for (const name of schemas.pluginNames) {
    const schema = entitySchema(schemas, 'plugins', { name });
    if (schema === undefined) continue;
    const at: JsonPath = ['config', ...config];
    const field = at.reduce<FieldSchema | undefined>(
      (current, step) => (current === undefined ? undefined : inside(current, step)),
      { type: 'record', fields: schema.fields },
    );
    if (field === undefined) continue;
    if (isSecret({ kind: 'plugins', secrets: secretPatternsOf(schema), hide: () => undefined }, at)) return false;
    if (field.type !== 'map' && field.type !== 'record' && field.type !== 'any' && field.type !== 'json') found = true;
  }
  return found;
}

function inside(field: FieldSchema, step: string | number): FieldSchema | undefined {
  if (typeof step === 'number') return field.elements;
  return field.type === 'map' ? field.values : fieldOf(fillable(field), step);
}
