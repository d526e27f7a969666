import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Log, LogFields } from '../../src/platform/log.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { Notifier, type Sink } from '../../src/report/notifier.ts';
import { answerJson, startServer, type TestServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';
import { finding, head, input, lane, older } from './statuses.ts';

const second = 1000;
const secret = 'T0/B0/hush-hush';
let server: TestServer;
let answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | null;
let lines: string[];
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  answer = { status: 200 };
  lines = [];
  server = await startServer((_, response) => {
    if (answer === null) return void response.destroy();
    answerJson(response, answer.status, { message: secret }, answer.headers ?? {});
  });
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await server.close();
});

function start(more: Partial<Sink> = {}) {
  const clock = new VirtualClock(Date.UTC(2031, 0, 1));
  const write = (fields: LogFields, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const sink: Sink = {
    name: 'notify[0]',
    url: `${server.url}/hooks/${secret}?sig=hush-hush`,
    format: 'json',
    token: 'hush-token',
    destinations: [],
    on: ['failure', 'held', 'recovered', 'applied'],
    ...more,
  };
  const world = { sink, clock, random: () => 0.5, log, createHttpClient, link: null, gatherMs: 2 * second };
  const notifier = new Notifier(world);
  const stop = new AbortController();
  const ended = notifier.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await ended;
    await notifier.close();
    clock.assertIdle();
  });
  const drained = () => notifier.drained(60_000, new AbortController().signal);
  return { clock, notifier, drained };
}

const said = (index: number) =>
  (
    JSON.parse(server.got[index]?.body ?? '{}').notices as { readonly outcome: string; readonly destination: string }[]
  ).map(({ outcome, destination }) => `${outcome} ${destination}`);

test('what comes together is told together, with the token, at the whole address', async () => {
  const { clock, notifier, drained } = start();
  notifier.update(input([lane('edge', 'rejected'), lane('konnect', 'delivering')]));
  await clock.advance(second);
  notifier.update(input([lane('edge', 'rejected'), lane('konnect', 'held')]));
  expect(server.got).toHaveLength(0);
  await clock.advance(second);
  expect(await drained()).toBe(true);
  expect(server.got).toMatchObject([{ method: 'POST', url: `/hooks/${secret}?sig=hush-hush` }]);
  expect(server.got[0]?.headers.authorization).toBe('Bearer hush-token');
  expect(said(0)).toEqual(['failure edge', 'held konnect']);
});

test('while the place is down, what is true by then takes the place of what was not said', async () => {
  const { clock, notifier, drained } = start();
  answer = null;
  notifier.update(input([lane('edge', 'rejected'), lane('konnect', 'rejected')]));
  for (let tries = 1; tries <= 3; tries += 1) {
    await clock.advance(60 * second);
    await until('a try', () => server.got.length >= tries);
    await until('the wait after it', () => clock.pending().length > 0);
  }
  notifier.update(input([lane('edge', 'applied'), lane('konnect', 'rejected')]));
  answer = { status: 200 };
  await clock.advance(300 * second);
  expect(await drained()).toBe(true);
  expect(said(server.got.length - 1)).toEqual(['failure konnect', 'recovered edge']);
  expect(server.got.length).toBeLessThan(12);
});

test('a limit is waited out, and a refusal loses what was refused and nothing else', async () => {
  const { clock, notifier, drained } = start();
  answer = { status: 429, headers: { 'retry-after': '90' } };
  notifier.update(input([lane('edge', 'rejected')]));
  await clock.advance(2 * second);
  await until('a try', () => server.got.length === 1);
  await until('the wait after it', () => clock.pending().length > 0);
  await clock.advance(80 * second);
  expect(server.got).toHaveLength(1);
  answer = { status: 404 };
  await clock.advance(20 * second);
  expect(await drained()).toBe(true);
  answer = { status: 200 };
  notifier.update(input([lane('edge', 'held')]));
  await clock.advance(10 * second);
  expect(await drained()).toBe(true);
  expect(said(server.got.length - 1)).toEqual(['held edge']);
});

test('a destination that stays out of reach is told though nothing changes', async () => {
  const { clock, notifier, drained } = start();
  notifier.update(input([lane('edge', 'unreachable')]));
  await clock.advance(9 * 60 * second);
  expect(server.got).toHaveLength(0);
  await clock.advance(61 * second);
  await clock.advance(2 * second);
  expect(await drained()).toBe(true);
  expect(said(0)).toEqual(['failure edge']);
});

test('only what is asked for is told', async () => {
  const { clock, notifier, drained } = start({ destinations: ['edge'], on: ['held'] });
  notifier.update(input([lane('edge', 'rejected'), lane('konnect', 'held')], [finding('a.yaml', 1, 'x', 'warning')]));
  await clock.advance(60 * second);
  expect(await drained()).toBe(true);
  expect(server.got).toHaveLength(0);
  notifier.update(input([lane('edge', 'held', { applied: older }), lane('konnect', 'held')]));
  await clock.advance(2 * second);
  expect(await drained()).toBe(true);
  expect(said(0)).toEqual(['held edge']);
});

test('no log line has a part of the address, the token or an answer', async () => {
  const { clock, notifier } = start();
  for (const status of [500, 404]) {
    answer = { status };
    notifier.update(input([lane('edge', status === 500 ? 'rejected' : 'held', { revision: head })]));
    const before = server.got.length;
    await clock.advance(300 * second);
    await until('a try', () => server.got.length > before);
    await until('its line', () => lines.length > 0);
  }
  await until('the refusal', () => lines.some((line) => line.includes('refused')));
  expect(lines.join('\n')).not.toMatch(/hush|T0|127\.0\.0\.1/);
  expect(lines.join('\n')).toContain('notify[0]');
});
