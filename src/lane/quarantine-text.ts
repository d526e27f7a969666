import type { LeftOut } from '../build/quarantine.ts';
import { kinds } from '../model/kinds.ts';

/** How many objects are named. */
const named = 3;

/** What is in quarantine, in words, the broken objects first, since it is they that have to be put right. */
export function quarantineText(quarantine: readonly LeftOut[]): string {
  const broken = quarantine.filter(({ cause }) => cause === null);
  const shown = [...broken, ...quarantine.filter(({ cause }) => cause !== null)].slice(0, named);
  const gone = quarantine.filter(({ keptLastGood }) => !keptLastGood).length;
  const how = gone === 0 ? 'in their last good version' : gone === quarantine.length ? 'left out' : `${gone} left out`;
  const more = quarantine.length > shown.length ? ` (+${quarantine.length - shown.length} more)` : '';
  const objects = quarantine.length === 1 ? '1 object' : `${quarantine.length} objects`;
  const list = shown.map(({ entity, why, cause }) => {
    const reason = cause === null ? why : `through ${kinds[cause.kind].label} "${cause.name}"`;
    return `${kinds[entity.kind].label} "${entity.name}" (${reason})`;
  });
  return `${objects} in quarantine, ${how}: ${list.join(', ')}${more}`;
}
