/** Whether a UTF-16 unit is a space, a tab or a line break. */
function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 10 || unit === 13;
}

/** The offset of the first character from `from` on that is neither white space, in `skipped`, nor of a comment. */
export function skipTo(text: string, from: number, skipped: string): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 35 && (at === 0 || isBlank(text.charCodeAt(at - 1)))) at = lineEnd(text, at);
    else if (isBlank(unit) || skipped.includes(text.charAt(at))) at += 1;
    else break;
  }
  return at;
}

/** The offset of the line break that ends the line of an offset, or of the end. */
export function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== 10 && text.charCodeAt(at) !== 13) at += 1;
  return at;
}

/** The offset after the last character before `end` that is no white space; never before `start`. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}
