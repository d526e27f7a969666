import { isIP } from 'node:net';
import { isJsonArray, isJsonObject, type Json, jsonEqual } from '../../../model/json.ts';
import { pattern } from './pattern.ts';

/** Whether two values are the same one. */
export function isEqual(a: Json, b: Json): boolean {
  return jsonEqual(a, b);
}

/** Below zero, zero, above zero: how two numbers or two texts compare. */
export function orderOf(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

const units: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 1e-6,
};

/** A duration as Go writes it (`1m30s`), in milliseconds; not a number where it is none. */
export function durationOf(value: Json): number {
  if (typeof value !== 'string' || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|us|µs|ns|s))+$|^0$/.test(value)) return Number.NaN;
  let sum = 0;
  for (const [, number, unit] of value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|us|µs|ns|s)/g)) {
    sum += Number(number) * (units[unit ?? ''] ?? 0);
  }
  return sum;
}

/** The functions and methods that rules call; a method's first argument is what it is called on. */
export function callCel(name: string, [self = null, ...args]: readonly Json[]): Json {
  const text = typeof self === 'string' ? self : '';
  const first = args[0] ?? null;
  switch (name) {
    case 'size':
      if (isJsonArray(self)) return self.length;
      return isJsonObject(self) ? Object.keys(self).length : [...text].length;
    case 'startsWith':
      return text.startsWith(String(first));
    case 'endsWith':
      return text.endsWith(String(first));
    case 'contains':
      return text.includes(String(first));
    case 'matches':
      return pattern(String(first)).test(text);
    case 'split':
      return text.split(String(first));
    case 'substring':
      return text.slice(Number(first), typeof args[1] === 'number' ? args[1] : undefined);
    case 'isIP':
      return isIP(text) !== 0;
    default:
      throw new SyntaxError(`an unknown function ${name}`);
  }
}
