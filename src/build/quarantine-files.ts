import { escapeName } from '../manifest/shown-text.ts';
import type { Entity } from '../model/entity.ts';
import { entityName } from '../model/entity.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { allEntities, type State } from '../model/state.ts';
import type { Built } from './built.ts';
import type { LeftOut, UnreadableFile } from './quarantine.ts';

/** A revision with files that cannot be read in their last good version. */
export interface WithFiles {
  readonly built: Built;
  /** Why each of these files is not as the revision has it. */
  readonly why: ReadonlyMap<string, string>;
}

/**
 * Builds a revision again with the last good version of each file that cannot be read, as far as there is one: what
 * other files go by in it (defaults, a Gateway's host, a Service's plugins, a grant) is then there as it was, too, and
 * not only the entities that it declares. Null where there is none that can be read.
 */
export function withLastFiles(
  built: Built,
  unreadable: readonly UnreadableFile[],
  last: Snapshot['entries'] | null,
): WithFiles | null {
  const { entries, rebuild } = built;
  if (last === null || entries === undefined || rebuild === undefined) return null;
  const why = new Map(unreadable.filter(({ covers }) => covers === undefined).map((one) => [one.file, one.why]));
  if (why.size === 0) return null;
  const put = new Map(entries);
  for (const [path, entry] of last) if (why.has(escapeName(path)) && put.has(path)) put.set(path, entry);
  const again = rebuild(put);
  for (const file of why.keys()) if (!isPut(file, entries, put)) why.delete(file);
  return why.size === 0 ? null : { built: again, why };
}

function isPut(file: string, before: Snapshot['entries'], after: Snapshot['entries']): boolean {
  return [...after].some(([path, entry]) => escapeName(path) === file && before.get(path) !== entry);
}

/** What such files declare, of what remains of a revision and is not told of for another reason. */
export function keptWithFiles(
  state: State,
  { why }: Pick<WithFiles, 'why'>,
  told: readonly LeftOut[],
): readonly LeftOut[] {
  const known = new Set(told.map(({ entity: { kind, name } }) => `${kind}\n${name}`));
  const isNew = (entity: Entity) => !known.has(`${entity.kind}\n${entity.name}`);
  return allEntities(state).flatMap((entity): readonly LeftOut[] => {
    const location = entity.source?.location ?? null;
    const reason = location === null ? undefined : why.get(location.file);
    if (reason === undefined || !isNew(entity)) return [];
    return [{ entity: entityName(entity), location, why: reason, cause: null, keptLastGood: true }];
  });
}
