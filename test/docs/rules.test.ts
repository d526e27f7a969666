import { expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import { riskWords } from '../../src/build/risk/codes.ts';
import { signaturePages } from '../../src/git/signatures/pages.ts';
import { stateWords } from '../../src/lane/ending.ts';
import { holdPages } from '../../src/plan/hold-pages.ts';
import { findingNames, inOneLine, ruleNames, usualSeverity } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { konverge } from '../support/command-line.ts';
import { blocks, read, rows } from './pages.ts';

const page = read('docs/rules.md');

/** The words of a group, each with its sentence, without the group's heading. */
const lines = (group: readonly string[]) => group.slice(1).map((line) => line.split(/ {2,}/));

test('has every rule, with its severity and what it is about', () => {
  expect(rows(page, 'rule')).toEqual(ruleNames.map((name) => [`\`${name}\``, usualSeverity(name), inOneLine(name)]));
});

test('has every finding of reading the files', () => {
  const others = findingNames.filter((name) => !ruleNames.includes(name));
  expect(rows(page, 'finding')).toEqual(others.map((name) => [`\`${name}\``, inOneLine(name)]));
});

test('shows a comment that is understood', async () => {
  const [example = ''] = blocks(page, 'yaml');
  const text = `_format_version: "3.0"\nservices:\n  - name: s\n    host: h\n    ${example.replaceAll('\n', '\n    ')}`;
  const bytes = new TextEncoder().encode(text);
  const { diagnostics } = build(
    { revision: null, entries: new Map([['a.yaml', { type: 'file', bytes, blob: null }]]) },
    {
      scope: null,
      schemas: await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' }),
      rules: {},
      environment: () => undefined,
      instant: 0,
    },
  );
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['unused-allow']);
});

test('is what `explain` lists', async () => {
  const { code, stdout } = await konverge(['explain'], '.');
  expect(code).toBe(0);
  const [findings = [], ...others] = stdout.split('\n\n').map((group) => group.trimEnd().split('\n'));
  expect(lines(findings)).toEqual(findingNames.map((name) => [name, inOneLine(name)]));
  expect(others.map((group) => lines(group).map(([word]) => word))).toEqual(
    [riskWords, holdPages, stateWords, signaturePages].map((words) => Object.keys(words)),
  );
});
