import type { ObjectDatabase } from '../objects/object-database.ts';
import { StoreDamage } from '../objects/store-damage.ts';
import { readCommit } from './commit-snapshot.ts';

/**
 * First-parent ancestors of a commit, newest first, itself left out, at most `limit` of them. Where one is not there,
 * `deepen` is asked for more, with how many generations there are (the commit's own being the first); it gives false
 * where the history simply ends. Throws StoreDamage when that brought nothing.
 */
export async function firstParents(
  objects: ObjectDatabase,
  revision: string,
  limit: number,
  deepen: (depth: number) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  let current = revision;
  while (found.length < limit) {
    const [parent] = (await readCommit(objects, current)).parents;
    if (parent === undefined) break;
    if (!(await objects.has(parent))) {
      if (!(await deepen(found.length + 1))) break;
      if (!(await objects.has(parent))) throw new StoreDamage('missing', `commit ${parent} was not sent`);
    }
    found.push(parent);
    current = parent;
  }
  return found;
}
