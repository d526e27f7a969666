import { type HiddenPart, partAt } from './mask-source.ts';

/** A line as it is shown, and where in it a range is, in terminal columns from 0. */
export interface ShownLine {
  readonly text: string;
  readonly start: number;
  readonly width: number;
}

/** How much of a long line is shown. */
const windowWidth = 120;

/**
 * A source line for a terminal: hidden parts (in order, apart from each other) as `***`, control characters made
 * visible, a long line cut around the range. Columns are from 1 in UTF-16 units, the end exclusive. What is far from the
 * range is not looked at, so that a very long line costs no more than a short one.
 */
export function showLine(line: string, from: number, to: number, hidden: readonly HiddenPart[]): ShownLine {
  const before = cellsBefore(line, from, hidden);
  const behind = cellsFrom(line, from, hidden);
  const cells = [...before.cells, ...behind.cells];
  const startCell = before.cells.length;
  const last = cells.findIndex((cell) => cell.to >= to);
  const endCell = to <= from ? startCell + 1 : last === -1 ? cells.length : last + 1;
  const isShort = !before.isCut && !behind.isCut && cells.length <= windowWidth;
  const begin = Math.max(0, isShort ? 0 : Math.min(startCell - 40, cells.length - windowWidth));
  const shown = cells.slice(begin, begin + windowWidth);
  const head = before.isCut || begin > 0 ? '…' : '';
  const tail = behind.isCut || begin + windowWidth < cells.length ? '…' : '';
  const widthOf = (list: readonly Cell[]) => list.reduce((sum, cell) => sum + cell.width, 0);
  return {
    text: `${head}${shown.map((cell) => cell.text).join('')}${tail}`,
    start: head.length + widthOf(cells.slice(begin, startCell)),
    width: Math.max(1, widthOf(cells.slice(startCell, Math.min(endCell, begin + windowWidth)))),
  };
}

/** One character as shown (or one `***`), with the source column (from 1) after its last unit. */
interface Cell {
  readonly text: string;
  readonly width: number;
  readonly to: number;
}

/** Neighbouring cells, and whether there are more beyond them. */
interface Cells {
  readonly cells: readonly Cell[];
  readonly isCut: boolean;
}

/** The cell that has a column, and those behind it: as many as are ever shown. */
function cellsFrom(line: string, from: number, hidden: readonly HiddenPart[]): Cells {
  const cells: Cell[] = [];
  let column = startOfCell(line, from, hidden);
  while (column <= line.length && cells.length < windowWidth) {
    const cell = cellAt(line, column, hidden);
    cells.push(cell);
    column = cell.to;
  }
  return { cells, isCut: column <= line.length };
}

/** The cells before the one that has a column: as many as are ever shown. */
function cellsBefore(line: string, from: number, hidden: readonly HiddenPart[]): Cells {
  const cells: Cell[] = [];
  let column = startOfCell(line, from, hidden);
  while (column > 1 && cells.length < windowWidth) {
    column = startOfCell(line, column - 1, hidden);
    cells.push(cellAt(line, column, hidden));
  }
  return { cells: cells.reverse(), isCut: column > 1 };
}

/** Where the character or the hidden part starts that has a column; behind the end, the end. */
function startOfCell(line: string, at: number, hidden: readonly HiddenPart[]): number {
  const column = Math.min(Math.max(1, at), line.length + 1);
  const part = partAt(hidden, column);
  if (part !== undefined) return Math.max(1, part.from);
  const isSecondHalf = column > 1 && (line.codePointAt(column - 2) ?? 0) > 0xffff;
  return isSecondHalf && partAt(hidden, column - 1) === undefined ? column - 1 : column;
}

function cellAt(line: string, column: number, hidden: readonly HiddenPart[]): Cell {
  const part = partAt(hidden, column);
  if (part !== undefined) return { text: '***', width: 3, to: part.to };
  const character = String.fromCodePoint(line.codePointAt(column - 1) ?? 0);
  return cellOf(character, column + character.length);
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
