import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trailersOf } from '../../src/model/trailers.ts';

const git = (message: string) =>
  spawnSync('git', ['interpret-trailers', '--parse', '--no-divider'], { input: message, encoding: 'utf8' }).stdout;

test.each([
  ['Title\n\nA-b: c\nD:e\n', ['A-b: c', 'D: e']],
  ['Title\n\nA-b: c\n  and more\n', ['A-b: c and more']],
  ['Title\n\nprose\nA-b: c\n', []],
  ['Title\n\nprose\nA-b: c\nSigned-off-by: Ann\n', ['A-b: c', 'Signed-off-by: Ann']],
  ['Title\nA-b: c\n', []],
  ['A-b: c', []],
  ['Title\n\nA-b: c\n\nprose\n', []],
  ['Title\r\rA-b: c', []],
  ['Title\n\nA-b: c\n\u00a0\n', []],
  ['Title\n\nprose\u2028A-b: c\n', []],
  ['Title\n\nA-b: c\n# comment\n', ['A-b: c']],
  ['Title\n\nA-b: c\n# comment\n  and more\n', []],
  ['Title\r\n\r\nA-b: c\r\n', ['A-b: c']],
])('of %j are %j', (message, expected) => {
  expect(trailersOf(message).map(({ key, value }) => `${key}: ${value}`)).toEqual(expected);
});

test('are those that Git finds', () => {
  const lines = [
    'A: b',
    'prose',
    '',
    '',
    ' ',
    '  on',
    'Signed-off-by: Ann',
    '(cherry picked from commit a)',
    '# c',
    'D:',
    '\r',
    '\ron',
    'A: b\r',
    'x\rA: b',
    '\u00a0',
    '\u2028A: b',
    '\f',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...lines), { minLength: 2, maxLength: 9 }), (chosen) => {
      const message = ['Title', ...chosen, ''].join('\n');
      const ours = trailersOf(message).map(({ key, value }) => `${key}: ${value}\n`);
      // Where values go on, Git keeps the space around: it is white space all the same.
      const ofA = (all: readonly string[]) =>
        all.filter((one) => one.startsWith('A: ')).map((one) => one.trim().replace(/\s+/g, ' '));
      expect(ofA(ours)).toEqual(ofA(git(message).split('\n')));
    }),
    { numRuns: 150 },
  );
});

test('are found in little time, however long they go on', () => {
  const begun = performance.now();
  const message = `Title\n\nA: b\n${' c\n'.repeat(100_000)}`;
  const [found] = trailersOf(message);
  expect(found?.value).toHaveLength(200_001);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
