import { compileGlob } from '../manifest/glob.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Scope } from './built.ts';

/** Patterns of a destination's `include` that fit no file there is; a warning for each. */
export function unusedIncludes({ entries }: Snapshot, { destination, include }: Scope): readonly Diagnostic[] {
  const unused = include.filter((pattern) => {
    const glob = compileGlob(pattern);
    return ![...entries.keys()].some((path) => glob.matches(path));
  });
  const owner = destination === undefined ? 'a destination' : `the destination "${destination}"`;
  return unused.map((pattern) => ({
    rule: 'unused-include',
    severity: 'warning',
    message: `No file fits ${JSON.stringify(pattern)}, which ${owner} includes.`,
    hint: 'Correct the pattern: it is relative to repository.path, and ** stands for any folders.',
    locations: [],
    entities: [],
  }));
}
