import type { KindName } from './kind.ts';

/** A secret of which a server keeps a hash, and what it makes the hash of besides: a reference, a field, or neither. */
export interface HashedSecret {
  readonly field: string;
  /** What a stored hash looks like (kong.md). */
  readonly hash: RegExp;
  /** The foreign key that enters the hash; null where none does. */
  readonly owner: string | null;
  /** The field that says whether there is a hash; null where there always is. */
  readonly when: string | null;
}

/** The kinds of which a server keeps a secret as its hash: sent one like any other value, it hashes that again. */
export const hashedSecrets: { readonly [K in KindName]?: HashedSecret } = {
  basicauth_credentials: { field: 'password', hash: /^[0-9a-f]{40}$/, owner: 'consumer', when: null },
  oauth2_credentials: { field: 'client_secret', hash: /^\$pbkdf2/, owner: null, when: 'hash_secret' },
};
