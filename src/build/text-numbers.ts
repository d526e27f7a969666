import type { Diagnostic } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';

const aboutNumbers: readonly string[] = ['yaml-leading-zero', 'yaml-number-precision', 'yaml-number-range'];

/** The findings without those about numbers that variables brought where a text was wanted, and so none is a number. */
export function withoutTextNumbers(found: readonly Diagnostic[], asTexts: readonly Location[]): readonly Diagnostic[] {
  if (asTexts.length === 0) return found;
  const places = new Set(asTexts.map(keyOf));
  return found.filter(({ rule, locations: [first] }) => {
    return !aboutNumbers.includes(rule) || first === undefined || !places.has(keyOf(first));
  });
}

function keyOf({ file, line, column }: Location): string {
  return `${line}:${column} ${file}`;
}
