import { describe, expect, it } from 'vitest';
import { defaultManifestLimits } from '../../src/manifest/limits.ts';
import type { StandIns } from '../../src/manifest/template/evaluate.ts';
import { expandFile } from '../../src/manifest/template/expand-file.ts';
import { resolveTemplates } from '../../src/manifest/templates.ts';
import { found, parse, shown } from './support.ts';

const variables: { readonly [name: string]: string } = {
  DECK_STAGE: 'prod',
  DECK_TEXT: 'some text',
  DECK_FLAG: 'true',
  DECK_COUNT: '3',
  DECK_HARD: 'a: "b" #c\n%d',
  DECK_LIST: '- name: one\n- name: two',
  DECK_FIELDS: 'port: 8080\nretries: 2',
  DECK_FLOW: '["a", "b"]',
  DECK_BROKEN: 'secret: [',
};

/** An action of decK's templates. */
function action(inner: string): string {
  return `$\{{${inner}}}`;
}

function read(text: string, standIns: StandIns = 'never') {
  const world = { environment: (name: string) => variables[name], standIns };
  const file = expandFile(parse(text), world, defaultManifestLimits);
  const resolved = file.documents.map((document) => resolveTemplates(document, world.environment, standIns));
  const [first] = resolved;
  return {
    value: first?.document.value ?? null,
    document: first?.document,
    diagnostics: [...file.diagnostics, ...resolved.flatMap(({ diagnostics }) => diagnostics)],
  };
}

describe('templates that decide what is in a file', () => {
  const text = [
    'services:',
    '- name: a',
    `  host: ${action(' env "DECK_HARD" ')}`,
    action(' if eq (env "DECK_STAGE") "prod" '),
    '- name: b',
    '  port: 80',
    action(' else if env "DECK_FLAG" | toBool '),
    '- name: c',
    action(' else '),
    '- name: d',
    action(' end '),
    '',
  ].join('\n');

  it('leave what holds, and values in it can still do no harm', () => {
    const { value, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      services: [
        { name: 'a', host: variables['DECK_HARD'] },
        { name: 'b', port: 80 },
      ],
    });
  });

  it('keep the places of the file as it was written', () => {
    const { document } = read(text);
    expect(document?.at(['services', 1, 'port'])).toMatchObject({ line: 6, column: 9, pointer: '/services/1/port' });
    expect(document?.at(['services', 0, 'host'])).toMatchObject({ line: 3, column: 9 });
    expect([...(document?.fromEnvironment ?? [])]).toEqual([['/services/0/host', 'DECK_HARD']]);
  });

  it('may set variables, be commented, and trim the blanks around them', () => {
    const lines = [
      `${action('/* what it is for */ -')}`.replace('/ -}}', '/ -}}'),
      action(' $name := printf "%s-%03d" (env "DECK_STAGE") (env "DECK_COUNT" | toInt) '),
      `# ${action(' if ')} is only a remark`,
      `name: ${action(' $name ')}`,
      `flag: ${action(' and true (ne (env "DECK_STAGE") "test") ')}`,
      `joined: "a ${action('- env "DECK_STAGE" -')} b"`,
    ];
    const { value, diagnostics, document } = read(`${lines.join('\n')}\n`);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({ name: 'prod-003', flag: true, joined: 'aprodb' });
    expect([...(document?.fromEnvironment.keys() ?? [])].sort()).toEqual(['/flag', '/joined', '/name']);
  });

  it('are reported where they are wrong, in place of what YAML makes of them', () => {
    const unset = `a: 1\n${action(' if env "DECK_NONE" ')}\nb: 2\n${action(' end ')}\n`;
    expect(found(read(unset).diagnostics)).toEqual(['template-variable 2:1-2:4']);
    const open = `a: 1\n${action(' if true ')}\nb: 2\n`;
    expect(found(read(open).diagnostics)).toEqual(['template-syntax 2:1-2:4']);
    const loop = `a:\n${action(' range $i := 3 ')}\n- 1\n${action(' end ')}\n`;
    expect(read(loop).diagnostics.map(({ rule }) => rule)).toContain('template-syntax');
  });
});

describe('templates that stand outside of values', () => {
  it('bring lists, keys and whole blocks', () => {
    const text = [
      'services:',
      action(' env "DECK_LIST" '),
      'upstream:',
      '  name: u',
      `  ${action(' env "DECK_FIELDS" | indent 2 ')}`,
      `other: ${action(' env "DECK_TEXT" ')}`,
      '',
    ].join('\n');
    const { value, diagnostics, document } = read(text);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      services: [{ name: 'one' }, { name: 'two' }],
      upstream: { name: 'u', port: 8080, retries: 2 },
      other: 'some text',
    });
    expect(document?.fromEnvironment.get('/services/1/name')).toBe('DECK_LIST');
    expect(document?.fromEnvironment.get('/upstream/port')).toBe('DECK_FIELDS');
    expect(document?.fromEnvironment.has('/upstream/name')).toBe(false);
    expect(shown(document?.at(['upstream', 'port']) ?? expect.fail())).toBe('5:3-5:38');
    expect(document?.at(['other'])).toMatchObject({ line: 6, column: 8 });
  });

  it('are lists and mappings where a value of its own lines, or in brackets, is one', () => {
    const text = `a: ${action(' env "DECK_FLOW" ')}\nb:\n  ${action(' env "DECK_LIST" ')}\nc: "${action(' env "DECK_FLOW" ')}"\n`;
    const { value, document } = read(text);
    expect(value).toEqual({ a: ['a', 'b'], b: [{ name: 'one' }, { name: 'two' }], c: '["a", "b"]' });
    expect(document?.environmentTexts?.get('/a')).toBe('["a", "b"]');
  });

  it('are reported without what they hold', () => {
    const { diagnostics } = read(`a: 1\n${action(' env "DECK_BROKEN" ')}\n`);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(JSON.stringify(diagnostics)).not.toContain('secret');
  });

  it('do not hide what is wrong with the rest of the file', () => {
    const { diagnostics } = read(`a: "${action(' env "DECK_TEXT" ')}"\nb: [1\n`);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['yaml-syntax']);
  });
});

describe('values that stand in for those of the environment', () => {
  const text = `a: ${action(' env "DECK_SOME_HOST" ')}\nb: ${action(' env "DECK_OTHER" ')}\nc: ${action(' env "DECK_N" | toInt ')}\nd: ${action(' env "DECK_B" | toBool ')}\n`;

  it('are another for each variable, of the type that its function gives', () => {
    const { value, diagnostics } = read(text, 'always');
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({ a: 'deck-some-host', b: 'deck-other', c: 42, d: false });
  });

  it('are taken where needed, with a warning', () => {
    const { value, diagnostics } = read(`a: ${action(' env "DECK_TEXT" | toInt ')}\n`, 'where-needed');
    expect(value).toEqual({ a: 42 });
    expect(diagnostics.map(({ rule, severity }) => [rule, severity])).toEqual([['template-conversion', 'warning']]);
  });
});
