/**
 * What makes a text no regular expression in PCRE's language, or null. It looks for what no regular expression has in
 * any dialect: brackets that do not close, a repetition of nothing, a lone backslash at the end. A text that passes may
 * still be refused by a server.
 */
export function regexProblem(pattern: string): string | null {
  const names = new Set<string>();
  let depth = 0;
  let canRepeat = false;
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    if (char === '\\') {
      if (at + 1 >= pattern.length) return 'is no regular expression: it ends with a backslash';
      const letter = pattern[at + 1] ?? '';
      if (unknownEscapes.includes(letter)) return `is no regular expression: there is no "\\${letter}"`;
      const end = pattern.startsWith('\\Q', at) ? pattern.indexOf('\\E', at) : -1;
      at = end === -1 ? at + 2 : end + 2;
      canRepeat = true;
      continue;
    }
    if (char === '[') {
      const end = classEnd(pattern, at);
      if (end === -1) return 'is no regular expression: a "[" is not closed';
      const inside = pattern.slice(at + 1, end - 1).replace(/\\./gs, '');
      if (hasReversedRange(inside)) return 'is no regular expression: a range in "[…]" is the wrong way round';
      at = end;
      canRepeat = true;
      continue;
    }
    if (char === '{') {
      const [counted, from = '', to = ''] = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(at, at + 20)) ?? [];
      if (counted !== undefined) {
        if (to !== '' && Number(from) > Number(to)) {
          return 'is no regular expression: the counts in "{…}" are the wrong way round';
        }
        at += counted.length;
        canRepeat = false;
        if (pattern[at] === '?' || pattern[at] === '+') at += 1;
        continue;
      }
    }
    if (char === '(') {
      const name = groupName(pattern, at);
      if (name !== null) {
        if (/^\d/.test(name)) return 'is no regular expression: the name of a group begins with a digit';
        if (names.has(name)) return 'is no regular expression: two groups have one name';
        names.add(name);
      }
      depth += 1;
      at = groupStart(pattern, at);
      canRepeat = false;
      continue;
    }
    if (char === ')') {
      depth -= 1;
      if (depth < 0) return 'is no regular expression: a ")" has no "(" before it';
      canRepeat = true;
    } else if (char === '*' || char === '+' || char === '?') {
      if (!canRepeat) return `is no regular expression: there is nothing before "${char}" to repeat`;
      // A second "?" or "+" makes the repetition lazy or possessive.
      if (pattern[at + 1] === '?' || pattern[at + 1] === '+') at += 1;
      canRepeat = false;
    } else canRepeat = char !== '|' && char !== '^';
    at += 1;
  }
  return depth > 0 ? 'is no regular expression: a "(" is not closed' : null;
}

/** Letters that mean nothing after a backslash, in PCRE's language or in Rust's. */
const unknownEscapes = 'ijmqyFIJMOTY';

/** The name of the group that opens here, or null. */
function groupName(pattern: string, start: number): string | null {
  return /^\(\?(?:P?<|')(\w+)[>']/.exec(pattern.slice(start, start + 200))?.[1] ?? null;
}

/**
 * What a regular expression uses that Rust's library does not know, or null: the traditional_compatible and expressions
 * routers match with that, and Kong refuses a route that they cannot take.
 */
export function rustRegexProblem(pattern: string): string | null {
  const plain = pattern.replace(/\\\\/g, '').replace(/\\[^0-9A-Za-z]/g, '');
  const outside = plain.replace(/\[\^?\]?[^\]]*\]/g, '[]');
  if (/\(\?<?[=!]/.test(outside)) return 'looks ahead or behind, which this router does not know';
  if (/\\[1-9]|\\[gk][{<']|\(\?P=/.test(outside)) return 'refers back to a group, which this router does not know';
  if (/\(\?[>|(R&]|\(\*/.test(outside)) return 'has a group of a kind that this router does not know';
  const letter = /\\([CEGHKNQRXZhko])/.exec(outside)?.[1];
  return letter === undefined ? null : `has "\\${letter}", which this router does not know`;
}

/** Whether a class, its escapes taken out, has a range such as `z-a`. */
function hasReversedRange(inside: string): boolean {
  return [...inside.matchAll(/([A-Za-z0-9])-([A-Za-z0-9])/g)].some(([, from = '', to = '']) => from > to);
}

/** Where the character class that opens at `start` ends, or -1. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  // A "]" that comes first stands for itself.
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length) {
    if (pattern[at] === '\\') at += 2;
    else if (pattern.startsWith('[:', at) && pattern.includes(':]', at)) at = pattern.indexOf(':]', at) + 2;
    else if (pattern[at] === ']') return at + 1;
    else at += 1;
  }
  return -1;
}

/** The place after what opens a group: `(`, `(?:`, `(?<name>`, `(?i` and the like. */
function groupStart(pattern: string, start: number): number {
  const opening = /^\((?:\?(?:[:=!>|]|<[=!]|P?<\w+>|'\w+'|#[^)]*|[a-zA-Z^-]*:?)|\*[A-Z_]+(?::[^)]*)?)?/.exec(
    pattern.slice(start),
  );
  return start + (opening?.[0].length ?? 1);
}
