import type { Identified } from '../destination/destination.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import { allEntities, type State } from '../model/state.ts';

/** Secrets of one kind of which a destination gives hashes only. */
export interface HashedSecrets {
  /** What they are, such as `passwords of 2 basic-auth credentials`. */
  readonly what: string;
  /** What comes of delivering them, and what to do. */
  readonly advice: string;
  /** What people read of each entity. */
  readonly names: readonly string[];
}

/** What Kong stores hashed, and how its hashes look (kong.md): to a Kong that is sent one it is a new secret. */
const stored: readonly {
  readonly kind: KindName;
  readonly field: string;
  readonly plural: string;
  readonly hash: RegExp;
}[] = [
  { kind: 'basicauth_credentials', field: 'password', plural: 'passwords', hash: /^[0-9a-f]{40}$/ },
  { kind: 'oauth2_credentials', field: 'client_secret', plural: 'client secrets', hash: /^\$pbkdf2/ },
];

/** The secrets of a live state that are hashes. A DB-less node is always sent all, and hashes it again. */
export function hashedSecrets(state: State, mode: Identified['mode']): readonly HashedSecrets[] {
  const takes =
    mode === 'dbless'
      ? 'The next delivery makes each hash a new secret, at this destination too.'
      : 'This destination takes them for what it has; any other one takes each hash for a new secret.';
  const advice = `${takes} Put the secrets in their places first.`;
  return stored.flatMap(({ kind, field, plural, hash }) => {
    const found = allEntities(state).filter((entity) => {
      const value = entity.kind === kind ? entity.fields[field] : undefined;
      return typeof value === 'string' && hash.test(value);
    });
    if (found.length === 0) return [];
    const { label } = kinds[kind];
    const what = `the ${plural} of ${found.length} ${label}${found.length === 1 ? '' : 's'}`;
    return [{ what, advice, names: found.map(({ name }) => name) }];
  });
}

/** So many names are told. */
const mostNames = 10;

/** What is said to whoever exports them. */
export function hashWarning({ what, advice, names }: HashedSecrets): string {
  const more = names.length - mostNames;
  const listed = `${names.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `konverge: ${what} are hashes, for the destination gives nothing else: ${listed}\n  ${advice}\n`;
}

/** The same for whoever reads the file. Names nobody: a name may hold what ends a comment. */
export function hashComment({ what, advice }: HashedSecrets): string {
  return `# ${what.slice(0, 1).toUpperCase()}${what.slice(1)} are hashes.\n# ${advice}\n`;
}
