import { expect, test } from 'vitest';
import { collapsing } from '../../src/platform/collapsing-log.ts';
import { type Log, type LogFields, silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';

function logged() {
  const clock = new VirtualClock(0);
  const lines: string[] = [];
  const say = (fields: LogFields, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const base: Log = { ...silentLog, info: say, warn: say, error: say };
  return { clock, lines, log: collapsing({ ...base, child: () => base }, clock) };
}

test('says a warning once, and after an hour how often it came', async () => {
  const { clock, lines, log } = logged();
  for (let minute = 0; minute < 125; minute += 1) {
    log.warn({ destination: 'a', state: 'held', nextTryInSeconds: minute }, 'held');
    await clock.advance(60_000);
  }
  expect(lines).toEqual([
    'held {"destination":"a","state":"held","nextTryInSeconds":0}',
    'held {"destination":"a","state":"held","nextTryInSeconds":60,"repeated":60}',
    'held {"destination":"a","state":"held","nextTryInSeconds":120,"repeated":60}',
  ]);
});

test('says it again at once where anything about it differs, another destination has it, or it was over meanwhile', () => {
  const { lines, log } = logged();
  const held = (destination: string, detail: string) => log.warn({ destination, detail }, 'held');
  held('a', 'x');
  held('a', 'x');
  held('b', 'x');
  held('a', 'y');
  held('a', 'x');
  expect(lines.length).toBe(3);
  log.debug({ destination: 'a' }, 'the destination matches');
  held('a', 'x');
  held('b', 'x');
  expect(lines.length).toBe(4);
});

test('says a try that is as the one before it once, with the warning that it ends in, and a wait that goes on', () => {
  const { lines, log } = logged();
  for (let times = 0; times < 3; times += 1) {
    log.info({ destination: 'a', create: 1 }, 'delivering a revision');
    log.warn({ destination: 'a', state: 'unreachable' }, 'the destination does not answer');
  }
  expect(lines.length).toBe(2);
  log.info({ destination: 'a', create: 2 }, 'delivering a revision');
  log.warn({ destination: 'a', state: 'unreachable' }, 'the destination does not answer');
  expect(lines.length).toBe(4);
  log.info({ destination: 'a', state: 'waiting', nextTryInSeconds: 20 }, 'waiting before delivering');
  log.info({ destination: 'a', state: 'waiting', nextTryInSeconds: 15 }, 'waiting before delivering');
  expect(lines.length).toBe(5);
  log.debug({ destination: 'a' }, 'the destination matches');
  log.info({ destination: 'a', state: 'waiting', nextTryInSeconds: 5 }, 'waiting before delivering');
  expect(lines.length).toBe(6);
});

test('says what a person did each time', () => {
  const { lines, log } = logged();
  for (let times = 0; times < 3; times += 1) log.info({ destination: 'a', action: 'sync' }, 'steered over the API');
  expect(lines.length).toBe(3);
});

test('says what is about no destination each time, unless it warns', () => {
  const { lines, log } = logged();
  for (let times = 0; times < 3; times += 1) log.info({ notices: 1 }, 'posted a notification');
  expect(lines.length).toBe(3);
});

test('never leaves out an error, and forgets the oldest of many', () => {
  const { lines, log } = logged();
  for (let times = 0; times < 3; times += 1) log.error({ destination: 'a' }, 'a fault');
  expect(lines.length).toBe(3);
  for (let at = 0; at <= 100; at += 1) log.warn({ at }, 'different');
  log.warn({ at: 0 }, 'different');
  expect(lines.length).toBe(3 + 102);
});
