import type { FieldSchema, RecordFields, RecordSchema, ShorthandField } from './schema.ts';

/** What is public though it may stand in a vault. */
const openly: ReadonlySet<string> = new Set([
  'cert',
  'cert_alt',
  'public_key',
  'host',
  'port',
  'server_name',
  'header_name',
  'param_name',
  'auth_provider',
  'aws_region',
]);

/** Names of texts that are secret even where a schema does not mark them. */
const bySecretName = /(?:^|_)(?:password|passwd|secret|private_key|api_key|token|auth_token|header_value)$/;

/**
 * JSON pointers to every field whose value must not be shown: those that the schema marks as stored encrypted or as fit
 * for a vault, but for certificates, public keys, and what is public by its name, and texts whose name says so. `*` stands for any index or key.
 */
export function secretPaths(schema: RecordSchema): readonly string[] {
  const found: string[] = [];
  collect(schema.fields, schema.shorthand_fields, '', found);
  return found;
}

function collect(fields: RecordFields, shorthands: readonly ShorthandField[], base: string, found: string[]): void {
  for (const [name, field] of Object.entries(fields)) collectField(name, field, `${base}/${name}`, found);
  for (const { name, schema } of shorthands) collectField(name, schema, `${base}/${name}`, found);
}

function collectField(name: string, field: FieldSchema, path: string, found: string[]): void {
  if (isSecret(name, field)) {
    found.push(path);
    return;
  }
  if (field.fields !== undefined) collect(field.fields, field.shorthand_fields ?? [], path, found);
  if (field.elements !== undefined) collectField(name, field.elements, `${path}/*`, found);
  if (field.values !== undefined) collectField(name, field.values, `${path}/*`, found);
}

function isSecret(name: string, field: FieldSchema): boolean {
  if (field.encrypted === true) return true;
  if (field.referenceable === true) return !openly.has(name);
  return field.type === 'string' && bySecretName.test(name);
}
