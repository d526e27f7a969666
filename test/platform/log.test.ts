import { expect, test } from 'vitest';
import { createLog, type LogOptions } from '../../src/platform/pino-log.ts';
import { prettyLine } from '../../src/platform/pretty-line.ts';
import { Redactor, shownUrl } from '../../src/platform/redact.ts';

function logTo(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const redactor = new Redactor();
  const log = createLog({
    format: 'json',
    level: 'debug',
    stream: { write: (line) => lines.push(line) },
    colour: false,
    redactor,
    now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 6),
    ...options,
  });
  return { log, lines, redactor };
}

test('one JSON line tells one fact, with fields and those of the child', () => {
  const { log, lines } = logTo();
  log.child({ destination: 'edge' }).warn({ revision: 'abc', tries: 2, nodes: ['a', 'b'], none: undefined }, 'Waiting');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.endsWith('\n')).toBe(true);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'warn',
    time: '2030-01-02T03:04:05.006Z',
    destination: 'edge',
    revision: 'abc',
    tries: 2,
    nodes: ['a', 'b'],
    message: 'Waiting',
  });
});

test('lines below the level are not written', () => {
  const { log, lines } = logTo({ level: 'warn' });
  log.info({}, 'no');
  log.error({}, 'yes');
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['yes']);
});

test('registered secrets never reach a line, in any of the forms they take', () => {
  const { log, lines, redactor } = logTo();
  const secret = 'p"ss/wörd with space';
  redactor.register(secret);
  redactor.register('abc');
  log.info({ plain: `x${secret}x`, list: [secret], url: `http://h/${encodeURIComponent(secret)}` }, `said ${secret}`);
  log.info({ base64: Buffer.from(secret).toString('base64'), json: JSON.stringify({ secret }), short: 'abc' }, 'more');
  const all = lines.join('');
  for (const form of ['p\\"ss', 'wörd', 'w%C3%B6rd', Buffer.from(secret).toString('base64')])
    expect(all).not.toContain(form);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    plain: 'x***x',
    list: ['***'],
    url: 'http://h/***',
    message: 'said ***',
  });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ base64: '***', short: 'abc' });
});

test('a secret that contains another is masked whole, and characters of patterns are taken as they are', () => {
  const redactor = new Redactor();
  redactor.register('abcd');
  redactor.register('abcd.*efgh');
  expect(redactor.redact('abcd.*efgh abcd abcdXefgh')).toBe('*** *** ***Xefgh');
});

test('each long line of a multi-line secret is masked by itself', () => {
  const redactor = new Redactor();
  redactor.register('-----BEGIN X-----\nMIIBVwIBADANBgkqhkiG9w0B\n-----END X-----\n');
  expect(redactor.redact('found MIIBVwIBADANBgkqhkiG9w0B there')).toBe('found *** there');
});

test('URLs are shown without userinfo, query and fragment', () => {
  expect(shownUrl('https://me:pw@host:1/a/b?token=x#y')).toBe('https://host:1/a/b');
  expect(shownUrl('me:pw@host/a?token=x')).not.toMatch(/pw|token/);
  expect(shownUrl('/a/b?x=1')).toBe('/a/b');
});

test('a pretty line is short, and cannot steer the terminal', () => {
  const line = JSON.stringify({
    level: 'info',
    time: '2030-01-02T03:04:05.006Z',
    message: 'Read\u001b[2Jall',
    revision: 'a'.repeat(40),
    file: 'a b\n',
    n: 1,
    gone: null,
  });
  expect(prettyLine(line, false)).toBe('03:04:05 info  Read\\u001b[2Jall  revision=aaaaaaa file="a b\\n" n=1\n');
  expect(prettyLine(line, true)).toContain('\u001b[36minfo');
  expect(prettyLine('not json\n', false)).toBe('not json\n');
});

test('the pretty format goes to the stream too', () => {
  const { log, lines } = logTo({ format: 'pretty' });
  log.info({ destination: 'edge' }, 'Applied');
  expect(lines).toEqual(['03:04:05 info  Applied  destination=edge\n']);
});
