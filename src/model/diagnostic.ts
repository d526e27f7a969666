import type { KindName } from './kind.ts';
import { compareLocations, type Location } from './location.ts';

/** How bad a finding is. An error makes a revision invalid; a warning does unless `--strict`; info never does. */
export type Severity = 'error' | 'warning' | 'info';

/** An entity as people know it. The name holds no secret. */
export interface EntityName {
  readonly kind: KindName;
  readonly name: string;
}

/**
 * One finding about a snapshot. `rule` is a kebab-case word that never changes meaning. The first location is where
 * the reader should look; the others are what it conflicts with. No field holds a secret value.
 */
export interface Diagnostic {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly locations: readonly Location[];
  readonly entities: readonly EntityName[];
}

/** Diagnostics in a stable order (place, severity, rule, message), exact repeats dropped. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const sorted = [...diagnostics].sort(compareDiagnostics);
  return sorted.filter((item, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || compareDiagnostics(previous, item) !== 0;
  });
}

const severityRank: { readonly [S in Severity]: number } = { error: 0, warning: 1, info: 2 };

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  const [first, second] = [a.locations[0], b.locations[0]];
  if (first === undefined || second === undefined) {
    if (first !== second) return first === undefined ? -1 : 1;
  } else {
    const place = compareLocations(first, second);
    if (place !== 0) return place;
  }
  return (
    severityRank[a.severity] - severityRank[b.severity] ||
    compareText(a.rule, b.rule) ||
    compareText(a.message, b.message)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether any finding is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
