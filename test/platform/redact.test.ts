import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/platform/redact.ts';

const secret = `p'a"s/s\\w\to\nrd-ü&1`;
const lua = secret.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
const bytes = (text: string, each: (byte: number) => string) => [...Buffer.from(text, 'utf8')].map(each).join('');

describe('a secret is masked as it is quoted by', () => {
  test.each([
    ['nobody', secret],
    ['JSON', JSON.stringify(secret)],
    ['JSON of Lua, which escapes the slash', JSON.stringify(secret).replaceAll('/', '\\/')],
    ['JSON in JSON', JSON.stringify(JSON.stringify(secret))],
    ['JSON in ASCII', JSON.stringify(secret).replaceAll('ü', '\\u00FC')],
    ['string.format("%q")', `"${secret.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\\n')}"`],
    ['a printer of Lua tables', `{ password = "${lua.replaceAll('"', '\\"')}" }`],
    ['a printer of Lua tables, in single quotes', `'${lua.replaceAll("'", "\\'")}'`],
    ['decimal escapes', `"${secret.replace(/[^a-z1]/gu, (char) => bytes(char, (byte) => `\\${byte}`))}"`],
    [
      'padded decimal escapes',
      secret.replace(/[^a-z1]/gu, (char) => bytes(char, (byte) => `\\${String(byte).padStart(3, '0')}`)),
    ],
    ['a URL', encodeURIComponent(secret)],
    ['a URL in small letters', encodeURIComponent(secret).toLowerCase()],
    ['a form', encodeURIComponent(secret).replaceAll('%09', '+')],
    ['HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['one that folds white space', secret.replace(/\s+/g, ' ')],
    ['Base64', Buffer.from(secret).toString('base64')],
    ['Base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('%s', (_, text) => {
    const redactor = new Redactor();
    redactor.register(secret);
    const left = redactor.redact(`expected: ${text}, got nothing`);
    expect(left).toMatch(/^expected: .{0,14}\*\*\*.{0,3}, got nothing$/s);
    expect(left).not.toMatch(/nrd|p'a|ü|&1/);
  });
});

test('twenty thousand secrets are looked for in a thousand texts in no time', () => {
  const redactor = new Redactor();
  for (let index = 0; index < 20_000; index += 1) redactor.register(`key/${index.toString(36)}-of+${index * 7919}==`);
  const start = performance.now();
  for (let index = 0; index < 1_000; index += 1) {
    expect(redactor.redact(`expected something else than key/${index.toString(36)}-of+${index * 7919}==`)).toMatch(
      /than \*{3}$/,
    );
  }
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('nothing else is masked, and a text that is like a secret takes no time', () => {
  const redactor = new Redactor();
  redactor.register(secret);
  redactor.register('\\ \\ \\ \\ \\ "" \\\\\\\\\\"');
  redactor.register('a.b*c');
  expect(redactor.redact('aXbbc, p"a, a.b*c')).toBe('aXbbc, p"a, ***');
  const start = performance.now();
  redactor.redact(`${'\\ '.repeat(20_000)}${'\\'.repeat(20_000)}`);
  expect(performance.now() - start).toBeLessThan(2_000);
});
