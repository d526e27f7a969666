import type { Diagnostic } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';

/** The findings of rules without those about a template that could not be resolved, which is reported as what it is. */
export function withoutUnresolved(
  found: readonly Diagnostic[],
  readFindings: readonly Diagnostic[],
): readonly Diagnostic[] {
  const places = new Set(
    readFindings
      .filter(({ rule, severity }) => severity === 'error' && rule.startsWith('template-'))
      .flatMap(({ locations }) => locations.map(keyOf)),
  );
  if (places.size === 0) return found;
  return found.filter(({ locations: [first] }) => first === undefined || !places.has(keyOf(first)));
}

function keyOf({ file, line, column }: Location): string {
  return `${line}:${column} ${file}`;
}
