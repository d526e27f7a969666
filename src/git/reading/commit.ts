import { StoreDamage } from '../objects/store-damage.ts';

/** What is read of a commit. */
export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly title: string;
  /** All that follows the headers, as it is: control characters and all. */
  readonly message: string;
  readonly author: string;
  /** When it was committed, in milliseconds since 1970. */
  readonly at: number;
}

const longestTitle = 200;

/** Parses a commit object. Control characters are dropped from what is shown to people. */
export function parseCommit(bytes: Uint8Array, revision: string): Commit {
  const text = new TextDecoder().decode(bytes);
  const split = text.indexOf('\n\n');
  const head = split === -1 ? text : text.slice(0, split);
  const lines = head.split('\n');
  const tree = /^tree ([0-9a-f]{40})$/.exec(lines[0] ?? '')?.[1];
  if (tree === undefined) throw new StoreDamage('broken', `commit ${revision} names no tree`);
  const parents: string[] = [];
  let author = '';
  let at = 0;
  for (const line of lines) {
    const parent = /^parent ([0-9a-f]{40})$/.exec(line)?.[1];
    if (parent !== undefined) parents.push(parent);
    else if (line.startsWith('author ')) author = nameIn(line.slice('author '.length));
    else if (line.startsWith('committer ')) at = Number(/> (\d{1,12}) /.exec(line)?.[1] ?? 0) * 1000;
  }
  const message = split === -1 ? '' : text.slice(split + 2);
  const title = clean(message.trimStart().split('\n', 1)[0] ?? '');
  return { tree, parents, title, message, author: clean(author), at };
}

/** What stands before the address. */
function nameIn(person: string): string {
  const address = person.lastIndexOf('<');
  return address === -1 ? person : person.slice(0, address);
}

function clean(text: string): string {
  const shown = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return shown.length > longestTitle ? `${shown.slice(0, longestTitle - 1)}…` : shown;
}
