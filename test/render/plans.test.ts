import { describe, expect, test } from 'vitest';
import type { Change, Plan } from '../../src/plan/plan.ts';
import { renderPlansJson } from '../../src/render/plan-json.ts';
import { renderPlansMarkdown } from '../../src/render/plan-markdown.ts';
import { renderPlansText } from '../../src/render/plan-text.ts';

const id = '00000000-0000-4000-8000-000000000001';
const location = { file: 'a.yaml', line: 9, column: 5, endLine: 9, endColumn: 11, pointer: '/routes/0' };
const change: Change = {
  action: 'update',
  kind: 'routes',
  id,
  name: 'orders',
  parent: { kind: 'services', name: 'shop' },
  fields: [
    { path: '/paths/0', from: '/v1', to: '/v2' },
    { path: '/key', from: '***', to: '***', secret: true },
    { path: '/hosts/0', to: 'a.test' },
    { path: '/priority', from: 7 },
  ],
  location,
};
const removal: Change = { ...change, action: 'delete', name: 'old', fields: [], location: null, parent: null };

function planOf(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  const count = (action: Change['action']) => changes.filter((one) => one.action === action).length;
  return {
    destination: 'prod-eu',
    revision: '0123456789abcdef0123456789abcdef01234567',
    digest: 'sha256:d',
    fingerprint: 'sha256:f',
    summary: { create: count('create'), update: count('update'), delete: count('delete'), unchanged: 41 },
    changes,
    warnings: [],
    held: null,
    ...more,
  };
}

const held = { code: 'mass-delete', message: '9 of 10 would go', hint: 'approve it' } as const;

describe('a plan as text', () => {
  test('shows each change with its fields and its place, and the counts', () => {
    expect(renderPlansText([planOf([change, removal])], { color: false })).toBe(
      [
        'prod-eu: plan for 0123456',
        '  ~ route "orders" of service "shop"  a.yaml:9',
        '      /paths/0: "/v1" → "/v2"',
        '      /key: changed (secret)',
        '      /hosts/0: (nothing) → "a.test"',
        '      /priority: 7 → (nothing)',
        '  - route "old"',
        'none to create, 1 to update, 1 to delete; 41 unchanged',
        '',
      ].join('\n'),
    );
  });

  test('says that nothing changes, what is held and why, and what to know', () => {
    expect(renderPlansText([planOf([], { held, warnings: ['beware'], revision: null })], { color: false })).toBe(
      [
        'prod-eu: plan for the working tree',
        'no changes; 41 unchanged',
        'warning: beware',
        'held (mass-delete): 9 of 10 would go',
        '  approve it',
        '  fingerprint: sha256:f',
        '',
      ].join('\n'),
    );
  });

  test('uses colours only when told to, and lets no name reach the terminal as a command', () => {
    const hostile = planOf([{ ...change, name: '\u001b[2J\u202e"\n', fields: [] }], { warnings: ['\u001b[31m'] });
    const esc = String.fromCharCode(27);
    expect(renderPlansText([hostile], { color: true })).toContain(`${esc}[`);
    const plain = renderPlansText([hostile], { color: false });
    expect(plain).not.toContain(esc);
    expect(plain).not.toContain('\u202e');
    expect(plain.trimEnd().split('\n')).toHaveLength(4);
  });

  test('cuts a long value', () => {
    const long = planOf([{ ...change, fields: [{ path: '/x', to: 'y'.repeat(5000) }] }]);
    expect(renderPlansText([long], { color: false }).length).toBeLessThan(400);
  });
});

describe('a plan as JSON', () => {
  test('has the stable form, in its order of keys', () => {
    const text = renderPlansJson([planOf([change], { warnings: ['beware'], held })]);
    expect(JSON.stringify(JSON.parse(text))).toBe(
      JSON.stringify({
        destination: 'prod-eu',
        revision: '0123456789abcdef0123456789abcdef01234567',
        digest: 'sha256:d',
        fingerprint: 'sha256:f',
        summary: { create: 0, update: 1, delete: 0, unchanged: 41 },
        changes: [
          {
            action: 'update',
            kind: 'routes',
            id,
            name: 'orders',
            parent: { kind: 'services', name: 'shop' },
            fields: change.fields,
            location: { file: 'a.yaml', line: 9, column: 5 },
          },
        ],
        warnings: ['beware'],
        held,
      }),
    );
  });

  test('holds several plans in a list, and none in an empty one', () => {
    expect(JSON.parse(renderPlansJson([planOf([]), planOf([])]))).toMatchObject({ plans: [{}, {}] });
    expect(JSON.parse(renderPlansJson([]))).toEqual({ plans: [] });
  });
});

describe('a plan as Markdown', () => {
  test('shows changes that several destinations share once, and a held plan by itself', () => {
    const at = (destination: string, more: Partial<Plan> = {}) => planOf([removal], { destination, ...more });
    const text = renderPlansMarkdown([at('a'), at('b', { fingerprint: 'sha256:g' }), at('c', { held }), at('d')]);
    expect(text.match(/<summary>[^:]*/g)).toEqual(['<summary>a, b, d', '<summary>c']);
    expect(text).toContain('**c is held:**');
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => at(name, { warnings: ['beware'] }));
    expect(renderPlansMarkdown(six)).toContain('- ⚠ a, b, c, d and 2 more: beware');
    expect(renderPlansMarkdown(six).match(/^\| [a-f] \|/gm)).toHaveLength(6);
  });

  test('is a table with the changes folded below', () => {
    const text = renderPlansMarkdown([planOf([change]), planOf([], { destination: 'edge' })]);
    expect(text).toContain('| prod-eu | 0 | 1 | 0 | 41 |  |');
    expect(text).toContain('| edge | 0 | 0 | 0 | 41 | in place |');
    expect(text).toContain('! route "orders" of service "shop" (a.yaml:9)\n    /paths/0: "/v1" → "/v2"');
    expect(text.match(/<details>/g)).toHaveLength(1);
  });

  test('says what is held, with the fingerprint to approve', () => {
    const text = renderPlansMarkdown([planOf([removal], { held })]);
    expect(text).toContain('| held: mass-delete |');
    expect(text).toContain('`sha256:f`');
  });

  test('lets no name become markup, HTML, a mention, or the end of a block', () => {
    const name = '```\n</details><img src=x> @everyone | [a](b)';
    const text = renderPlansMarkdown([planOf([{ ...change, name }], { destination: 'prod', warnings: [name] })]);
    const [before = '', block = '', after = ''] = text.split('````');
    expect(block).toContain('<img');
    for (const outside of [before, after]) {
      expect(outside).not.toContain('<img');
      expect(outside).not.toContain('@everyone');
      expect(outside).not.toMatch(/[^\\]\[a/);
    }
  });

  test('stays within what a comment may hold, and says how much is left out', () => {
    const many = Array.from({ length: 5000 }, (_, at) => ({ ...change, name: `r${at}` }));
    const text = renderPlansMarkdown([planOf(many)]);
    expect(text.length).toBeLessThan(20_000);
    expect(text).toMatch(/… and \d+ more changes/);
  });
});
