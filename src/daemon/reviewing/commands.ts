/** A command in a comment of a pull request. */
export type CommentCommand =
  | { readonly command: 'plan' }
  | { readonly command: 'approve'; readonly destination: string };

/**
 * The commands of a comment: lines that begin with `/konverge`. What is quoted, stands in a block of code, or is no
 * command that there is, is text like any other.
 */
export function commandsIn(body: string): readonly CommentCommand[] {
  const found: CommentCommand[] = [];
  let fence: string | null = null;
  for (const line of body.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark !== null) {
      fence = mark;
      continue;
    }
    const [, word, name] = /^\/konverge (plan|approve)(?: ([a-z0-9-]{1,30}))?\s*$/.exec(line) ?? [];
    if (word === 'plan' && name === undefined) found.push({ command: 'plan' });
    if (word === 'approve' && name !== undefined) found.push({ command: 'approve', destination: name });
  }
  return found;
}
