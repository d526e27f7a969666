/** A line `key: value` at the end of a commit's message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

const line = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)$/;

/** What Git itself writes at the end of messages. */
const writtenByGit = /^(?:Signed-off-by: |\(cherry picked from commit )/;

/**
 * The trailers of a commit's message, in order, told from prose as `git interpret-trailers` does: the last paragraph,
 * which is not the title, and all of whose lines are trailers, or one of them is Git's own and a quarter are.
 */
export function trailersOf(message: string): readonly Trailer[] {
  const paragraphs = message
    .replace(/\r\n?/g, '\n')
    .replace(/^#.*(?:\n|$)/gm, '')
    .trim()
    .split(/\n(?:[ \t]*\n)+/);
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? '') : '';
  const found: Trailer[] = [];
  let [others, isGits] = [0, false];
  let isContinued = false;
  for (const text of last.split('\n')) {
    const before = found.at(-1);
    if (/^[ \t]/.test(text)) {
      if (isContinued && before !== undefined) {
        found[found.length - 1] = { key: before.key, value: `${before.value} ${text.trim()}`.trim() };
      } else others += 1;
      continue;
    }
    if (writtenByGit.test(text)) isGits = true;
    const [, key, value] = line.exec(text) ?? [];
    isContinued = key !== undefined && value !== undefined;
    if (key !== undefined && value !== undefined) found.push({ key, value: value.trim() });
    else if (!writtenByGit.test(text)) others += 1;
  }
  const isBlock = others === 0 || (isGits && found.length * 3 >= others);
  return isBlock ? found : [];
}
