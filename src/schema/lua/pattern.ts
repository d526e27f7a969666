/**
 * Lua 5.1's pattern matching (reference manual 5.4.1), over bytes as Lua has it: character classes, sets, the four
 * repetitions, anchors, captures, `%b`, `%f` and back references. Kong's schemas state their patterns in it.
 */

interface Capture {
  readonly start: number;
  /** Where it ends; -1 while it is open, -2 for a position capture. */
  end: number;
}

interface Match {
  readonly subject: string;
  readonly pattern: string;
  readonly captures: Capture[];
  /** How many more steps may be taken: a pattern must not be able to stop the process. */
  steps: number;
}

/** Bounds the work of one match; far more than any pattern of Kong's takes on a value of a megabyte. */
const maxSteps = 20_000_000;

/** A pattern that is not well formed. */
export class LuaPatternError extends Error {}

/**
 * Whether a text holds a match of a Lua pattern (`string.match(text, pattern) ~= nil`). Both are matched as UTF-8
 * bytes. Throws LuaPatternError where the pattern is malformed.
 */
export function luaMatches(text: string, pattern: string): boolean {
  const subject = bytes(text);
  const source = bytes(pattern);
  const anchored = source.startsWith('^');
  const match: Match = { subject, pattern: source, captures: [], steps: maxSteps };
  for (let start = 0; start <= subject.length; start += 1) {
    match.captures.length = 0;
    if (matchAt(match, start, anchored ? 1 : 0) !== -1) {
      if (match.captures.some((capture) => capture.end === -1)) throw new LuaPatternError('a capture is not closed');
      return true;
    }
    if (anchored) return false;
  }
  return false;
}

/** A text as one character per UTF-8 byte. */
function bytes(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Where the match of the pattern from `p` at `s` ends, or -1. */
function matchAt(match: Match, s: number, p: number): number {
  const { pattern, subject } = match;
  let at = s;
  let from = p;
  while (from < pattern.length) {
    match.steps -= 1;
    if (match.steps < 0) throw new LuaPatternError('the pattern takes too long');
    const char = pattern[from];
    if (char === '(') return openCapture(match, at, from);
    if (char === ')') return closeCapture(match, at, from + 1);
    if (char === '$' && from + 1 === pattern.length) return at === subject.length ? at : -1;
    if (char === '%') {
      const special = pattern[from + 1];
      if (special === 'b') {
        at = matchBalance(match, at, from + 2);
        if (at === -1) return -1;
        from += 4;
        continue;
      }
      if (special === 'f') {
        const end = classEnd(pattern, from + 2);
        if (!atFrontier(match, at, from + 2, end)) return -1;
        from = end;
        continue;
      }
      if (special !== undefined && special >= '0' && special <= '9') {
        at = matchBackReference(match, at, special);
        if (at === -1) return -1;
        from += 2;
        continue;
      }
    }
    const end = classEnd(pattern, from);
    const repeat = pattern[end];
    if (repeat === '?') {
      if (singleMatches(match, at, from, end)) {
        const rest = matchAt(match, at + 1, end + 1);
        if (rest !== -1) return rest;
      }
      from = end + 1;
    } else if (repeat === '*') return maxExpand(match, at, from, end);
    else if (repeat === '+') return singleMatches(match, at, from, end) ? maxExpand(match, at + 1, from, end) : -1;
    else if (repeat === '-') return minExpand(match, at, from, end);
    else {
      if (!singleMatches(match, at, from, end)) return -1;
      at += 1;
      from = end;
    }
  }
  return at;
}

function openCapture(match: Match, s: number, p: number): number {
  const position = match.pattern[p + 1] === ')';
  match.captures.push({ start: s, end: position ? -2 : -1 });
  const result = matchAt(match, s, position ? p + 2 : p + 1);
  if (result === -1) match.captures.pop();
  return result;
}

function closeCapture(match: Match, s: number, p: number): number {
  const open = match.captures.findLast((capture) => capture.end === -1);
  if (open === undefined) throw new LuaPatternError('a capture is closed that was not opened');
  open.end = s;
  const result = matchAt(match, s, p);
  if (result === -1) open.end = -1;
  return result;
}

function matchBackReference(match: Match, s: number, digit: string): number {
  const capture = match.captures[Number(digit) - 1];
  if (capture === undefined || capture.end < 0) throw new LuaPatternError('a back reference names no capture');
  const text = match.subject.slice(capture.start, capture.end);
  return match.subject.startsWith(text, s) ? s + text.length : -1;
}

function matchBalance(match: Match, s: number, p: number): number {
  const [open, close] = [match.pattern[p], match.pattern[p + 1]];
  if (open === undefined || close === undefined) throw new LuaPatternError('%b lacks its two characters');
  if (match.subject[s] !== open) return -1;
  let depth = 1;
  for (let at = s + 1; at < match.subject.length; at += 1) {
    const char = match.subject[at];
    if (char === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (char === open) depth += 1;
  }
  return -1;
}

function atFrontier(match: Match, s: number, p: number, end: number): boolean {
  if (match.pattern[p] !== '[') throw new LuaPatternError('%f lacks its set');
  const before = s === 0 ? '\0' : (match.subject[s - 1] ?? '\0');
  const after = match.subject[s] ?? '\0';
  return !inSet(match.pattern, p, end, before) && inSet(match.pattern, p, end, after);
}

function maxExpand(match: Match, s: number, p: number, end: number): number {
  let count = 0;
  while (singleMatches(match, s + count, p, end)) count += 1;
  for (; count >= 0; count -= 1) {
    const result = matchAt(match, s + count, end + 1);
    if (result !== -1) return result;
  }
  return -1;
}

function minExpand(match: Match, s: number, p: number, end: number): number {
  for (let at = s; ; at += 1) {
    const result = matchAt(match, at, end + 1);
    if (result !== -1) return result;
    if (!singleMatches(match, at, p, end)) return -1;
  }
}

/** Where the single-character item that starts at `p` ends. */
function classEnd(pattern: string, p: number): number {
  const char = pattern[p];
  if (char === '%') {
    if (p + 1 >= pattern.length) throw new LuaPatternError('the pattern ends with %');
    return p + 2;
  }
  if (char !== '[') return p + 1;
  let at = p + 1;
  if (pattern[at] === '^') at += 1;
  do {
    if (at >= pattern.length) throw new LuaPatternError('a set is not closed');
    at += pattern[at] === '%' ? 2 : 1;
  } while (pattern[at] !== ']');
  return at + 1;
}

function singleMatches(match: Match, s: number, p: number, end: number): boolean {
  const char = match.subject[s];
  if (char === undefined) return false;
  const item = match.pattern[p];
  if (item === '.') return true;
  if (item === '%') return inClass(match.pattern[p + 1] ?? '', char);
  if (item === '[') return inSet(match.pattern, p, end, char);
  return item === char;
}

function inSet(pattern: string, p: number, end: number, char: string): boolean {
  let at = p + 1;
  const negated = pattern[at] === '^';
  if (negated) at += 1;
  const last = end - 1;
  while (at < last) {
    const item = pattern[at] ?? '';
    if (item === '%') {
      if (inClass(pattern[at + 1] ?? '', char)) return !negated;
      at += 2;
    } else if (pattern[at + 1] === '-' && at + 2 < last) {
      if (item <= char && char <= (pattern[at + 2] ?? '')) return !negated;
      at += 3;
    } else {
      if (item === char) return !negated;
      at += 1;
    }
  }
  return negated;
}

const classes: { readonly [letter: string]: RegExp } = {
  a: /[A-Za-z]/,
  c: /\p{Cc}/u,
  d: /[0-9]/,
  l: /[a-z]/,
  p: /[!-/:-@[-`{-~]/,
  s: /[\t-\r ]/,
  u: /[A-Z]/,
  w: /[A-Za-z0-9]/,
  x: /[0-9A-Fa-f]/,
  z: /\0/,
};

function inClass(letter: string, char: string): boolean {
  const known = classes[letter.toLowerCase()];
  if (known === undefined) return letter === char;
  // Only ASCII counts in the C locale, in which Kong runs.
  return (char < '\x80' && known.test(char)) === (letter === letter.toLowerCase());
}
