import type { Diagnostic } from '../model/diagnostic.ts';

/** So much is shown of one name or value. */
const longestPart = 200;

/** So long a whole sentence gets, whatever it lists. */
const longestText = 4_000;

/** A finding of which no name or value is shown whole that nobody would read to its end. */
export function bounded(diagnostic: Diagnostic): Diagnostic {
  const [message, hint] = [boundedText(diagnostic.message), boundedText(diagnostic.hint)];
  // Others know a finding by its identity.
  return message === diagnostic.message && hint === diagnostic.hint ? diagnostic : { ...diagnostic, message, hint };
}

function boundedText(text: string): string {
  if (text.length <= longestPart) return text;
  const parts = text.split('"').map((part, index) => (index % 2 === 1 ? cut(part, longestPart) : part));
  return cut(
    parts.join('"').replace(/\S+/g, (word) => cut(word, longestPart + 10)),
    longestText,
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
