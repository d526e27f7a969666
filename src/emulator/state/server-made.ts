import { createHash, pbkdf2Sync, X509Certificate } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { isKindName, kinds } from '../../model/kinds.ts';
import type { Collection } from './collections.ts';
import { type Gateway, newId, newSecret } from './gateway.ts';

/** Fields for which Kong makes a secret where none is given (kong.md, "Left out secrets are generated"). */
const generated: { readonly [kind: string]: readonly string[] } = {
  keyauth_credentials: ['key'],
  jwt_secrets: ['key', 'secret'],
  hmacauth_credentials: ['secret'],
  oauth2_credentials: ['client_id', 'client_secret'],
  oauth2_tokens: ['access_token'],
  acme_storage: ['key', 'value'],
};

/**
 * The fields that the server makes, put over what was given: id, times, secrets that were left out. `known` is the entity
 * before, where there is one and the write is not to replace it.
 */
export function withServerMade(
  gateway: Gateway,
  collection: Collection,
  value: JsonObject,
  known: JsonObject | null,
): JsonObject {
  const { name } = collection;
  const fields = gateway.schemas.entity(name)?.fields;
  const has = (field: string) =>
    fields === undefined ? isKindName(name) && kinds[name].serverMade.includes(field) : Object.hasOwn(fields, field);
  const made: { [field: string]: Json } = { ...value };
  if (made['id'] === undefined || made['id'] === null) made['id'] = newId(gateway.chance);
  else if (typeof made['id'] === 'string') made['id'] = made['id'].toLowerCase();
  const milliseconds = gateway.chance.now();
  const time = collection.name === 'targets' ? milliseconds / 1000 : Math.floor(milliseconds / 1000);
  if (has('created_at') && (made['created_at'] ?? null) === null) {
    made['created_at'] = known?.['created_at'] ?? time;
  }
  if (has('updated_at')) made['updated_at'] = time;
  for (const field of generated[collection.name] ?? []) {
    if (made[field] === undefined) made[field] = newSecret(gateway.chance);
  }
  if (collection.name === 'plugins' && made['name'] === 'session') {
    const config = made['config'] ?? {};
    if (isJsonObject(config) && config['secret'] === undefined) {
      made['config'] = { ...config, secret: newSecret(gateway.chance) };
    }
  }
  return made;
}

/** A checked entity in the form in which Kong stores it: references as ids only, the digest of a CA certificate. */
export function storedForm(collection: Collection, value: JsonObject): JsonObject {
  const stored: { [field: string]: Json } = { ...value };
  for (const { field } of collection.foreign) {
    const reference = stored[field];
    const id = isJsonObject(reference) ? reference['id'] : undefined;
    if (typeof id === 'string') stored[field] = { id: id.toLowerCase() };
  }
  if (collection.name === 'ca_certificates') stored['cert_digest'] = certificateDigest(stored['cert']);
  return stored;
}

/** A stored form with its secrets hashed where Kong keeps hashes. Those that `isNew` denies are hashes already. */
export function withHashes(
  gateway: Gateway,
  collection: Collection,
  stored: JsonObject,
  isNew: (field: string) => boolean,
): JsonObject {
  if (collection.name === 'basicauth_credentials' && isNew('password')) {
    return { ...stored, password: basicAuthHash(stored['password'], stored['consumer']) };
  }
  if (collection.name === 'rbac_users' && isNew('user_token')) return withToken(stored);
  const secret = stored['client_secret'];
  if (collection.name !== 'oauth2_credentials' || stored['hash_secret'] !== true) return stored;
  if (typeof secret !== 'string' || !isNew('client_secret')) return stored;
  return { ...stored, client_secret: pbkdf2(secret, gateway.chance.randomBytes(16)) };
}

/** A user with the token in a form that does not give it away, and what the token is found by. */
function withToken(user: JsonObject): JsonObject {
  const hash = createHash('sha256').update(String(user['user_token']), 'utf8').digest();
  return {
    ...user,
    user_token: `$2b$09$${hash.toString('base64')}`,
    user_token_ident: hash.toString('hex').slice(0, 5),
  };
}

/** An OAuth2 client secret as Kong keeps it where it is to be hashed. */
function pbkdf2(secret: string, salt: Uint8Array): string {
  const hash = pbkdf2Sync(secret, salt, 10_000, 32, 'sha512');
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$pbkdf2-sha512$i=10000,l=32$${base64(salt)}$${base64(hash)}`;
}

function certificateDigest(cert: Json | undefined): Json {
  if (typeof cert !== 'string') return null;
  try {
    return createHash('sha256').update(new X509Certificate(cert).raw).digest('hex');
  } catch {
    return null;
  }
}

/** A basic-auth password as Kong keeps it: SHA-1 of the password and the consumer's id. */
export function basicAuthHash(password: Json | undefined, consumer: Json | undefined): Json {
  const id = isJsonObject(consumer) ? consumer['id'] : undefined;
  if (typeof password !== 'string' || typeof id !== 'string') return password ?? null;
  return createHash('sha1').update(`${password}${id}`, 'utf8').digest('hex');
}
