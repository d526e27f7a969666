import { boolCoreTag, floatCoreTag, intCoreTag, NOT_RESOLVED, nullCoreTag, type ScalarTagDefinition } from 'js-yaml';
import type { Json } from '../model/json.ts';
import type { FindingText } from './findings.ts';

/** What a plain (unquoted) text reads as, by YAML 1.2's core schema. */
export function readPlain(text: string): Json {
  switch (text.charCodeAt(0)) {
    case 45: // -
    case 43: // +
    case 46: // .
    case 48:
    case 49:
    case 50:
    case 51:
    case 52:
    case 53:
    case 54:
    case 55:
    case 56:
    case 57:
      return resolved(intCoreTag, text) ?? resolved(floatCoreTag, text) ?? text;
    case 116: // t
    case 84: // T
    case 102: // f
    case 70: // F
      return resolved(boolCoreTag, text) ?? text;
    case 110: // n
    case 78: // N
    case 126: // ~
      return nullCoreTag.resolve(text, false, nullCoreTag.tagName) === null ? null : text;
    default:
      return text === '' ? null : text;
  }
}

function resolved<T extends Json>(tag: ScalarTagDefinition<T>, text: string): T | undefined {
  const value = tag.resolve(text, false, tag.tagName);
  return value === NOT_RESOLVED ? undefined : value;
}

const core: ReadonlyMap<string, ScalarTagDefinition<null | boolean | number>> = new Map(
  [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag].map((tag) => [tag.tagName, tag]),
);

/** What a text reads as under a tag's full name; undefined where it does not fit, null-tag where the tag is unknown. */
export function readTagged(
  text: string,
  tagName: string,
): { readonly known: false } | { readonly known: true; readonly value: Json | undefined } {
  if (tagName === '!' || tagName === 'tag:yaml.org,2002:str') return { known: true, value: text };
  const tag = core.get(tagName);
  if (tag === undefined) return { known: false };
  const value = tag.resolve(text, true, tagName);
  return { known: true, value: value === NOT_RESOLVED ? undefined : value };
}

const decimal = /^[-+]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?[0-9]+))?$/;

/**
 * What is wrong with a plain text that reads as a number, or would if it were not too large: JSON and Kong hold numbers
 * as doubles. Null where nothing is. No message shows the number, for an unquoted key may be one.
 */
export function numberProblem(text: string, value: Json): FindingText | null {
  if (typeof value !== 'number') return decimal.test(text) ? tooLarge : null;
  if (!Number.isFinite(value)) return notFinite;
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !/[.eE]/.test(text.replace(/^0x.*/, ''))) {
    return imprecise('error');
  }
  if (/^[-+]?0[0-9]+$/.test(text)) return leadingZero;
  const match = decimal.exec(text);
  if (match !== null && !keepsDigits(match[1] ?? '', match[2] ?? '0', value)) return imprecise('warning');
  return null;
}

/** Whether the shortest text of a double has the digits that were written. */
function keepsDigits(mantissa: string, exponent: string, value: number): boolean {
  // Any decimal of up to 15 digits survives the way through a double, unless it is too small for one.
  if (mantissa.length <= 15 && value !== 0) return true;
  const shown = decimal.exec(String(Math.abs(value)));
  return shown !== null && normalDigits(mantissa, exponent) === normalDigits(shown[1] ?? '', shown[2] ?? '0');
}

/** Digits without leading and trailing zeros, and the power of ten of the last of them. */
function normalDigits(mantissa: string, exponent: string): string {
  const point = mantissa.indexOf('.');
  const digits = mantissa.replace('.', '').replace(/^0+/, '');
  const fraction = point === -1 ? 0 : mantissa.length - point - 1;
  const end = digits.search(/0*$/);
  if (end === 0) return '0';
  return `${digits.slice(0, end)}e${Number(exponent) - fraction + digits.length - end}`;
}

const tooLarge: FindingText = {
  rule: 'yaml-number-range',
  message: 'This number is too large to be held, so other readers take it for a text or for infinity.',
  hint: 'Put it in quotes if it is a text.',
};

const notFinite: FindingText = {
  rule: 'yaml-number-range',
  message: 'Infinity and not-a-number are no JSON values, and Kong does not take them.',
  hint: 'Write a number, or put the text in quotes.',
};

const leadingZero: FindingText = {
  rule: 'yaml-leading-zero',
  severity: 'warning',
  message: 'This number begins with a zero, which is dropped here and means octal to older YAML readers.',
  hint: 'Put it in quotes if it is a text; otherwise write it without the zero, or as 0o… for octal.',
};

function imprecise(severity: 'error' | 'warning'): FindingText {
  return {
    rule: 'yaml-number-precision',
    severity,
    message: 'This number has more digits than a double keeps, so another number would be delivered.',
    hint: 'Put it in quotes if it is a text (an id, a key), or write fewer digits.',
  };
}
