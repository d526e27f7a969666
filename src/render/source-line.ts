import type { HiddenPart } from './mask-source.ts';

/** A line as it is shown, and where in it a range is, in terminal columns from 0. */
export interface ShownLine {
  readonly text: string;
  readonly start: number;
  readonly width: number;
}

/** How much of a long line is shown. */
const windowWidth = 120;

/**
 * A source line for a terminal: hidden parts as `***`, control characters made visible, a long line cut around the
 * range. Columns are from 1 in UTF-16 units, the end exclusive.
 */
export function showLine(line: string, from: number, to: number, hidden: readonly HiddenPart[]): ShownLine {
  const cells = cellsOf(line, hidden);
  const first = cells.findIndex((cell) => cell.to > from);
  const last = cells.findIndex((cell) => cell.to >= to);
  const startCell = first === -1 ? cells.length : first;
  const endCell = to <= from ? startCell + 1 : last === -1 ? cells.length : last + 1;
  const begin = Math.max(0, cells.length <= windowWidth ? 0 : Math.min(startCell - 40, cells.length - windowWidth));
  const shown = cells.slice(begin, begin + windowWidth);
  const before = begin > 0 ? '…' : '';
  const after = begin + windowWidth < cells.length ? '…' : '';
  const widthOf = (list: readonly Cell[]) => list.reduce((sum, cell) => sum + cell.width, 0);
  return {
    text: `${before}${shown.map((cell) => cell.text).join('')}${after}`,
    start: before.length + widthOf(cells.slice(begin, startCell)),
    width: Math.max(1, widthOf(cells.slice(startCell, Math.min(endCell, begin + windowWidth)))),
  };
}

/** One character as shown (or one `***`), with the source column (from 1) after its last unit. */
interface Cell {
  readonly text: string;
  readonly width: number;
  readonly to: number;
}

function cellsOf(line: string, hidden: readonly HiddenPart[]): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 1;
  let masked: HiddenPart | undefined;
  for (const character of line) {
    const next = column + character.length;
    const part = hidden.find((candidate) => candidate.from < next && column < candidate.to);
    if (part === undefined) cells.push(cellOf(character, next));
    else if (part !== masked) cells.push({ text: '***', width: 3, to: part.to });
    masked = part;
    column = next;
  }
  return cells;
}

function cellOf(character: string, to: number): Cell {
  const text = printable(character);
  return { text, width: widthOf(text), to };
}

/** Text with control characters, which could move a terminal's cursor or hide what follows, made visible or blank. */
export function printable(text: string): string {
  return text.replace(/\t/g, ' ').replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

/** How many terminal columns a character takes: none for combining ones, two for the wide ones of East Asia and emoji. */
function widthOf(character: string): number {
  if (/^\p{M}/u.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}
