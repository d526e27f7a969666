import { isMapping, type KeyPath } from './tree.ts';

/** Where `${…}` takes its texts from. */
export interface InterpolationSources {
  readonly env: (name: string) => string | undefined;
  /** A file's text; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
}

/** A `${…}` that cannot be resolved or is not written right. */
export interface InterpolationFault {
  readonly path: KeyPath;
  readonly message: string;
  readonly hint: string;
}

/** `$${` is a literal `${`; `${` without its end is a fault, and so is anything between that has no meaning. */
const pattern = /\$\$\{|\$\{([^}]*)\}|\$\{/g;

/** Whether a text has a `${…}`, so that its value is not known before it is resolved. */
export function hasPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && /\$\{/.test(value.replaceAll('$${', ''));
}

/** The value with each `${NAME}`, `${NAME:-default}` and `${file:/path}` in its texts resolved; keys stay as they are. */
export function interpolate(
  value: unknown,
  path: KeyPath,
  sources: InterpolationSources,
  faults: InterpolationFault[],
): unknown {
  return mapTexts(value, path, (text, at) =>
    text.replace(pattern, (whole: string, inner: string | undefined) => {
      if (whole === '$${') return '${';
      const resolved = resolve(inner, sources);
      if (typeof resolved === 'string') return resolved;
      faults.push({ path: at, ...resolved });
      return '';
    }),
  );
}

/** What is wrong with the way in which `${…}` are written, without resolving any. */
export function placeholderFaults(value: unknown): readonly InterpolationFault[] {
  const faults: InterpolationFault[] = [];
  const sources: InterpolationSources = { env: () => '', readFile: () => '' };
  mapTexts(value, [], (text, path) =>
    text.replace(pattern, (whole: string, inner: string | undefined) => {
      if (whole === '$${') return whole;
      const resolved = resolve(inner, sources);
      if (typeof resolved !== 'string') faults.push({ path, ...resolved });
      return whole;
    }),
  );
  return faults;
}

function resolve(inner: string | undefined, sources: InterpolationSources): string | Omit<InterpolationFault, 'path'> {
  if (inner?.startsWith('file:') === true) return readFile(inner.slice('file:'.length), sources);
  const parts = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner ?? '');
  if (parts === null) {
    return {
      message: `has a \${…} that cannot be read`,
      hint: `Write \${NAME}, \${NAME:-default} or \${file:/path}; $\${ stands for a literal \${`,
    };
  }
  const [, name = '', otherwise] = parts;
  const found = sources.env(name);
  if (otherwise !== undefined) return found === undefined || found === '' ? otherwise : found;
  if (found !== undefined) return found;
  return { message: `needs the environment variable ${name}, which is not set`, hint: '' };
}

function readFile(path: string, sources: InterpolationSources): string | Omit<InterpolationFault, 'path'> {
  if (path === '') return { message: `has a \${file:} without a path`, hint: '' };
  try {
    // Editors and `echo` end a file with a line break that is no part of a token.
    return sources.readFile(path).replace(/\r?\n$/, '');
  } catch (thrown) {
    return { message: `needs the file ${path}, which cannot be read${reasonOf(thrown)}`, hint: '' };
  }
}

/** The system's word for why a file cannot be read, in brackets, or nothing. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? ` (${thrown.code})` : '';
}

function mapTexts(value: unknown, path: KeyPath, change: (text: string, path: KeyPath) => string): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, [...path, index], change));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], change)]));
}
