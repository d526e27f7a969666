import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../src/build/build.ts';
import { folderSnapshot } from '../../src/git/folder-snapshot.ts';
import { allEntities } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Outcome } from './outcome.ts';

/** Builds every case that has several files in two orders: same digest, same findings, same ids. */
export async function orderCases(folder: string, wanted: (name: string) => boolean): Promise<readonly Outcome[]> {
  const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
  const settings = { scope: null, schemas, rules: {}, environment: () => '10', instant: 0 } as const;
  const outcomes: Outcome[] = [];
  for (const name of readdirSync(folder).sort().filter(wanted)) {
    const { snapshot } = await folderSnapshot([join(folder, name, 'repo')]);
    if (snapshot.entries.size < 2) continue;
    const [one, other] = [snapshot, { ...snapshot, entries: new Map([...snapshot.entries].reverse()) }].map((files) => {
      const { state, digest, diagnostics } = build(files, settings);
      return JSON.stringify([
        digest,
        diagnostics,
        allEntities(state).map(({ kind, id, identity }) => [kind, id, identity]),
      ]);
    });
    const faults = one === other ? [] : ['another order of files gives something else'];
    outcomes.push({ group: 'files in another order', name: `${name} (order)`, passed: faults.length === 0, faults });
  }
  return outcomes;
}
