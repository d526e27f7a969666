import type { Diagnostic } from '../model/diagnostic.ts';

/**
 * Findings where it is only assumed that a Kong is open source: what is wrong with that edition alone is no error, and
 * what is wrong with Enterprise is one, of what only Enterprise has. Both are what the rules find, the errors with `oss`
 * and those with `enterprise`.
 */
export function easedForEnterprise(
  oss: readonly Diagnostic[],
  enterprise: () => readonly Diagnostic[],
): readonly Diagnostic[] {
  if (!oss.some(isOfEdition)) return oss;
  const other = enterprise();
  const stays = new Set(other.map(keyOf));
  const eased = new Set(oss.filter((finding) => isOfEdition(finding) && !stays.has(keyOf(finding))));
  if (eased.size === 0) return oss;
  const known = new Set(oss.map(keyOf));
  const entities = new Set([...eased].flatMap((finding) => finding.entities.map(entityKey)));
  const further = other.filter(
    (finding) => !known.has(keyOf(finding)) && finding.entities.some((entity) => entities.has(entityKey(entity))),
  );
  return [...oss.map((finding) => (eased.has(finding) ? easedOf(finding) : finding)), ...further];
}

/** What a Kong of another edition may well take. */
const ofEdition = new Set(['wrong-edition', 'unknown-plugin', 'unknown-field', 'plugin-config', 'entity-schema']);

function isOfEdition({ rule, severity }: Diagnostic): boolean {
  return severity === 'error' && ofEdition.has(rule);
}

function easedOf(finding: Diagnostic): Diagnostic {
  const hint = 'Kong Enterprise and Konnect take it. Set kong.edition in the configuration to what you run.';
  return { ...finding, severity: 'warning', hint };
}

function keyOf({ rule, message, locations: [place] }: Diagnostic): string {
  // Of one place the words differ by what else there is; what has none is told apart by them.
  return `${rule}\n${place === undefined ? message : `${place.file}:${place.line}:${place.column}`}`;
}

function entityKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}\n${name}`;
}
