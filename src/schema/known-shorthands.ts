import type { RecordFields } from './schema.ts';

/**
 * Old names of fields of sessions and traces, which schemas list without saying what replaced them. Plugins that keep a
 * session among much else (openid-connect, saml) have them with a prefix.
 */
const renamed: { readonly [old: string]: readonly string[] } = {
  cookie_lifetime: ['rolling_timeout'],
  cookie_idletime: ['idling_timeout'],
  cookie_discard: ['stale_ttl'],
  cookie_samesite: ['cookie_same_site'],
  cookie_httponly: ['cookie_http_only'],
  cookie_persistent: ['remember'],
  endpoint: ['traces_endpoint'],
};

/** Prefixes that an old name and a new one have alike. */
const kept = ['session_', 'authorization_'];

const prefixes: readonly (readonly [string, string])[] = [
  ['session_redis_', 'redis'],
  ['redis_', 'redis'],
];

/** Parts of names that were spelt otherwise. */
const respelt: readonly (readonly [string, string])[] = [
  ['session_memcache_', 'session_memcached_'],
  ['maxredirections', 'max_redirections'],
];

/**
 * Where the value of a shorthand field goes where its schema does not say: by name, and only to a field that the record
 * really has. None where nothing fits; the field is then accepted, and not compared.
 */
export function knownShorthandPaths(name: string, fields: RecordFields): readonly (readonly string[])[] {
  const direct = renamed[name];
  if (direct !== undefined && hasPath(fields, direct)) return [direct];
  for (const prefix of kept) {
    const [inner] = (name.startsWith(prefix) ? renamed[name.slice(prefix.length)] : undefined) ?? [];
    if (inner !== undefined && hasPath(fields, [prefix + inner])) return [[prefix + inner]];
  }
  const spelt = respelt.reduce((text, [old, now]) => text.replace(old, now), name);
  if (spelt !== name && hasPath(fields, [spelt])) return [[spelt]];
  for (const [prefix, record] of prefixes) {
    if (!spelt.startsWith(prefix)) continue;
    const path = [record, spelt.slice(prefix.length)];
    if (hasPath(fields, path)) return [path];
  }
  return [];
}

function hasPath(fields: RecordFields, path: readonly string[]): boolean {
  let current: RecordFields | undefined = fields;
  for (const [index, step] of path.entries()) {
    const field: RecordFields[string] | undefined = current?.[step];
    if (field === undefined) return false;
    if (index < path.length - 1) current = field.fields;
  }
  return true;
}
