import type { KeyPath } from './tree.ts';

/** Keys that are planned and refused until they work, by the path of their mapping, with `*` for a place in a list. */
const planned: { readonly [mapping: string]: readonly string[] } = {
  'repository.auth': ['key', 'sshKey', 'privateKey', 'passphrase', 'knownHosts', 'githubApp', 'app'],
  server: ['webhook'],
};

/** Whether a key is one that a later release is to have. */
export function isPlanned(mapping: KeyPath, key: string): boolean {
  const path = mapping.map((part) => (typeof part === 'number' ? '*' : part)).join('.');
  return planned[path]?.includes(key) ?? false;
}
