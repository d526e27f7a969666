import { getScalarValue, type ScalarEvent } from 'js-yaml';

/**
 * decK expands `${{ env "NAME" }}` in the raw text before YAML sees it, so that double quotes may stand in double
 * quotes, and braces in a plain text of a flow list. To read such files, each expression is covered by as many
 * characters that mean nothing to YAML, so that all offsets stay, and put back into the texts that YAML found.
 *
 * Only what is like decK's own use is covered: `${{` may well stand in a manifest that knows nothing of decK.
 */
const expression = /\$\{\{(?:[^\r\n$]|\$(?!\{\{))*?\}\}/g;

/** What decK's own use has in it, unlike that of others. */
const ownUse = /[ \t({-]env[ \t]+\\?["`]/;

/** Whether a text has expressions of decK's kind. */
export function hasOwnUse(text: string): boolean {
  return text.match(expression)?.some((match) => ownUse.test(match)) === true;
}

/** A text with its expressions covered, and the way back. */
export interface Masked {
  readonly text: string;
  /** The value of a scalar of the covered text, its expressions put back. */
  readonly restore: (value: string, event: ScalarEvent) => string;
}

/** The text with its expressions covered, or null where it has none. */
export function maskTemplates(text: string): Masked | null {
  if (!text.includes('${{')) return null;
  const starts: number[] = [];
  const ends: number[] = [];
  const [first, filler] = unusedCharacters(text);
  const masked = text.replace(expression, (match, offset: number) => {
    if (!ownUse.test(match)) return match;
    starts.push(offset);
    ends.push(offset + match.length);
    return first + filler.repeat(match.length - 1);
  });
  if (starts.length === 0) return null;
  const run = new RegExp(`${first}${filler}*`, 'g');
  return {
    text: masked,
    restore: (value, event) => {
      if (!value.includes(first)) return value;
      let next = firstFrom(starts, event.valueStart);
      return value.replace(run, () => {
        const range = { valueStart: starts[next] ?? 0, valueEnd: ends[next] ?? 0 };
        next += 1;
        // In quotes, an expression may have been written with the escapes that the quotes ask for, or without.
        return getScalarValue(text, { ...event, ...range, fast: event.style !== 2 && event.style !== 3 });
      });
    },
  };
}

/** Two private-use characters that a text does not hold. */
function unusedCharacters(text: string): readonly [string, string] {
  for (let unit = 0xe000; unit < 0xf8ff; unit += 2) {
    const [first, filler] = [String.fromCharCode(unit), String.fromCharCode(unit + 1)];
    if (!text.includes(first) && !text.includes(filler)) return [first, filler];
  }
  return ['\uf8fe', '\uf8ff'];
}

/** The index of the first number that is not below a bound, in a sorted list. */
function firstFrom(sorted: readonly number[], bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
