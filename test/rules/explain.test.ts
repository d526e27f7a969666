import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explain, findingNames } from '../../src/rules/registry.ts';

const source = new URL('../../src/', import.meta.url).pathname;

function textsUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** Names of findings outside of rules/: given as `rule: '…'`, in a union of them, or to a function that makes one. */
function namesIn(text: string): readonly string[] {
  const given = [...text.matchAll(/\brule: '([a-z-]+)'/g), ...text.matchAll(/\brule\(\s*'([a-z-]+)'/g)];
  const unions = [...text.matchAll(/export type \w+Rule =((?:\s+\| '[a-z-]+')+);/g)].flatMap(([, union = '']) => [
    ...union.matchAll(/'([a-z-]+)'/g),
  ]);
  return [...given, ...unions].map(([, name = '']) => name);
}

describe('every finding that can be printed', () => {
  const folders = ['manifest', 'dialect', 'build', 'destination', 'lane', 'rules/comments'];
  const names = [...new Set(folders.flatMap((folder) => textsUnder(join(source, folder)).flatMap(namesIn)))].sort();

  test('is looked for where findings are made', () => {
    expect(names.length).toBeGreaterThan(40);
    expect(names).toContain('yaml-syntax');
    expect(names).toContain('unknown-key');
  });

  test.each(names)('%s has a page', (name) => {
    const page = explain(name) ?? '';
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    expect(page).toContain('## How to fix it');
  });

  test('of a group is listed by the page of the group', () => {
    expect(explain('security')).toContain('- `open-route`: ');
    expect(explain('nothing')).toBeUndefined();
  });

  test('has one name only', () => {
    expect(findingNames).toEqual([...new Set(findingNames)]);
  });
});
