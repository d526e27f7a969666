import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../src/model/diagnostic.ts';
import { explain, ruleNames, rules } from '../../src/rules/registry.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { buildFiles } from './building.ts';

interface Example {
  readonly text: string;
  readonly destination: string;
}

/** The examples of a page by their tag. */
function examples(page: string, tag: 'bad' | 'good'): readonly Example[] {
  return [...page.matchAll(/^```yaml (\w+)(?: (\w+))?\n(.*?)^```$/gms)]
    .filter(([, of]) => of === tag)
    .map(([, , destination = '', text = '']) => ({ text, destination }));
}

async function build(example: Example | undefined, rule: Rule) {
  const { text = '', destination = '' } = example ?? {};
  return buildFiles(new Map([['kong.yaml', Buffer.from(text)]]), {
    edition: destination === 'konnect' ? 'enterprise' : 'oss',
    router: destination === 'expressions' ? 'expressions' : undefined,
    mode: destination === 'konnect' || destination === 'dbless' ? destination : undefined,
    rules: rule.onRequest === true ? { [rule.name]: 'warning' } : {},
  });
}

describe.each(rules)('$name', (rule) => {
  const { name, documentation, summary } = rule;
  test('has a page with its parts', () => {
    expect(explain(name)).toBe(documentation);
    expect(documentation.startsWith(`# ${name}\n`)).toBe(true);
    expect([...documentation.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      'Why',
      'Wrong',
      'Right',
      'How to fix it',
    ]);
    expect(documentation).not.toMatch(/undefined|\[object/);
    expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  test('finds its wrong example, at a place in it, and no error in its right one', async () => {
    const [bad, good] = [examples(documentation, 'bad'), examples(documentation, 'good')];
    expect([bad.length, good.length]).toEqual([1, 1]);
    const wrong = await build(bad[0], rule);
    const found = wrong.diagnostics.filter((diagnostic) => diagnostic.rule === name);
    expect(found.length).toBeGreaterThan(0);
    for (const { locations, entities } of found) {
      expect(locations.length).toBeGreaterThan(0);
      expect(entities.length).toBeGreaterThan(0);
    }
    const right = await build(good[0], rule);
    expect(right.diagnostics.filter((diagnostic) => hasErrors([diagnostic]) || diagnostic.rule === name)).toEqual([]);
  });
});

test('no two pages have an example in common', () => {
  const texts = rules.flatMap(({ name, documentation }) =>
    (['bad', 'good'] as const).flatMap((tag) => examples(documentation, tag).map(({ text }) => ({ name, text }))),
  );
  const shared = texts.filter(({ name, text }) => texts.some((other) => other.name !== name && other.text === text));
  expect(shared.map(({ name }) => name)).toEqual([]);
});

test('names are kebab-case, sorted and unique', () => {
  expect(ruleNames).toEqual([...new Set(rules.map((rule) => rule.name))].sort());
  for (const name of ruleNames) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  expect(explain('no-such-rule')).toBeUndefined();
});
