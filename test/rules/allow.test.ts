import { describe, expect, test } from 'vitest';
import { readAllowances } from '../../src/rules/comments/allowance.ts';
import { type BuildingFor, buildFiles } from './building.ts';

async function found(text: string, options: BuildingFor = {}): Promise<readonly string[]> {
  const file = `_format_version: "3.0"\n${text.replace(/^\n/, '')}`;
  const { diagnostics } = await buildFiles(new Map([['kong.yaml', Buffer.from(file)]]), options);
  return diagnostics.map(({ rule, locations }) => `${rule} ${locations[0]?.line}`);
}

const looksLikeRegex = (before: string, behind = '') => `
services:
  - name: films
    host: films.internal
    routes:
${before}      - name: films${behind}
        paths: ['/films/\\d+']
`;

describe('a comment that allows a finding', () => {
  test('on the line before the entity', async () => {
    expect(await found(looksLikeRegex(''))).toEqual(['path-looks-like-regex 7']);
    const comment = '      # konverge: allow path-looks-like-regex because the backslash is real\n';
    expect(await found(looksLikeRegex(comment))).toEqual([]);
    expect(await found(looksLikeRegex(`${comment}      # and a remark\n\n`))).toEqual([]);
  });

  test('on the line of the entity, or of the finding', async () => {
    const comment = ' # konverge: allow path-looks-like-regex because it is so';
    expect(await found(looksLikeRegex('', comment))).toEqual([]);
    expect(await found(looksLikeRegex('').replace("+']", `+']${comment}`))).toEqual([]);
  });

  test('of one entity only', async () => {
    const text = `${looksLikeRegex('', ' # konverge: allow path-looks-like-regex because it is so')}      - name: more
        paths: ['/more/\\d+']
`;
    expect(await found(text)).toEqual(['path-looks-like-regex 9']);
  });

  test('names several rules', async () => {
    const comment = '      # konverge: allow path-looks-like-regex, open-route because of reasons\n';
    expect(await found(looksLikeRegex(comment))).toEqual(['unused-allow 6']);
  });

  test('is reported when it allows nothing, or names no rule', async () => {
    const of = (rule: string) => looksLikeRegex(`      # konverge: allow ${rule} because of reasons\n`);
    expect(await found(of('same-match'))).toEqual(['unused-allow 6', 'path-looks-like-regex 8']);
    expect(await found(of('same-mach'))).toEqual(['unused-allow 6', 'path-looks-like-regex 8']);
    expect(await found(of('same-match'), { rules: { 'same-match': 'off' } })).toEqual(['path-looks-like-regex 8']);
    expect(await found(of('same-match'), { rules: { 'unused-allow': 'off' } })).toEqual(['path-looks-like-regex 8']);
  });

  test('without a reason has no effect', async () => {
    for (const said of ['allow path-looks-like-regex', 'allow path-looks-like-regex because', 'ignore this']) {
      expect(await found(looksLikeRegex(`      # konverge: ${said}\n`))).toEqual([
        'invalid-allow 6',
        'path-looks-like-regex 8',
      ]);
    }
  });
});

describe('comments are read', () => {
  const read = (text: string) => {
    const { allowances, diagnostics } = readAllowances('a.yaml', text);
    return [...allowances.map(({ rule, line }) => `${rule} ${line}`), ...diagnostics.map(({ rule }) => rule)];
  };

  test('with their place', () => {
    const { allowances } = readAllowances('a.yaml', 'x: 1\r\ny: 2  # konverge: allow a-b because c\r\n');
    expect(allowances).toEqual([
      {
        rule: 'a-b',
        file: 'a.yaml',
        line: 2,
        location: { file: 'a.yaml', line: 2, column: 7, endLine: 2, endColumn: 38, pointer: null },
      },
    ]);
  });

  test('not where they are texts', () => {
    expect(read('x: "# konverge: allow a because b"')).toEqual([]);
    expect(read("x: 'so # konverge: allow a because b'")).toEqual([]);
    expect(read("x: it's # konverge: allow a because b")).toEqual(['a 1']);
    expect(read('x: a#konverge: allow a because b')).toEqual([]);
    expect(read('konverge: allow a because b')).toEqual([]);
  });

  test('at the end of a file, about their own line', () => {
    expect(read('x: 1\n# konverge: allow a because b')).toEqual(['a 2']);
  });
});

describe('severities', () => {
  const text = `
services:
  - name: films
    host: films.internal
    plugins:
      - name: cors
        config: {credentials: true}
`;
  const severity = async (rules: BuildingFor['rules']) => {
    const file = `_format_version: "3.0"${text}`;
    const { diagnostics } = await buildFiles(new Map([['kong.yaml', Buffer.from(file)]]), { rules });
    return diagnostics.map((one) => `${one.rule} ${one.severity}`);
  };

  test('of a rule, and of all of its group', async () => {
    expect(await severity({})).toEqual(['cors-credentials warning']);
    expect(await severity({ 'cors-credentials': 'error' })).toEqual(['cors-credentials error']);
    expect(await severity({ security: 'error' })).toEqual(['cors-credentials error']);
    expect(await severity({ security: 'off' })).toEqual([]);
    expect(await severity({ security: 'error', 'cors-credentials': 'off' })).toEqual([]);
  });

  test('a group does not make a rule run that has to be asked for', async () => {
    const secret = `_format_version: "3.0"
consumers:
  - username: web
    keyauth_credentials:
      - key: 9fk2-ws81-plq0-7ahz
`;
    const build = (rules: BuildingFor['rules']) => buildFiles(new Map([['kong.yaml', Buffer.from(secret)]]), { rules });
    expect((await build({ security: 'error' })).diagnostics).toEqual([]);
    expect((await build({ 'plain-secret': 'error' })).valid).toBe(false);
  });
});
