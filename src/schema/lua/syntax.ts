import { LuaSyntaxError, luaTokens, type Token } from './lexer.ts';

/** Bounds how deep source may nest, so that hostile source cannot exhaust the stack. */
const maxDepth = 190;

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

/**
 * What makes a text no Lua chunk (LuaJIT's dialect of 5.1), with its line, or null. Only the grammar is checked: the
 * chunk may still fail when it runs.
 */
export function luaSyntaxProblem(source: string): string | null {
  try {
    const reader: Reader = { tokens: luaTokens(source), at: 0, depth: 0 };
    block(reader);
    if (peek(reader).type !== 'end') throw unexpected(reader);
    return null;
  } catch (error) {
    if (error instanceof LuaSyntaxError) return `line ${error.line}: ${error.message}`;
    throw error;
  }
}

function peek(reader: Reader): Token {
  return reader.tokens[reader.at] ?? { type: 'end', text: 'the end', line: 1 };
}

/** Whether a keyword or sign comes next. */
function is(reader: Reader, ...texts: readonly string[]): boolean {
  const token = peek(reader);
  return (token.type === 'keyword' || token.type === 'sign') && texts.includes(token.text);
}

function accept(reader: Reader, ...texts: readonly string[]): boolean {
  if (!is(reader, ...texts)) return false;
  reader.at += 1;
  return true;
}

function expect(reader: Reader, text: string): void {
  if (!accept(reader, text)) throw unexpected(reader, `"${text}"`);
}

function expectName(reader: Reader): void {
  if (peek(reader).type !== 'name') throw unexpected(reader, 'a name');
  reader.at += 1;
}

/** Names no text of the source: it may hold secrets. */
function unexpected(reader: Reader, wanted?: string): LuaSyntaxError {
  const { type, text, line } = peek(reader);
  const found = type === 'name' ? 'a name' : type === 'keyword' || type === 'sign' ? `"${text}"` : text;
  return new LuaSyntaxError(
    wanted === undefined ? `${found} is not expected` : `${wanted} is expected, not ${found}`,
    line,
  );
}

function nested(reader: Reader, parse: () => void): void {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new LuaSyntaxError('it nests too deep', peek(reader).line);
  parse();
  reader.depth -= 1;
}

function block(reader: Reader): void {
  nested(reader, () => {
    while (peek(reader).type !== 'end' && !is(reader, 'end', 'else', 'elseif', 'until')) {
      if (accept(reader, ';')) continue;
      if (accept(reader, 'return')) {
        const over = peek(reader).type === 'end' || is(reader, 'end', 'else', 'elseif', 'until', ';');
        if (!over) expressions(reader);
        accept(reader, ';');
        return;
      }
      statement(reader);
    }
  });
}

function statement(reader: Reader): void {
  if (accept(reader, 'break')) return;
  if (accept(reader, 'goto')) expectName(reader);
  else if (accept(reader, '::')) {
    expectName(reader);
    expect(reader, '::');
  } else if (accept(reader, 'do')) blockUntil(reader, 'end');
  else if (accept(reader, 'while')) {
    expression(reader);
    expect(reader, 'do');
    blockUntil(reader, 'end');
  } else if (accept(reader, 'repeat')) {
    blockUntil(reader, 'until');
    expression(reader);
  } else if (accept(reader, 'if')) ifStatement(reader);
  else if (accept(reader, 'for')) forStatement(reader);
  else if (accept(reader, 'function')) {
    expectName(reader);
    while (accept(reader, '.')) expectName(reader);
    if (accept(reader, ':')) expectName(reader);
    functionBody(reader);
  } else if (accept(reader, 'local')) localStatement(reader);
  else expressionStatement(reader);
}

function blockUntil(reader: Reader, closing: string): void {
  block(reader);
  expect(reader, closing);
}

function ifStatement(reader: Reader): void {
  do {
    expression(reader);
    expect(reader, 'then');
    block(reader);
  } while (accept(reader, 'elseif'));
  if (accept(reader, 'else')) block(reader);
  expect(reader, 'end');
}

function forStatement(reader: Reader): void {
  expectName(reader);
  if (accept(reader, '=')) {
    expression(reader);
    expect(reader, ',');
    expression(reader);
    if (accept(reader, ',')) expression(reader);
  } else {
    while (accept(reader, ',')) expectName(reader);
    expect(reader, 'in');
    expressions(reader);
  }
  expect(reader, 'do');
  blockUntil(reader, 'end');
}

function localStatement(reader: Reader): void {
  if (accept(reader, 'function')) {
    expectName(reader);
    functionBody(reader);
    return;
  }
  do expectName(reader);
  while (accept(reader, ','));
  if (accept(reader, '=')) expressions(reader);
}

/** A call, or an assignment to what is no call. */
function expressionStatement(reader: Reader): void {
  let isCall = suffixed(reader);
  if (!is(reader, '=', ',')) {
    if (!isCall) throw unexpected(reader, '"="');
    return;
  }
  while (!isCall && accept(reader, ',')) isCall = suffixed(reader);
  if (isCall) throw unexpected(reader);
  expect(reader, '=');
  expressions(reader);
}

function functionBody(reader: Reader): void {
  expect(reader, '(');
  if (!is(reader, ')')) {
    do {
      if (accept(reader, '...')) break;
      expectName(reader);
    } while (accept(reader, ','));
  }
  expect(reader, ')');
  blockUntil(reader, 'end');
}

function expressions(reader: Reader): void {
  do expression(reader);
  while (accept(reader, ','));
}

const binary = ['+', '-', '*', '/', '^', '%', '..', '<', '<=', '>', '>=', '==', '~=', 'and', 'or'];

/** Which operator binds tighter makes no difference to whether it is an expression. */
function expression(reader: Reader): void {
  nested(reader, () => {
    do {
      while (accept(reader, 'not', '-', '#'));
      operand(reader);
    } while (accept(reader, ...binary));
  });
}

function operand(reader: Reader): void {
  if (peek(reader).type === 'value') reader.at += 1;
  else if (accept(reader, 'nil', 'true', 'false', '...')) return;
  else if (accept(reader, 'function')) functionBody(reader);
  else if (is(reader, '{')) table(reader);
  else suffixed(reader);
}

/** A name or bracketed expression with what hangs on it; says whether it ends in a call. */
function suffixed(reader: Reader): boolean {
  let isCall = false;
  if (accept(reader, '(')) {
    expression(reader);
    expect(reader, ')');
  } else expectName(reader);
  for (;;) {
    if (accept(reader, '.')) {
      expectName(reader);
      isCall = false;
    } else if (accept(reader, '[')) {
      expression(reader);
      expect(reader, ']');
      isCall = false;
    } else if (accept(reader, ':')) {
      expectName(reader);
      if (!callArguments(reader)) throw unexpected(reader, '"("');
      isCall = true;
    } else if (callArguments(reader)) isCall = true;
    else return isCall;
  }
}

function callArguments(reader: Reader): boolean {
  const { type, text } = peek(reader);
  if (type === 'value' && text === 'a text') {
    reader.at += 1;
    return true;
  }
  if (is(reader, '{')) {
    table(reader);
    return true;
  }
  if (!accept(reader, '(')) return false;
  if (!is(reader, ')')) expressions(reader);
  expect(reader, ')');
  return true;
}

function table(reader: Reader): void {
  expect(reader, '{');
  while (!is(reader, '}')) {
    if (accept(reader, '[')) {
      expression(reader);
      expect(reader, ']');
      expect(reader, '=');
    } else if (peek(reader).type === 'name' && reader.tokens[reader.at + 1]?.text === '=') reader.at += 2;
    expression(reader);
    if (!accept(reader, ',', ';')) break;
  }
  expect(reader, '}');
}
