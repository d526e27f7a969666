/** Control characters, line separators and what turns the direction of writing: they can forge a log or a report. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A name with every character that could break a line or hide something written as an escape. */
export function escapeName(name: string): string {
  return name.replace(unsafe, (character) => {
    switch (character) {
      case '\n':
        return '\\n';
      case '\r':
        return '\\r';
      case '\t':
        return '\\t';
      default:
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }
  });
}

/** A short text of a file for a message: escaped, cut, in backticks. */
export function shownText(text: string): string {
  const escaped = escapeName(text);
  return `\`${escaped.length > 60 ? `${escaped.slice(0, 59)}…` : escaped}\``;
}
