/** Samples longer than this are of no use, and repetitions in them could make another pattern slow. */
const maxLength = 120;

/** A regular expression of a path, ready to try paths with, and a path that it matches. */
export interface PathRegex {
  readonly test: RegExp;
  readonly sample: string;
}

/**
 * Makes a path that a regular expression matches, and what tries others; null where it is beyond what is understood
 * here (it is then not compared). The pattern is Kong's, without the `~`.
 */
export function pathRegex(pattern: string): PathRegex | null {
  const script = pattern.replaceAll('?P<', '?<');
  try {
    // What stands before it is a "/" or so, of which there is no other case.
    const plain = script.replace(/^([^A-Za-z(]*)\(\?i\)/, '$1');
    const test = new RegExp(`^(?:${plain})`, plain === script ? '' : 'i');
    const reader: Reader = { pattern: plain, at: 0 };
    const sample = alternatives(reader);
    if (reader.at < reader.pattern.length || sample.length > maxLength || !test.test(sample)) return null;
    return { test, sample };
  } catch {
    // What the engine here cannot compile is not compared; whether Kong can is another rule's to say.
    return null;
  }
}

interface Reader {
  readonly pattern: string;
  at: number;
}

/** The first of the alternatives that begin here, up to a closing bracket or the end. */
function alternatives(reader: Reader): string {
  const first = sequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    sequence(reader);
  }
  return first;
}

function sequence(reader: Reader): string {
  let text = '';
  for (let char = reader.pattern[reader.at]; char !== undefined; char = reader.pattern[reader.at]) {
    if (char === '|' || char === ')') break;
    const item = one(reader, char);
    text += item.repeat(repetitions(reader));
    if (text.length > maxLength) break;
  }
  return text;
}

function one(reader: Reader, char: string): string {
  const { pattern } = reader;
  reader.at += 1;
  if (char === '^' || char === '$') return '';
  if (char === '.') return 'x';
  if (char === '\\') {
    const letter = pattern[reader.at] ?? '';
    reader.at += 1;
    return escaped(letter);
  }
  if (char === '[') {
    const end = /^\^?\]?(?:\\.|[^\]\\])*\]/s.exec(pattern.slice(reader.at))?.[0] ?? ']';
    reader.at += end.length;
    return memberOf(`[${end}`);
  }
  if (char !== '(') return char;
  const opening = /^\?(?::|<[A-Za-z]\w*>)/.exec(pattern.slice(reader.at))?.[0] ?? '';
  reader.at += opening.length;
  const inner = alternatives(reader);
  if (pattern[reader.at] === ')') reader.at += 1;
  return inner;
}

function escaped(letter: string): string {
  const classes: { readonly [letter: string]: string } = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', b: '' };
  return Object.hasOwn(classes, letter) ? (classes[letter] ?? '') : letter;
}

/** Some character of a class. */
function memberOf(characterClass: string): string {
  const test = new RegExp(`^${characterClass}$`);
  return [...'a1A0-_./~ '].find((char) => test.test(char)) ?? 'x';
}

/** How often the item before is repeated, at least and at most three times. */
function repetitions(reader: Reader): number {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})[?+]?/.exec(reader.pattern.slice(reader.at, reader.at + 20));
  if (found === null) return 1;
  reader.at += found[0].length;
  return found[1] === undefined ? 1 : Math.min(Number(found[1]), 3);
}
