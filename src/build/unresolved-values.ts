import type { Diagnostic } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';

/**
 * Findings without those about a template that could not be resolved, or about what stands under a key that is one: it
 * is reported as what it is.
 */
export function withoutUnresolved(
  found: readonly Diagnostic[],
  readFindings: readonly Diagnostic[],
): readonly Diagnostic[] {
  const unresolved = readFindings
    .filter(({ rule, severity }) => severity === 'error' && rule.startsWith('template-'))
    .flatMap(({ locations }) => locations);
  if (unresolved.length === 0) return found;
  const places = new Set(unresolved.map(keyOf));
  const keys = unresolved.filter(({ pointer }) => pointer?.slice(pointer.lastIndexOf('/')).includes('${{') === true);
  return found.filter(({ locations: [first] }) => {
    return first === undefined || !(places.has(keyOf(first)) || keys.some((key) => isUnder(first, key)));
  });
}

/**
 * Findings without what is missing in a plugin only since the shared configuration that it names is not there: that is
 * reported as what it is.
 */
export function withoutUnshared(found: readonly Diagnostic[], reading: readonly Diagnostic[]): readonly Diagnostic[] {
  const plugins = reading.flatMap(({ rule, locations: [place] }) => {
    const pointer = place?.pointer ?? null;
    if (rule !== 'unknown-shared-config' || place === undefined || pointer === null) return [];
    return [{ ...place, pointer: pointer.slice(0, pointer.lastIndexOf('/')) }];
  });
  if (plugins.length === 0) return found;
  return found.filter(({ rule, locations: [first] }) => {
    return rule !== 'plugin-config' || first === undefined || !plugins.some((plugin) => isUnder(first, plugin));
  });
}

function keyOf({ file, line, column }: Location): string {
  return `${line}:${column} ${file}`;
}

function isUnder({ file, pointer }: Location, key: Location): boolean {
  return file === key.file && (pointer === key.pointer || pointer?.startsWith(`${key.pointer}/`) === true);
}
