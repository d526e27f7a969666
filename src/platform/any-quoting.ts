/** Names that HTML and XML have for characters. */
const htmlNames: Readonly<Record<string, string>> = { '"': 'quot', '&': 'amp', '<': 'lt', '>': 'gt', "'": 'apos' };

/** Letters that stand for control characters behind a backslash, in JSON, C and Lua. */
const escapeLetters: Readonly<Record<string, string>> = {
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
};

/** One piece of a text: a run of plain characters, of white space, of backslashes, or one other character. */
const pieces = /[A-Za-z0-9_]+|\s+|\\+|[^A-Za-z0-9_\s\\]/gu;

/**
 * The source of a regular expression (flag `g`) that finds a text in whatever way another program wrote it: as it is, in
 * quotes of JSON (with `/` escaped or not), of Lua (`%q`, decimal escapes) or of a shell, twice quoted, in a URL, in
 * HTML, or with its white space folded.
 */
export function inAnyQuoting(text: string): string {
  return (text.match(pieces) ?? []).map(pieceSource).join('');
}

/**
 * The longest run of letters and digits of a text, which every way of quoting leaves as it is; a text without it is not
 * quoted anywhere. Empty where there is none.
 */
export function plainPart(text: string): string {
  const runs = text.match(/[A-Za-z0-9_]+/g) ?? [];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

function pieceSource(piece: string): string {
  if (/^\w/.test(piece)) return piece;
  // Bounded, so that a long run of backslashes in a text is not tried in every way.
  if (piece.startsWith('\\')) {
    return `(?:\\\\{${piece.length},${piece.length * 4}}|(?:${codes('\\').join('|')}){${piece.length}})`;
  }
  if (/^\s/.test(piece)) return spaceSource(piece);
  return `(?:\\\\{0,4}${escaped(piece)}|${codes(piece).join('|')})`;
}

/** White space is often folded, and each of it may be escaped. */
function spaceSource(piece: string): string {
  const forms = new Set(['\\s', '\\+']);
  for (const char of piece) {
    for (const code of codes(char)) forms.add(code);
    const letter = escapeLetters[char];
    if (letter !== undefined) forms.add(`\\\\{1,4}${letter}`);
  }
  return `(?:${[...forms, '\\\\{1,4}\\s'].join('|')}){1,${piece.length * 2}}`;
}

/** A character by its number: in JavaScript, Lua, URLs and HTML. */
function codes(char: string): readonly string[] {
  const point = char.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(char, 'utf8')];
  const units = Array.from({ length: char.length }, (_, at) => char.charCodeAt(at));
  const name = htmlNames[char];
  const letter = escapeLetters[char];
  return [
    bytes.map((byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`).join(''),
    bytes.map((byte) => `\\\\{1,4}0{0,2}${byte}`).join(''),
    bytes.map((byte) => `\\\\{1,4}x${anyCase(byte.toString(16).padStart(2, '0'))}`).join(''),
    units.map((unit) => `\\\\{1,4}u${anyCase(unit.toString(16).padStart(4, '0'))}`).join(''),
    `&#(?:0*${point}|[xX]0*${anyCase(point.toString(16))});`,
    ...(name === undefined ? [] : [`&${name};`]),
    ...(letter === undefined ? [] : [`\\\\{1,4}${letter}`]),
  ];
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(char: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char;
}
