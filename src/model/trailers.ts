/** A line `key: value` at the end of a commit's message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

const line = /^([A-Za-z0-9-]+)[ \t]*:/;

/** What Git itself writes at the end of messages. */
const writtenByGit = /^(?:Signed-off-by: |\(cherry picked from commit )/;

/** What is white space to Git: no other character ends a line, or makes one blank, that looks so to people. */
const blank = /^[ \t\r]*$/;
const indented = /^[ \t\r]/;

/**
 * The trailers of a commit's message, in order, told from prose as `git interpret-trailers` does: the last paragraph,
 * which is not the title, and all of whose lines are trailers, or one of them is Git's own and a quarter are.
 */
export function trailersOf(message: string): readonly Trailer[] {
  const lines = message.split('\n');
  const found: { readonly key: string; readonly words: string[] }[] = [];
  let isContinued = false;
  for (const text of lines.slice(blockBegins(lines))) {
    if (isContinued && indented.test(text)) {
      found.at(-1)?.words.push(text.trim());
      continue;
    }
    const [begins, key] = line.exec(text) ?? [];
    isContinued = begins !== undefined;
    if (begins !== undefined && key !== undefined) found.push({ key, words: [text.slice(begins.length).trim()] });
  }
  return found.map(({ key, words }) => ({ key, value: words.join(' ').trim() }));
}

/** The index of the line that the block of trailers begins with; behind the last line where there is none. */
function blockBegins(lines: readonly string[]): number {
  const first = lines.findIndex((text) => !blank.test(text) && !isComment(text));
  let [trailers, others, indents, isGits, isBehind] = [0, 0, 0, false, true];
  // From the end: a line that is indented belongs to the one before it.
  for (let at = lines.length - 1; at > first && first >= 0; at -= 1) {
    const text = lines[at] ?? '';
    if (blank.test(text)) {
      if (isBehind) continue;
      others += indents;
      const isBlock = (isGits && trailers * 3 >= others) || (trailers > 0 && others === 0);
      return isBlock ? at + 1 : lines.length;
    }
    if (isComment(text)) {
      [others, indents] = [others + indents, 0];
      continue;
    }
    isBehind = false;
    if (indented.test(text)) {
      indents += 1;
    } else if (writtenByGit.test(text) || line.test(text)) {
      isGits ||= writtenByGit.test(text);
      [trailers, indents] = [trailers + 1, 0];
    } else {
      [others, indents] = [others + 1 + indents, 0];
    }
  }
  return lines.length;
}

function isComment(text: string): boolean {
  return text.startsWith('#');
}
