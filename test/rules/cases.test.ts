import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { rules } from '../../src/rules/registry.ts';
import { buildFiles, filesUnder } from './building.ts';

const root = new URL('../cases/rules/', import.meta.url).pathname;

const expectation = z.strictObject({
  edition: z.enum(['oss', 'enterprise']),
  router: z.enum(['traditional', 'traditional_compatible', 'expressions']).optional(),
  mode: z.enum(['database', 'dbless', 'konnect']).optional(),
  rules: z.record(z.string(), z.enum(['error', 'warning', 'off'])).optional(),
  /** What is found in `invalid/`: rule, severity, and each place. */
  invalid: z.array(z.string()),
});

function brief({ rule, severity, locations }: Diagnostic): string {
  return [rule, severity, ...locations.map(({ file, line, column }) => `${file}:${line}:${column}`)].join(' ');
}

describe.each(rules.map((rule) => rule.name))('%s', (name) => {
  const folder = join(root, name);

  test('has cases, finds what the invalid one is about at its place, and nothing in the valid one', async () => {
    expect(['valid', 'invalid', 'expected.json'].filter((part) => !existsSync(join(folder, part)))).toEqual([]);
    const expected = expectation.parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')));
    const invalid = await buildFiles(filesUnder(join(folder, 'invalid')), expected);
    expect(invalid.diagnostics.map(brief)).toEqual(expected.invalid);
    expect(expected.invalid.some((line) => line.startsWith(`${name} `))).toBe(true);
    const valid = await buildFiles(filesUnder(join(folder, 'valid')), expected);
    expect(valid.diagnostics.map(brief)).toEqual([]);
  });
});

test('there are cases of rules only', () => {
  expect(readdirSync(root).sort()).toEqual(rules.map((rule) => rule.name).sort());
});
