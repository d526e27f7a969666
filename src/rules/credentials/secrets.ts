import type { Entity } from '../../model/entity.ts';
import { fromPointer, type JsonPath, valueAt } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { placesOf, type SecretPattern, secretPatterns } from '../../model/secret.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import type { RecordSchema } from '../../schema/schema.ts';
import { secretPaths } from '../../schema/secret-paths.ts';
import type { RuleContext } from '../rule.ts';

/** A secret in an entity: where it stands, and its text, which must not be shown. */
export interface WrittenSecret {
  readonly path: JsonPath;
  readonly text: string;
}

/** The credentials of consumers whose secret a person chose, with the field that holds it. */
export const chosenSecrets: { readonly [K in KindName]?: string } = {
  keyauth_credentials: 'key',
  basicauth_credentials: 'password',
  hmacauth_credentials: 'secret',
  jwt_secrets: 'secret',
  oauth2_credentials: 'client_secret',
};

/** All texts of an entity that the registry or its schema calls secret; references to a vault are none. */
export function secretsOf(entity: Entity, context: RuleContext): readonly WrittenSecret[] {
  const known = context.memo('secret patterns', () => new Map<RecordSchema | undefined, readonly SecretPattern[]>());
  const schema = entitySchema(context.schemas, entity.kind, entity.fields);
  const bySchema = known.get(schema) ?? (schema === undefined ? [] : secretPaths(schema).map(fromPointer));
  known.set(schema, bySchema);
  const found = new Map<string, WrittenSecret>();
  for (const pattern of [...secretPatterns(entity.kind), ...bySchema]) {
    for (const path of placesOf(entity.fields, pattern)) {
      const text = valueAt(entity.fields, path);
      if (typeof text !== 'string' || text === '' || text.startsWith('{vault://')) continue;
      found.set(JSON.stringify(path), { path, text });
    }
  }
  return [...found.values()];
}
