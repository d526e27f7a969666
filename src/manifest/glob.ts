/** A compiled glob over paths with `/` between their parts. */
export interface Glob {
  /** Whether the whole path fits. */
  matches(path: string): boolean;
  /** Whether something below a folder could fit. */
  mayMatchUnder(folder: string): boolean;
}

/** How many ways a glob's braces may be read; further ones are taken literally. */
const alternativesLimit = 256;

/**
 * Compiles a glob: `*` and `?` stay within one part of the path, `**` as a part of its own stands for any number of
 * parts (at the end, for at least one), `[a-z]` and `[!a-z]` for one character, `{a,b}` for either, `\` takes the next
 * character as it is. A slash at the beginning means nothing, one at the end everything below. Matching takes time
 * in proportion to the lengths of both, whatever the pattern.
 */
export function compileGlob(pattern: string): Glob {
  const anchored = pattern.replace(/^(?:\.?\/)+/, '');
  const full = anchored.endsWith('/') ? `${anchored}**` : anchored;
  const alternatives = expandBraces(full).map((alternative) => alternative.split('/').filter((part) => part !== ''));
  return {
    matches: (path) => {
      const parts = path.split('/');
      return alternatives.some((pattern) => matchParts(pattern, parts, false));
    },
    mayMatchUnder: (folder) => {
      const parts = folder.split('/');
      return alternatives.some((pattern) => matchParts(pattern, parts, true));
    },
  };
}

/** Whether parts of a path fit parts of a pattern; with `under`, whether a longer path could. */
function matchParts(pattern: readonly string[], path: readonly string[], under: boolean): boolean {
  const tried = new Set<number>();
  const from = (atPattern: number, atPath: number): boolean => {
    if (atPath === path.length) {
      if (under) return atPattern < pattern.length;
      return atPattern === pattern.length;
    }
    const part = pattern[atPattern];
    const name = path[atPath];
    if (part === undefined || name === undefined) return false;
    const key = atPattern * (path.length + 1) + atPath;
    if (tried.has(key)) return false;
    tried.add(key);
    if (part !== '**') return matchPart(part, name) && from(atPattern + 1, atPath + 1);
    if (atPattern === pattern.length - 1) return true;
    return from(atPattern + 1, atPath) || from(atPattern, atPath + 1);
  };
  return from(0, 0);
}

/** Whether one name fits one part of a pattern. On a mismatch only the last star is tried further on. */
function matchPart(pattern: string, name: string): boolean {
  let atPattern = 0;
  let atName = 0;
  let star = -1;
  let starName = 0;
  while (atName < name.length) {
    const step = pattern.charAt(atPattern) === '*' ? null : matchOne(pattern, atPattern, name.charAt(atName));
    if (step === null) {
      star = atPattern;
      starName = atName;
      atPattern += 1;
    } else if (step > 0) {
      atPattern += step;
      atName += 1;
    } else if (star !== -1) {
      starName += 1;
      atName = starName;
      atPattern = star + 1;
    } else return false;
  }
  while (pattern.charAt(atPattern) === '*') atPattern += 1;
  return atPattern === pattern.length;
}

/** How many characters of the pattern one character fits; 0 where it does not. */
function matchOne(pattern: string, at: number, character: string): number {
  const sign = pattern.charAt(at);
  if (sign === '?') return 1;
  if (sign === '\\' && at + 1 < pattern.length) return pattern.charAt(at + 1) === character ? 2 : 0;
  if (sign === '[') {
    const range = readClass(pattern, at);
    if (range !== null) return range.has(character) ? range.length : 0;
  }
  return sign === character ? 1 : 0;
}

/** A character class that begins at an offset, or null where it does not end: the bracket is then an ordinary one. */
function readClass(pattern: string, at: number): { length: number; has: (character: string) => boolean } | null {
  const negated = pattern.charAt(at + 1) === '!' || pattern.charAt(at + 1) === '^';
  const first = at + (negated ? 2 : 1);
  // A closing bracket that comes first belongs to the class.
  const end = pattern.indexOf(']', first + 1);
  if (end === -1) return null;
  const content = pattern.slice(first, end);
  const has = (character: string): boolean => {
    for (let index = 0; index < content.length; index += 1) {
      const low = content.charAt(index);
      if (content.charAt(index + 1) === '-' && index + 2 < content.length) {
        if (character >= low && character <= content.charAt(index + 2)) return true;
        index += 2;
      } else if (character === low) return true;
    }
    return false;
  };
  return { length: end + 1 - at, has: (character) => has(character) !== negated };
}

/** The patterns that a pattern with braces stands for. Braces without a comma, or not closed, are ordinary characters. */
function expandBraces(pattern: string): readonly string[] {
  let expanded = [pattern];
  for (;;) {
    const next: string[] = [];
    let changed = false;
    for (const current of expanded) {
      const brace = innermostBraces(current);
      if (brace === null) next.push(current);
      else {
        changed = true;
        for (const choice of brace.choices)
          next.push(current.slice(0, brace.start) + choice + current.slice(brace.end));
      }
    }
    if (!changed || next.length > alternativesLimit) return expanded;
    expanded = next;
  }
}

function innermostBraces(
  pattern: string,
): { readonly start: number; readonly end: number; readonly choices: readonly string[] } | null {
  let start = -1;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '{') start = at;
    else if (sign === '}' && start !== -1) {
      const choices = pattern.slice(start + 1, at).split(',');
      if (choices.length > 1) return { start, end: at + 1, choices };
      start = -1;
    }
  }
  return null;
}
