import { byteAt, htmlEscaped, jsEscaped, sliced } from './go-texts.ts';
import { notConverted, TemplateError, unknownFunction, wrongArguments } from './problems.ts';

/** A value of a template. */
export type TemplateScalar = string | number | boolean | null;

/** What a function may ask for besides its arguments. */
export interface FunctionWorld {
  /** The value of a variable of the environment. Throws TemplateError. */
  readonly env: (name: string) => string;
  readonly indent: (text: string, count: number) => string;
  /** Called for a text that a function cannot convert; gives what stands for it, or throws TemplateError. */
  readonly unconverted: (step: 'toBool' | 'toInt' | 'toFloat') => TemplateScalar;
}

/** The functions that decK adds to Go's (deck.md 1.6), those of Go's that work on scalars, and `trim`. */
export function callFunction(name: string, given: readonly TemplateScalar[], world: FunctionWorld): TemplateScalar {
  switch (name) {
    case 'env':
      return world.env(oneText(name, given));
    case 'toBool':
      return toBool(oneText(name, given)) ?? world.unconverted(name);
    case 'toInt':
      return toInt(oneText(name, given)) ?? world.unconverted(name);
    case 'toFloat':
      return toFloat(oneText(name, given)) ?? world.unconverted(name);
    case 'trim':
      return oneText(name, given).trim();
    case 'indent': {
      const [count, text, ...rest] = given;
      const fits = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count < 1000;
      if (!fits || text === undefined || rest.length > 0) {
        throw new TemplateError(wrongArguments(name, 'the number of blanks'));
      }
      return world.indent(goText(text), count);
    }
    case 'printf': {
      const [format, ...values] = given;
      if (typeof format !== 'string') throw new TemplateError(wrongArguments(name, 'a format'));
      return formatted(format, values);
    }
    case 'print':
      return given.map(goText).join('');
    case 'println':
      return `${given.map(goText).join(' ')}\n`;
    case 'html':
      return htmlEscaped(given.map(goText).join(''));
    case 'js':
      return jsEscaped(given.map(goText).join(''));
    case 'slice':
      return slice(name, given);
    case 'index':
      return index(name, given);
    default:
      return compared(name, given);
  }
}

/** Of scalars, Go cuts texts only, by their bytes. */
function slice(name: string, [text, from = 0, to = null, ...rest]: readonly TemplateScalar[]): TemplateScalar {
  const isText = typeof text === 'string' && rest.length === 0;
  const result = isText && isPlace(from) && (to === null || isPlace(to)) ? sliced(text, from, to) : null;
  if (result === null) throw new TemplateError(wrongArguments(name, 'a text and up to two places in it'));
  return result;
}

function index(name: string, [value, at, ...rest]: readonly TemplateScalar[]): TemplateScalar {
  if (at === undefined && value !== undefined && value !== null) return value;
  const isText = typeof value === 'string' && rest.length === 0;
  const result = isText && at !== undefined && isPlace(at) ? byteAt(value, at) : null;
  if (result === null) throw new TemplateError(wrongArguments(name, 'a text and a place in it'));
  return result;
}

function isPlace(value: TemplateScalar): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function compared(name: string, given: readonly TemplateScalar[]): TemplateScalar {
  const [first = null, second = null] = given;
  const pair = () => {
    if (given.length !== 2) throw new TemplateError(wrongArguments(name, 'two values'));
    if (typeof first !== typeof second) throw new TemplateError(wrongArguments(name, 'two values of one type'));
    return first !== null && second !== null ? compare(first, second) : 0;
  };
  switch (name) {
    case 'eq':
      if (given.length < 2) throw new TemplateError(wrongArguments(name, 'two values'));
      return given.slice(1).some((other) => other === first);
    case 'ne':
      pair();
      return first !== second;
    case 'lt':
      return pair() < 0;
    case 'le':
      return pair() <= 0;
    case 'gt':
      return pair() > 0;
    case 'ge':
      return pair() >= 0;
    case 'not':
      return !isTrue(first);
    case 'and':
      return given.find((value) => !isTrue(value)) ?? given.at(-1) ?? null;
    case 'or':
      return given.find(isTrue) ?? given.at(-1) ?? null;
    case 'len':
      return new TextEncoder().encode(oneText(name, given)).length;
    case 'urlquery':
      return encodeURIComponent(given.map(goText).join('')).replaceAll('%20', '+');
    default:
      throw new TemplateError(unknownFunction(name));
  }
}

/** Whether Go takes a value for true: whatever is not empty. */
export function isTrue(value: TemplateScalar): boolean {
  return value !== null && value !== '' && value !== 0 && value !== false;
}

/** A value as Go prints it. */
export function goText(value: TemplateScalar): string {
  return value === null ? '' : String(value);
}

/** What stands for a value that cannot be converted, or that is not there, so that checks still mean something. */
export function standIn(step: 'toBool' | 'toInt' | 'toFloat'): TemplateScalar {
  return step === 'toBool' ? false : 42;
}

/** The finding for a text that cannot be converted. */
export function conversionError(variables: readonly string[], step: string): TemplateError {
  return new TemplateError(notConverted(variables, step));
}

function compare(a: string | number | boolean, b: string | number | boolean): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function oneText(name: string, given: readonly TemplateScalar[]): string {
  const [value] = given;
  if (value === undefined || value === null || given.length > 1) {
    throw new TemplateError(wrongArguments(name, 'one text'));
  }
  return goText(value);
}

/** Go's strconv.ParseBool. */
function toBool(text: string): boolean | null {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : null;
}

function toInt(text: string): number | null {
  return /^[-+]?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

function toFloat(text: string): number | null {
  if (!/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Go's fmt.Sprintf, of the verbs that fit a scalar. */
function formatted(format: string, values: readonly TemplateScalar[]): string {
  let next = 0;
  return format.replace(/%([-0]*)([0-9]*)(?:\.([0-9]+))?([a-z%])/gi, (_, flags, width, precision, verb: string) => {
    if (verb === '%') return '%';
    const value = values[next];
    next += 1;
    if (value === undefined) throw new TemplateError(wrongArguments('printf', 'a value for each % of its format'));
    const text = formatOne(verb, value, precision === undefined ? null : Number(precision));
    if (String(flags).includes('-')) return text.padEnd(Number(width));
    return text.padStart(Number(width), String(flags).includes('0') ? '0' : ' ');
  });
}

function formatOne(verb: string, value: TemplateScalar, precision: number | null): string {
  switch (verb) {
    case 's':
    case 'v':
    case 't':
      return precision === null ? goText(value) : goText(value).slice(0, precision);
    case 'd':
      return goText(value);
    case 'f':
      return Number(value).toFixed(precision ?? 6);
    case 'x':
      return typeof value === 'number' ? value.toString(16) : goText(value);
    case 'q':
      return JSON.stringify(goText(value));
    default:
      throw new TemplateError(wrongArguments('printf', 'the verbs %s %v %t %d %f %x and %q'));
  }
}
