/** A number of things: `1 finding`, `3 findings`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first of some names: `a, b, c and 4 more`. */
export function firstOf(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}

/** An instant, in milliseconds since 1970, as people write it: `2026-11-30 12:34 UTC`. */
export function instantOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** How long something took or is ago, to one unit: `less than a minute`, `5 minutes`, `3 hours`, `2 days`. */
export function durationOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return countOf(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day');
}

/** A commit as people name it. */
export function shortCommit(sha: string): string {
  return sha.slice(0, 7);
}

/** A text of at most so many UTF-16 units, with an ellipsis where it was cut; never half a character. */
export function cutTo(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
