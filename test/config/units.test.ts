import { expect, test } from 'vitest';
import { parseDuration, parseShare, parseSize } from '../../src/config/units.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['0s', 0],
  ['30', null],
  ['s', null],
  ['-1s', null],
  ['1 s', null],
  ['99999999999999d', null],
])('the duration %s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['1B', 1],
  ['64MiB', 67_108_864],
  ['10MB', 10_000_000],
  ['0.5KiB', 512],
  ['64', null],
  ['64mib', null],
])('the size %s is %s bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  ['30%', 0.3],
  ['0%', 0],
  ['100%', 1],
  ['101%', null],
  ['0.3', null],
  ['%', null],
])('the share %s is %s', (text, share) => {
  expect(parseShare(text)).toBe(share);
});
