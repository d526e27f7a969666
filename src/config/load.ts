import { crossFaults } from './checks.ts';
import { ConfigurationError, type ConfigurationPlace } from './configuration-error.ts';
import type { Base } from './connection.ts';
import { explainIssue, type PathFault } from './explain.ts';
import { hasPlaceholder, placeholderFaults, reasonOf } from './interpolate.ts';
import { loadedConfiguration } from './loaded.ts';
import { applyOverrides, noOverrides, type Overrides } from './overrides.ts';
import { rootSection } from './root.ts';
import { SectionReader } from './section-reader.ts';
import type { Configuration } from './settings.ts';
import { type KeyPath, valueAt } from './tree.ts';
import { readYaml } from './yaml-source.ts';

/** Where a configuration takes its texts from. */
export interface ConfigurationSources {
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
  /** A file's text; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The folder that relative paths start from, where it is not that of the process. */
  readonly cwd?: string;
  /** Told every value that must never be shown, when it is resolved. */
  readonly secret?: (value: string) => void;
  /** What is wrong with words of the tree that only others know, such as names of rules; nothing where it is left out. */
  readonly words?: (tree: unknown) => readonly PathFault[];
}

/**
 * The configuration in a file, with what the command line overrides, or with an empty list the defaults. One file
 * describes one repository and the destinations it feeds, so that several are several configurations: see
 * `loadConfigurations`. All that can be found wrong without resolving a `${…}` is thrown at once as ConfigurationError;
 * the rest when its section is first asked for.
 */
export function loadConfiguration(
  files: readonly string[],
  overrides: Overrides,
  sources: ConfigurationSources,
): Configuration {
  const [file, ...more] = files;
  if (more.length > 0) throw whole(file ?? '', 'is one of several configuration files, where one is taken');
  const source = file === undefined ? null : readYaml(file, readText(file, sources));
  const { tree, paths } = applyOverrides(source?.value ?? {}, overrides);
  const placeOf = (path: KeyPath): ConfigurationPlace | null =>
    source === null || paths.some((set) => set.every((key, index) => path[index] === key))
      ? null
      : source.placeOf(path);
  const reader = new SectionReader(tree, sources, placeOf);
  const words = sources.words?.(tree) ?? [];
  const faults = [...schemaFaults(tree), ...placeholderFaults(tree), ...crossFaults(tree), ...words];
  if (faults.length > 0) throw reader.error(faults);
  const base: Base = {
    file: file ?? null,
    ...(sources.cwd === undefined ? {} : { cwd: sources.cwd }),
    readFile: sources.readFile,
    secret: sources.secret ?? (() => undefined),
  };
  return loadedConfiguration(reader, base);
}

/** The configurations of several files, whose destinations must all have names of their own. */
export function loadConfigurations(files: readonly string[], sources: ConfigurationSources): readonly Configuration[] {
  const configurations = files.map((file) => loadConfiguration([file], noOverrides, sources));
  checkDestinationNames(configurations);
  return configurations;
}

/** Throws ConfigurationError where two configurations have a destination of one name. */
export function checkDestinationNames(configurations: readonly Configuration[]): void {
  const owner = new Map<string, string>();
  for (const { file, destinationNames } of configurations) {
    for (const name of destinationNames) {
      const other = owner.get(name);
      if (other !== undefined) throw whole(file ?? '', `has a destination \`${name}\`, as ${other} has`);
      owner.set(name, file ?? '');
    }
  }
}

/** What the schema finds in the tree as written. A value with a `${…}` is judged when it is known. */
function schemaFaults(tree: unknown) {
  const parsed = rootSection.safeParse(tree);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
    return hasPlaceholder(valueAt(tree, path)) ? [] : explainIssue(issue, path, tree);
  });
}

function readText(file: string, sources: ConfigurationSources): string {
  try {
    return sources.readFile(file);
  } catch (thrown) {
    throw whole(file, `cannot be read${reasonOf(thrown)}`);
  }
}

function whole(file: string, message: string): ConfigurationError {
  return new ConfigurationError([
    { key: '', message: `the configuration file ${file} ${message}`, hint: '', place: null },
  ]);
}
