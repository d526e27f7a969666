import { ExpressionError, type ExpressionToken, expressionTokens } from '../../../schema/expression/lexer.ts';
import { expressionPredicates, type Predicate } from '../../../schema/expression/parse.ts';
import { comparison } from './comparison.ts';
import type { SampleRequest } from './request.ts';

/** A condition of an expression, with its negations. */
export interface Condition {
  readonly predicate: Predicate;
  readonly negated: boolean;
}

/** Conditions that have to hold together. */
export type Conjunction = readonly Condition[];

type Tree =
  | { readonly type: 'predicate'; readonly predicate: Predicate }
  | { readonly type: 'not'; readonly of: Tree }
  | { readonly type: 'all' | 'any'; readonly of: readonly Tree[] };

/** An expression that comes to more alternatives than this is not tried. */
const mostAlternatives = 32;

/**
 * The alternatives of an expression of Kong's router language, each a list of conditions. Null where it cannot be read,
 * has too many, or mixes "&&" and "||" without brackets, about which routers of different versions may not agree.
 */
export function alternativesOf(source: string): readonly Conjunction[] | null {
  try {
    const reader: Reader = {
      tokens: expressionTokens(source),
      predicates: expressionPredicates(source),
      at: 0,
      used: 0,
    };
    const tree = readTree(reader);
    return tree === null ? null : alternatives(tree, false);
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** Whether all conditions hold for a request. */
export function holdsFor(conjunction: Conjunction): (request: SampleRequest) => boolean {
  const tests = conjunction.map(({ predicate, negated }) => {
    const test = comparison(predicate);
    return (request: SampleRequest) => test(request) !== negated;
  });
  return (request) => tests.every((test) => test(request));
}

interface Reader {
  readonly tokens: readonly ExpressionToken[];
  /** The comparisons, in order; the tokens say how they hang together. */
  readonly predicates: readonly Predicate[];
  at: number;
  used: number;
}

function readTree(reader: Reader): Tree | null {
  const terms: Tree[] = [];
  let joint: string | null = null;
  for (;;) {
    const term = readTerm(reader);
    if (term === null) return null;
    terms.push(term);
    const sign = reader.tokens[reader.at]?.text;
    if (reader.tokens[reader.at]?.type !== 'sign' || (sign !== '&&' && sign !== '||')) break;
    if (joint !== null && joint !== sign) return null;
    joint = sign;
    reader.at += 1;
  }
  return { type: joint === '||' ? 'any' : 'all', of: terms };
}

function readTerm(reader: Reader): Tree | null {
  const negated = isSign(reader, '!');
  if (negated) reader.at += 1;
  if (isSign(reader, '(')) {
    reader.at += 1;
    const inner = readTree(reader);
    reader.at += 1;
    if (inner === null) return null;
    return negated ? { type: 'not', of: inner } : inner;
  }
  const predicate = reader.predicates[reader.used];
  if (predicate === undefined) return null;
  reader.used += 1;
  // A comparison ends behind its value; the functions around its field have brackets of their own.
  while (!isValue(reader.tokens[reader.at]) && reader.at < reader.tokens.length) reader.at += 1;
  reader.at += 1;
  return { type: 'predicate', predicate };
}

function isSign({ tokens, at }: Reader, text: string): boolean {
  return tokens[at]?.type === 'sign' && tokens[at]?.text === text;
}

function isValue(token: ExpressionToken | undefined): boolean {
  return token !== undefined && ['text', 'number', 'address', 'block'].includes(token.type);
}

function alternatives(tree: Tree, negated: boolean): readonly Conjunction[] | null {
  if (tree.type === 'predicate') return [[{ predicate: tree.predicate, negated }]];
  if (tree.type === 'not') return alternatives(tree.of, !negated);
  const parts = tree.of.map((part) => alternatives(part, negated));
  const isAny = (tree.type === 'any') !== negated;
  let result: readonly Conjunction[] = isAny ? [] : [[]];
  for (const part of parts) {
    if (part === null) return null;
    result = isAny ? [...result, ...part] : result.flatMap((one) => part.map((other) => [...one, ...other]));
    if (result.length > mostAlternatives) return null;
  }
  return result;
}
