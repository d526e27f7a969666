import type { LeftOut } from '../build/quarantine.ts';
import type { Diagnostic, EntityName } from '../model/diagnostic.ts';
import { kinds } from '../model/kinds.ts';

/** How many objects are named. */
const named = 3;

/** What is in quarantine, in words, the broken objects first, since it is they that have to be put right. */
function quarantineText(quarantine: readonly LeftOut[]): string {
  const broken = quarantine.filter(({ cause }) => cause === null);
  const shown = [...broken, ...quarantine.filter(({ cause }) => cause !== null)].slice(0, named);
  const gone = quarantine.filter(({ keptLastGood }) => !keptLastGood).length;
  const how = gone === 0 ? 'in their last good version' : gone === quarantine.length ? 'left out' : `${gone} left out`;
  const more = quarantine.length > shown.length ? ` (+${quarantine.length - shown.length} more)` : '';
  const objects = quarantine.length === 1 ? '1 object' : `${quarantine.length} objects`;
  const told = new Set<string>();
  const list = shown.map(({ entity, why, cause }) => {
    const through = cause === null ? '' : `through ${kinds[cause.kind].label} "${cause.name}"`;
    // The broken one itself may not be listed, since it reads as it did before.
    const key = keyOf(cause ?? entity);
    const reason = through === '' ? why : told.has(key) ? through : `${through}: ${why}`;
    told.add(key);
    return `${kinds[entity.kind].label} "${entity.name}" (${reason})`;
  });
  return `${objects} in quarantine, ${how}: ${list.join(', ')}${more}`;
}

/** What of a revision is not in place as it was written, in words: what is in quarantine, else the errors themselves. */
export function degradedText(quarantine: readonly LeftOut[], diagnostics: readonly Diagnostic[]): string {
  if (quarantine.length > 0) return quarantineText(quarantine);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const [first] = errors;
  const [place] = first?.locations ?? [];
  const where = place === undefined ? '' : `${place.file}:${place.line} `;
  return `${count} in what nothing is made of: ${where}${first?.message ?? ''}`;
}

function keyOf({ kind, name }: EntityName): string {
  return `${kind}\n${name}`;
}
