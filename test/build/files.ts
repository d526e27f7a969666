import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { BuildSettings, Built } from '../../src/build/built.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { State } from '../../src/model/state.ts';
import type { Schemas } from '../../src/schema/schema.ts';

/** Texts by the names of their files. */
export type Files = { readonly [file: string]: string };

/** A commit of these files. */
export function snapshotOf(files: Iterable<readonly [string, string]>): Snapshot {
  const entries = [...files].map(([file, text]) => {
    const bytes = Buffer.from(text);
    const blob = createHash('sha1').update(bytes).digest('hex');
    return [file, { type: 'file', bytes, blob }] as const;
  });
  return { revision: 'a'.repeat(40), entries: new Map(entries) };
}

/** What files build to for no destination in particular, without any rule set and in an empty environment. */
export function builtOf(files: Files, schemas: Schemas, settings: Partial<BuildSettings> = {}): Built {
  const plain = { scope: null, schemas, rules: {}, environment: () => undefined, instant: 0 };
  return build(snapshotOf(Object.entries(files)), { ...plain, ...settings });
}

/** The state of what has no errors. */
export function stateOfGood({ diagnostics, state }: Built): State {
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return state;
}
