/**
 * What makes a text no regular expression in PCRE's language, or null. It looks for what no regular expression has in
 * any dialect: brackets that do not close, a repetition of nothing, a lone backslash at the end. A text that passes may
 * still be refused by a server.
 */
export function regexProblem(pattern: string): string | null {
  let depth = 0;
  let canRepeat = false;
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    if (char === '\\') {
      if (at + 1 >= pattern.length) return 'is no regular expression: it ends with a backslash';
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
    if (char === '(') {
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
