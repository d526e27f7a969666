import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadingSettings, readFiles, summary } from './support.ts';

const root = new URL('../cases/deck/', import.meta.url);

function filesOf(name: string): readonly (readonly [string, string])[] {
  const folder = new URL(`${name}/`, root);
  return readdirSync(folder)
    .filter((file) => file !== 'expected.json' && file !== 'settings.json')
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const);
}

function settingsOf(name: string): ReadingSettings {
  const file = new URL(`${name}/settings.json`, root);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Each folder of test/cases/deck holds decK files and, in `expected.json`, what they come to. `settings.json` says with
 * which variables, and whether for any Kong.
 */
describe('decK files', () => {
  for (const name of readdirSync(root).sort()) {
    const files = filesOf(name);
    const settings = settingsOf(name);
    const expected: unknown = JSON.parse(readFileSync(new URL(`${name}/expected.json`, root), 'utf8'));

    it(`${name}: gives the expected entities and findings`, () => {
      expect(summary(readFiles(files, settings))).toEqual(expected);
    });

    it(`${name}: gives the same in any order of files`, () => {
      const shuffled = fc.shuffledSubarray([...files], { minLength: files.length });
      fc.assert(
        fc.property(shuffled, (order) => {
          expect(summary(readFiles(order, settings))).toEqual(expected);
        }),
        { numRuns: files.length === 1 ? 1 : 10 },
      );
    });
  }
});
