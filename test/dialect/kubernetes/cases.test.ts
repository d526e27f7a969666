import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CaseSettings, documentsOf, type Files, readManifests, summary } from './support.ts';

const root = new URL('../../cases/kubernetes/', import.meta.url);

function filesOf(name: string): Files {
  const folder = new URL(`${name}/`, root);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const);
}

function settingsOf(name: string): CaseSettings {
  const file = new URL(`${name}/settings.json`, root);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Each folder of test/cases/kubernetes holds manifests and, in `expected.json`, what they come to. `settings.json` has
 * the keys of the configuration under `kubernetes:`. With KONVERGE_CASES=write what is found becomes what is expected.
 */
describe('Kubernetes manifests', () => {
  for (const name of readdirSync(root).sort()) {
    const documents = documentsOf(filesOf(name));
    const settings = settingsOf(name);
    const expectation = new URL(`${name}/expected.json`, root);

    it(`${name}: gives the expected entities and findings`, () => {
      const found = summary(readManifests(documents, settings));
      if (process.env['KONVERGE_CASES'] === 'write') writeFileSync(expectation, `${JSON.stringify(found, null, 1)}\n`);
      expect(found).toEqual(JSON.parse(readFileSync(expectation, 'utf8')));
    });

    it(`${name}: gives the same whatever the order of documents`, () => {
      const expected = JSON.stringify(summary(readManifests(documents, settings)));
      const orders = fc.shuffledSubarray([...documents], { minLength: documents.length });
      fc.assert(
        fc.property(orders, (order) => {
          expect(JSON.stringify(summary(readManifests(order, settings)))).toBe(expected);
        }),
        { numRuns: 10 },
      );
    });
  }
});
