import { ExpressionError, type ExpressionToken, expressionTokens } from './lexer.ts';

/** A comparison of a field with a value. */
export interface Predicate {
  readonly field: string;
  /** The functions around the field, outermost first. */
  readonly functions: readonly string[];
  readonly operator: string;
  readonly value: { readonly type: 'text' | 'number' | 'address' | 'block'; readonly text: string };
}

/** Bounds how deep an expression may nest. */
const maxDepth = 100;

interface Reader {
  readonly tokens: readonly ExpressionToken[];
  at: number;
}

/** The comparisons in an expression of Kong's router language. Throws ExpressionError where it is not well formed. */
export function expressionPredicates(source: string): readonly Predicate[] {
  const reader: Reader = { tokens: expressionTokens(source), at: 0 };
  const found: Predicate[] = [];
  readExpression(reader, found, 0);
  if (peek(reader).type !== 'end') throw unexpected(reader, '"&&", "||" or the end');
  return found;
}

function readExpression(reader: Reader, found: Predicate[], depth: number): void {
  if (depth > maxDepth) throw new ExpressionError('it nests too deep');
  do readTerm(reader, found, depth);
  while (accept(reader, '&&') || accept(reader, '||'));
}

function readTerm(reader: Reader, found: Predicate[], depth: number): void {
  const negated = accept(reader, '!');
  if (accept(reader, '(')) {
    readExpression(reader, found, depth + 1);
    if (!accept(reader, ')')) throw unexpected(reader, '")"');
  } else if (negated) throw unexpected(reader, '"(" after "!"');
  else found.push(readPredicate(reader));
}

function readPredicate(reader: Reader): Predicate {
  const functions: string[] = [];
  let field = nameAt(reader);
  let open = 0;
  while (accept(reader, '(')) {
    functions.push(field);
    field = nameAt(reader);
    open += 1;
  }
  for (; open > 0; open -= 1) if (!accept(reader, ')')) throw unexpected(reader, '")"');
  return { field, functions, operator: operatorAt(reader), value: comparedValue(reader) };
}

function operatorAt(reader: Reader): string {
  const token = peek(reader);
  reader.at += 1;
  if (token.type === 'operator') return token.text;
  if (token.type === 'name') {
    if (token.text === 'in' || token.text === 'contains') return token.text;
    if (token.text === 'not' && peek(reader).text === 'in') {
      reader.at += 1;
      return 'not in';
    }
  }
  reader.at -= 1;
  throw unexpected(reader, 'an operator such as "==" or "^="');
}

function comparedValue(reader: Reader): Predicate['value'] {
  const { type, text } = peek(reader);
  if (type !== 'text' && type !== 'number' && type !== 'address' && type !== 'block') {
    throw unexpected(reader, 'a text in quotes, a number or an address');
  }
  reader.at += 1;
  return { type, text };
}

function nameAt(reader: Reader): string {
  const { type, text } = peek(reader);
  if (type !== 'name') throw unexpected(reader, 'the name of a field');
  reader.at += 1;
  return text;
}

function accept(reader: Reader, sign: string): boolean {
  const token = peek(reader);
  if (token.type !== 'sign' || token.text !== sign) return false;
  reader.at += 1;
  return true;
}

function peek(reader: Reader): ExpressionToken {
  return reader.tokens[reader.at] ?? { type: 'end', text: 'the end', start: 0 };
}

function unexpected(reader: Reader, wanted: string): ExpressionError {
  const token = peek(reader);
  const place = token.type === 'end' ? 'at the end' : `at character ${token.start + 1}`;
  return new ExpressionError(`${wanted} is expected ${place}`);
}
