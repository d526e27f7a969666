/** A line `key: value` at the end of a commit's message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

const line = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)$/;

/** What Git itself writes at the end of messages. */
const writtenByGit = /^(?:Signed-off-by: |\(cherry picked from commit )/;

/** In the place of a comment that a line goes on after: what came before it is not continued. No message of Git holds it. */
const comment = '\0';

/**
 * The trailers of a commit's message, in order, told from prose as `git interpret-trailers` does: the last paragraph,
 * which is not the title, and all of whose lines are trailers, or one of them is Git's own and a quarter are.
 */
export function trailersOf(message: string): readonly Trailer[] {
  const paragraphs = message
    .replace(/\r\n?/g, '\n')
    .replace(/^#.*\n(?=[ \t]+\S)/gm, `${comment}\n`)
    .replace(/^#.*(?:\n|$)/gm, '')
    .trim()
    .split(/\n(?:[ \t]*\n)+/);
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? '') : '';
  const found: { readonly key: string; readonly words: string[] }[] = [];
  let [others, isGits] = [0, false];
  let isContinued = false;
  for (const text of last.split('\n')) {
    const before = found.at(-1);
    if (text === comment) {
      isContinued = false;
      continue;
    }
    if (/^[ \t]/.test(text)) {
      if (isContinued && before !== undefined) {
        before.words.push(text.trim());
      } else others += 1;
      continue;
    }
    if (writtenByGit.test(text)) isGits = true;
    const [, key, value] = line.exec(text) ?? [];
    isContinued = key !== undefined && value !== undefined;
    if (key !== undefined && value !== undefined) found.push({ key, words: [value.trim()] });
    else if (!writtenByGit.test(text)) others += 1;
  }
  const isBlock = others === 0 || (isGits && found.length * 3 >= others);
  return isBlock ? found.map(({ key, words }) => ({ key, value: words.join(' ').trim() })) : [];
}
