import { nestings } from '../../dialect/deck/nesting.ts';
import { isCode } from '../../model/code-fields.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, ownValue } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey } from '../../model/kinds.ts';
import { isSecretField, type SecretPattern, secretPatterns } from '../../model/secret.ts';
import { nearestWord } from '../../model/suggest.ts';
import { type FillableRecord, fillable } from '../../schema/defaults.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import type { FieldSchema, RecordSchema, Schemas } from '../../schema/schema.ts';
import { secretPaths } from '../../schema/secret-paths.ts';
import { enterpriseKinds } from '../../schema/versions/enterprise.ts';

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
  const schema = knownSchema(schemas, kind, written);
  const plugin = kind === 'plugins' ? String(written['name']) : '';
  const walk: Walk = { kind, plugin, schemas, secrets: schema === undefined ? [] : secretPatternsOf(schema), hide };
  for (const field of own) {
    const value = written[field] ?? null;
    if (foreignKey(kind, field) !== undefined || isKept(field, value)) continue;
    const known = schema === undefined ? undefined : (fieldOf(schema, field) ?? meantField(schema, kind, field));
    hideField(walk, known, value, [...path, field], [field]);
  }
}

/** The schema of an entity; of what an open-source Kong does not have, that which another edition has. */
function knownSchema(schemas: Schemas, kind: KindName, written: JsonObject): RecordSchema | undefined {
  const { orEnterprise } = schemas;
  const isOther = kind === 'plugins' && schemas.plugin(String(written['name'])) === undefined;
  const own = entitySchema(schemas, kind, written);
  if (orEnterprise !== undefined && (own === undefined || isOther)) {
    return entitySchema(orEnterprise, kind, written) ?? own;
  }
  return own ?? ownValue(enterpriseKinds, kind);
}

/**
 * The field that a misspelt one was probably meant to be, of a kind that holds no secrets and whose fields do not either.
 */
function meantField(schema: RecordSchema, kind: KindName, field: string): FieldSchema | undefined {
  if (bearsSecrets(kind) || !plainKinds.has(kind)) return undefined;
  const meant = nearestWord(field, [...Object.keys(schema.fields), ...Object.keys(nested(kind))]);
  const known = meant === undefined ? undefined : ownValue(schema.fields, meant);
  return known?.type === 'foreign' ? undefined : known;
}

/** Keys under which other entities are written, which may have secrets. */
function nested(kind: KindName): JsonObject {
  return Object.fromEntries([...(nestings.get(kind)?.keys() ?? [])].map((key) => [key, null]));
}

/** Kinds whose fields are all public, and of which a misspelt one is that field and no secret in the wrong place. */
const plainKinds: ReadonlySet<KindName> = new Set(['services', 'routes', 'upstreams', 'targets', 'consumer_groups']);

/** Fields that every entity may have and none has a secret in. */
function isKept(field: string, value: Json): boolean {
  if (field === 'tags') return isJsonArray(value) && value.every((tag) => typeof tag === 'string');
  return (field === 'id' && typeof value === 'string') || (madeAt.includes(field) && typeof value === 'number');
}

const madeAt = ['created_at', 'updated_at'];

interface Walk {
  readonly kind: KindName;
  /** The name of the plugin; empty for other kinds. */
  readonly plugin: string;
  readonly schemas: Schemas;
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
  if (field === undefined) {
    hideUnknown(walk, value, path, at);
    return;
  }
  if (isSecret(walk, at) || isCode(walk.plugin, at.map(String), value)) {
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

/** A value under a key that the schema does not have: public where it is so in every plugin that has such a field. */
function hideUnknown(walk: Walk, value: Json, path: JsonPath, at: JsonPath): void {
  const isConfig = walk.kind === 'plugins' && at[0] === 'config' && at.length > 1;
  const items = isJsonArray(value) ? value : [value];
  const isPlain = items.every((item) => !isJsonArray(item) && !isJsonObject(item) && !mayHoldUserinfo(item));
  if (!isConfig || !isPlain || !isPublicByName(walk.schemas, at.slice(1))) walk.hide(path);
}

/** Whether a field by this name, or by its plural or singular, is public in every plugin that has it. */
function isPublicByName(schemas: Schemas, config: JsonPath): boolean {
  const name = String(config.at(-1));
  const forms = [name, `${name}s`, ...(name.endsWith('s') ? [name.slice(0, -1)] : [])];
  const found = forms.map((form) => ruling(schemas, [...config.slice(0, -1), form]));
  return found.includes('public') && !found.includes('secret');
}

function isSecret({ kind, secrets }: Pick<Walk, 'kind' | 'secrets'>, at: JsonPath): boolean {
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
  return ruling(schemas, config) === 'public';
}

/** Whether a place of a plugin's configuration is secret in some plugin, public in all that have it, or unknown. */
function ruling(schemas: Schemas, config: JsonPath): 'secret' | 'public' | 'unknown' {
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
    if (isSecret({ kind: 'plugins', secrets: secretPatternsOf(schema) }, at)) return 'secret';
    if (field.type !== 'map' && field.type !== 'record' && field.type !== 'any' && field.type !== 'json') found = true;
  }
  return found ? 'public' : 'unknown';
}

function inside(field: FieldSchema, step: string | number): FieldSchema | undefined {
  if (typeof step === 'number') return field.elements;
  return field.type === 'map' ? field.values : fieldOf(fillable(field), step);
}
