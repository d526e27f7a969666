import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Location } from '../../src/model/location.ts';
import { renderDiagnosticsGitHub } from '../../src/render/diagnostics-github.ts';
import { renderDiagnosticsJson } from '../../src/render/diagnostics-json.ts';
import { renderDiagnosticsJUnit } from '../../src/render/diagnostics-junit.ts';
import { renderDiagnosticsSarif } from '../../src/render/diagnostics-sarif.ts';
import { renderDiagnosticsText, summaryLine } from '../../src/render/diagnostics-text.ts';

const at = (
  file: string,
  line: number,
  column: number,
  endColumn: number,
  pointer: string | null = '/x',
): Location => ({
  file,
  line,
  column,
  endLine: line,
  endColumn,
  pointer,
});
const finding = (...locations: Location[]): Diagnostic => ({
  rule: 'unique-name',
  severity: 'error',
  message: '2 services have the same name "orders".',
  hint: 'Rename one.',
  locations,
  entities: [{ kind: 'services', name: 'orders' }],
});
const files: Record<string, string> = {
  'a.yaml': 'services:\n  - name: orders\n    host: h\n',
  'b.yaml': 'services:\r\n  - name: orders\r\n',
};
const text = (diagnostics: readonly Diagnostic[], sources: Record<string, string> = files, more = {}) =>
  renderDiagnosticsText(diagnostics, { sources: (file) => sources[file], color: false, ...more });

describe('as many findings as there are lines', () => {
  const many = (count: number, item: (index: number) => string, separator: string) => {
    let source = '';
    let line = 1;
    const diagnostics: Diagnostic[] = [];
    for (let index = 0; index < count; index += 1) {
      const own = item(index);
      const key = own.indexOf('prt');
      const column = (separator === '\n' ? 0 : source.length) + key + 1;
      diagnostics.push({ ...finding(at('m.yaml', line, column, column + 3, `/${index}/prt`)), rule: 'unknown-field' });
      source += `${own}${separator}`;
      if (separator === '\n') line += 1;
    }
    return text(diagnostics, { 'm.yaml': source });
  };

  test('take time that grows with their number only, in lines of their own', () => {
    const shown = many(60_000, (index) => `- {name: s${index}, host: h, prt: ${index}}`, '\n');
    expect(shown).toContain('60000 | - {name: s59999, host: h, prt: ***}\n');
  }, 20_000);

  test('and in one line, of which so much is shown as can be read', () => {
    const shown = many(4_000, (index) => `{"name": "s${index}", "prt": ${index}}`, ', ');
    expect(shown).toContain('"s2000", "prt": ***}, {"name"');
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThan(140);
  }, 20_000);

  test('also below each other, in a file that could not be read', () => {
    const source = `a:\n${'  - b\n'.repeat(30_000)}`;
    const found = Array.from({ length: 30_000 }, (_, index) => finding(at('m.yaml', index + 2, 5, 6)));
    expect(text(found, { 'm.yaml': source }, { isRead: () => false })).toContain('30001 |   - ***');
  }, 20_000);
});

describe('text', () => {
  test('shows the line, the place it conflicts with, what to do, and a summary', () => {
    expect(text([finding(at('b.yaml', 2, 11, 17), at('a.yaml', 2, 11, 17))])).toBe(
      [
        'error[unique-name]: 2 services have the same name "orders".',
        ' --> b.yaml:2:11',
        '  |',
        '2 |   - name: orders',
        '  |           ^^^^^^',
        ' ::: a.yaml:2:11',
        '  |',
        '2 |   - name: orders',
        '  |           ------',
        '  = help: Rename one.',
        '',
        '1 error in 1 file.',
        'For what it means and how to fix it: konverge explain unique-name',
        '',
      ].join('\n'),
    );
  });

  test('goes without the line where the file is not at hand or only the file is meant', () => {
    expect(text([finding(at('gone.yaml', 2, 1, 4))])).toContain('--> gone.yaml:2:1\n  = help');
    expect(text([finding(at('a.yaml', 1, 1, 1, null))])).not.toContain('services:\n');
  });

  test('shows at most as many as asked, and counts all', () => {
    const many = [1, 2, 3].map((line) => finding(at('a.yaml', line, 1, 2)));
    const shown = text(many, files, { max: 1 });
    expect(shown.match(/error\[/g)).toHaveLength(1);
    expect(shown).toContain('… and 2 more');
    expect(shown).toContain('3 errors in 1 file.');
  });

  test('shows notes in the same words once, and counts all', () => {
    const notes = ['a.yaml', 'b.yaml', 'c.yaml'].map((file) => ({
      ...finding(at(file, 1, 1, 2)),
      severity: 'info' as const,
    }));
    const shown = text(notes);
    expect(shown.match(/note\[/g)).toHaveLength(1);
    expect(shown).toContain('and 2 more places');
    expect(shown).toContain('3 notes in 3 files.');
    expect(text([finding(at('z.yaml', 1, 1, 2)), ...notes], files, { max: 1 })).toContain('… and 3 more');
    const errors = notes.map((note) => ({ ...note, severity: 'error' as const }));
    expect(text(errors).match(/error\[/g)).toHaveLength(3);
  });

  test('cannot be used to send control characters to a terminal', () => {
    const evil = { 'e.yaml': 'name: \u001b[2Jx' };
    const shown = text([{ ...finding(at('e.yaml', 1, 7, 9)), message: 'a\u001b[31mb\nc' }], evil);
    expect(shown).not.toContain('\u001b');
    expect(shown.split('\n')[0]).toBe('error[unique-name]: a\ufffd[31mb\ufffdc');
  });

  test('puts the caret under wide characters and in long lines', () => {
    const wide = text([finding(at('w.yaml', 1, 9, 11))], { 'w.yaml': 'name: 日本 名前' }).split('\n');
    expect(wide[4]?.indexOf('^')).toBe('1 | name: '.length + '日本'.length * 2 + 0);
    const long = `{"a": "${'x'.repeat(5000)}", "name": "orders", "b": "${'y'.repeat(5000)}"}`;
    const column = long.indexOf('"orders"') + 1;
    const lines = text([finding(at('l.json', 1, column, column + 8))], { 'l.json': long }).split('\n');
    const start = lines[4]?.indexOf('^') ?? -1;
    expect(lines[3]?.length).toBeLessThan(140);
    expect(lines[3]?.slice(start, start + 8)).toBe('"orders"');
    expect(lines[4]?.trimEnd().endsWith('^'.repeat(8))).toBe(true);
  });

  test('colours only when asked', () => {
    expect(renderDiagnosticsText([finding()], { sources: () => undefined, color: true })).toContain('\u001b[1;31m');
  });

  test('says so when there is nothing', () => {
    expect(text([])).toBe('No errors and no warnings.\n');
    expect(
      summaryLine([finding(at('a.yaml', 1, 1, 2)), { ...finding(at('b.yaml', 1, 1, 2)), severity: 'warning' }]),
    ).toBe('1 error and 1 warning in 2 files.');
  });
});

describe('secrets in an echoed line', () => {
  const hidden = 'hunter2-hidden';
  const lineOf = (source: string, needle = hidden, more = {}) => {
    const before = source.slice(0, source.indexOf(needle));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    return text([finding(at('s.yaml', line, column, column + needle.length))], { 's.yaml': source }, more);
  };

  test.each([
    ['block', `consumers:\n  - keyauth_credentials:\n      - key: ${hidden}\n`],
    ['quoted', `- password: "${hidden} \\" ${hidden}" # c\n`],
    ['flow', `basicauth_credentials: [{username: a, password: ${hidden}}]\n`],
    ['json', `{"client_secret":"${hidden}","a":1}\n`],
    ['block text', `secret: |\n  ${hidden}\n`],
    ['nested', `jwk:\n  kty: oct\n  k: ${hidden}\n`],
    ['private key', `cert: a\nlater: |\n  -----BEGIN PRIVATE KEY-----\n  ${hidden}\n  -----END PRIVATE KEY-----\n`],
    ['token in a plugin', `config:\n  redis_password: ${hidden}\n`],
    ['continued', `password: abc\n  ${hidden}\n`],
    ['assignment', `password = ${hidden}\n`],
  ])('%s', (_name, source) => {
    const shown = lineOf(source);
    expect(shown).not.toContain(hidden);
    expect(shown).toContain('***');
    expect(shown).toContain('^^^');
  });

  test('a place that is known to be secret', () => {
    const source = `config:\n  nonsense: ${hidden} tail\n`;
    const secretsIn = () => [at('s.yaml', 2, 13, 13 + hidden.length)];
    const shown = lineOf(source, hidden, { secretsIn });
    expect(shown).not.toContain(hidden);
    expect(shown).toContain('nonsense: *** tail');
  });

  test('what only refers to a secret is shown', () => {
    expect(lineOf(`password: \${{ env "DECK_X" }}\n`, 'DECK_X')).toContain(`\${{ env "DECK_X" }}`);
    expect(lineOf('password: "{vault://env/x}"\n', 'vault')).toContain('{vault://env/x}');
    expect(lineOf('key_names: [apikey]\n', 'apikey')).toContain('[apikey]');
  });
});

describe('machine forms', () => {
  const warning: Diagnostic = {
    ...finding(at('b, c:d.yaml', 2, 1, 5)),
    severity: 'warning',
    message: 'a\nb 100%',
    hint: '',
  };
  const two = [finding(at('b.yaml', 2, 11, 17), at('a.yaml', 2, 11, 17)), warning];

  test('json has the stable form', () => {
    const report = { revision: null, digest: null, valid: false, entities: { services: 2 }, diagnostics: two };
    const form = JSON.parse(renderDiagnosticsJson(report));
    expect(form).toMatchObject({
      revision: null,
      digest: null,
      valid: false,
      summary: { entities: { services: 2 }, errors: 1, warnings: 1 },
    });
    expect(form.diagnostics[0]).toEqual({
      rule: 'unique-name',
      severity: 'error',
      message: '2 services have the same name "orders".',
      hint: 'Rename one.',
      entities: [{ kind: 'services', name: 'orders' }],
      locations: [
        { file: 'b.yaml', line: 2, column: 11, endLine: 2, endColumn: 17, pointer: '/x' },
        { file: 'a.yaml', line: 2, column: 11, endLine: 2, endColumn: 17, pointer: '/x' },
      ],
    });
  });

  test('github annotations escape what would end them', () => {
    expect(renderDiagnosticsGitHub(two, 'gw/').split('\n')).toEqual([
      '::error file=gw/b.yaml,line=2,endLine=2,col=11,endColumn=16,title=unique-name::2 services have the same name "orders".%0ARename one.%0AConflicts with gw/a.yaml:2:11',
      '::warning file=gw/b%2C c%3Ad.yaml,line=2,endLine=2,col=1,endColumn=4,title=unique-name::a%0Ab 100%25',
      '',
    ]);
  });

  test('junit counts errors as failures and is well formed whatever the text', () => {
    const xml = renderDiagnosticsJUnit([{ ...finding(at('a.yaml', 1, 1, 2)), message: '<&"\u0001>' }, warning]);
    expect(xml).toContain('tests="2" failures="1"');
    expect(xml).toContain('message="&lt;&amp;&quot;\ufffd&gt;"');
    const inRepository = renderDiagnosticsJUnit([finding(at('a.yaml', 3, 1, 2))], 'gateway/');
    expect(inRepository).toContain(' file="gateway/a.yaml" line="3"');
    expect(inRepository).toMatch(/classname="a\.yaml" name="\S+ a\.yaml:3:1"/);
    expect(renderDiagnosticsJUnit([])).toContain('<testcase classname="konverge" name="validate"/>');
  });

  test('sarif names every rule and every place', () => {
    const rules = [{ name: 'unique-name', severity: 'error' as const, summary: 's', documentation: '# d' }];
    const log = JSON.parse(
      renderDiagnosticsSarif([...two, { ...warning, rule: 'other' }], { version: '0.1.0', rules }),
    );
    const [run] = log.runs;
    expect(run.tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual(['unique-name', 'other']);
    expect(run.results.map((result: { ruleIndex: number }) => result.ruleIndex)).toEqual([0, 0, 1]);
    expect(run.results[0].relatedLocations[0].physicalLocation.artifactLocation.uri).toBe('a.yaml');
    expect(run.results[1].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'b%2C%20c%3Ad.yaml' },
      region: { startLine: 2, startColumn: 1, endLine: 2, endColumn: 5 },
    });
  });
});

test('a finding with more places than a call takes arguments is shown in every form', () => {
  const places = Array.from({ length: 200_000 }, (_, line) => at('a.yaml', line + 1, 1, 2));
  const many = [{ ...finding(), locations: places }];
  expect(text(many)).toContain('a.yaml:1:1');
  expect(renderDiagnosticsGitHub(many)).toContain('a.yaml');
  expect(renderDiagnosticsJUnit(many)).toContain('a.yaml');
  expect(
    renderDiagnosticsJson({ revision: null, digest: null, valid: false, entities: {}, diagnostics: many }),
  ).toContain('a.yaml');
  expect(renderDiagnosticsSarif(many, { version: '1', rules: [], explain: () => undefined })).toContain('a.yaml');
});
