/** What Go's template.HTMLEscaper writes for a character. */
const html: ReadonlyMap<string, string> = new Map([
  ['\u0000', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** A text as Go's function `html` escapes it. */
export function htmlEscaped(text: string): string {
  return text.replace(/["'&<>\0]/g, (character) => html.get(character) ?? character);
}

/** A text as Go's function `js` escapes it: for a string in JavaScript. */
export function jsEscaped(text: string): string {
  return text.replace(/[\\'"<>&=\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (character) => {
    if (character === '\\' || character === "'" || character === '"') return `\\${character}`;
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/** The bytes of a text from one place up to another, as Go cuts a string; null where there are no such places. */
export function sliced(text: string, from: number, to: number | null): string | null {
  const bytes = new TextEncoder().encode(text);
  const end = to ?? bytes.length;
  if (from > end || end > bytes.length) return null;
  return new TextDecoder().decode(bytes.slice(from, end));
}

/** The byte of a text at a place, which is a number in Go; null where there is none. */
export function byteAt(text: string, at: number): number | null {
  return new TextEncoder().encode(text)[at] ?? null;
}
