import { ConfigurationError } from './configuration-error.ts';
import { isMapping, type KeyPath, type Mapping } from './tree.ts';
import { readYamlValue } from './yaml-source.ts';

/** What the command line changes about the configuration. */
export interface Overrides {
  /** Values of `--set`, each `PATH=VALUE`. */
  readonly set: readonly string[];
  /** `--kong URL` with the values of `--header`: stands for the one destination named `kong`. */
  readonly kong: { readonly url: string; readonly headers: readonly string[] } | null;
}

/** No overrides. */
export const noOverrides: Overrides = { set: [], kong: null };

/** A tree with overrides applied, and the paths that they set, which stand in no file. */
export interface Overridden {
  readonly tree: unknown;
  readonly paths: readonly KeyPath[];
}

/** Applies overrides in order. Throws ConfigurationError, naming the option, for one that cannot be applied. */
export function applyOverrides(tree: unknown, overrides: Overrides): Overridden {
  let result = tree;
  const paths: KeyPath[] = [];
  if (overrides.kong !== null) {
    if (!isMapping(result)) throw refused('--kong', 'cannot be applied: the configuration is not a mapping');
    result = { ...result, destinations: [kongDestination(overrides.kong.url, overrides.kong.headers)] };
    paths.push(['destinations']);
  }
  for (const option of overrides.set) {
    const equals = option.indexOf('=');
    if (equals < 1) throw refused(`--set ${option}`, 'must be PATH=VALUE');
    const written = option.slice(0, equals);
    const value = readYamlValue(option.slice(equals + 1));
    if (value === undefined) throw refused(`--set ${written}`, 'must have a value that is YAML');
    const path = resolvePath(written, result);
    // A shell takes the quotes away that tell 3.10 from 3.1.
    const isRelease = typeof value.value === 'number' && path.join('.') === 'kong.version';
    result = withValue(result, path, isRelease ? option.slice(equals + 1).trim() : value.value, written);
    paths.push(path);
  }
  return { tree: result, paths };
}

function kongDestination(url: string, headers: readonly string[]): Mapping {
  const pairs = headers.map((header) => {
    const parts = /^([^:\s]+):\s*(.*)$/.exec(header);
    if (parts === null) throw refused('--header', "must be 'Name: value'");
    return [parts[1] ?? '', literal(parts[2] ?? '')];
  });
  return { name: 'kong', kong: { url: literal(url), headers: Object.fromEntries(pairs) } };
}

/** The shell has resolved what the user wanted resolved. */
function literal(text: string): string {
  return text.replaceAll('${', '$$${');
}

function resolvePath(written: string, tree: unknown): KeyPath {
  const keys = written.split('.');
  if (keys.includes('')) throw refused(`--set ${written}`, 'must have a path of keys with dots between them');
  const [first, name, ...rest] = keys;
  if (first !== 'destinations' || name === undefined) return keys;
  const list = isMapping(tree) && Array.isArray(tree['destinations']) ? tree['destinations'] : [];
  const names = list.map((item) => (isMapping(item) ? item['name'] : undefined));
  const index = names.indexOf(name);
  if (index === -1) {
    const known = names.filter((item) => typeof item === 'string').join(', ');
    throw refused(`--set ${written}`, `names no destination; there ${known === '' ? 'are none' : `are: ${known}`}`);
  }
  return ['destinations', index, ...rest];
}

function withValue(tree: unknown, path: KeyPath, value: unknown, written: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number' && Array.isArray(tree)) {
    return tree.map((item, index) => (index === key ? withValue(item, rest, value, written) : item));
  }
  if (tree !== undefined && tree !== null && !isMapping(tree)) {
    throw refused(`--set ${written}`, `goes through \`${key}\`, which is in no mapping; a list is set as a whole`);
  }
  const mapping = isMapping(tree) ? tree : {};
  const inner = Object.hasOwn(mapping, key) ? mapping[key] : undefined;
  return { ...mapping, [key]: withValue(inner, rest, value, written) };
}

function refused(option: string, message: string): ConfigurationError {
  return new ConfigurationError([{ key: option, message, hint: '', place: null }]);
}
