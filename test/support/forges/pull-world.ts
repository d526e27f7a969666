/** A pull request, in words that no forge has. */
export interface WorldPull {
  readonly number: number;
  title: string;
  readonly author: string;
  readonly isBot: boolean;
  /** Where its head lies: in the same repository, in a fork, or in one that is gone. */
  readonly from: 'here' | 'fork' | 'gone';
  isDraft: boolean;
  head: string;
  /** All heads that it had, the last one too. */
  readonly heads: string[];
  readonly source: string;
  base: string;
  isOpen: boolean;
}

/** A comment on a pull request. */
export interface WorldComment {
  readonly id: number;
  readonly number: number;
  readonly author: string;
  body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  version: number;
  edits: number;
  /** Whether the forge itself says it. */
  readonly isSystem: boolean;
  /** Whether it is about a line of a file. */
  readonly isInFile: boolean;
  /** Which comment it answers. */
  readonly answers: number | null;
}

/** The user whose token every emulator takes. */
export const selfName = 'konverge-bot';

/** When the first comment is made that says nothing else, in milliseconds since 1970. */
export const worldStart = Date.UTC(2031, 0, 1);

/** Pull requests and comments of an emulator. */
export class PullWorld {
  /** Who writes with the token. */
  self = selfName;
  readonly pulls: WorldPull[] = [];
  readonly comments: WorldComment[] = [];
  /** Who may write to the repository. */
  readonly writers = new Set<string>([selfName]);
  /** Who may read it only. */
  readonly readers = new Set<string>();
  /** Whether the forge does not say whose the token is. */
  hidesSelf = false;
  /** So many lists of comments do not have the newest one yet. */
  lag = 0;
  /** How often was answered that a condition still holds. */
  notModified = 0;
  /** Comments that are refused for being too long. */
  refused = 0;
  readonly #people: string[] = [];

  /** Opens one; the number is the next free one. */
  open(more: Partial<Omit<WorldPull, 'number' | 'heads'>> = {}): WorldPull {
    const number = this.pulls.length + 1;
    const head = more.head ?? number.toString(16).padStart(40, 'c');
    const pull: WorldPull = {
      title: `change ${number}`,
      author: 'ann',
      isBot: false,
      from: 'here',
      isDraft: false,
      source: `topic/${number}`,
      base: 'main',
      isOpen: true,
      ...more,
      head,
      heads: [head],
      number,
    };
    this.pulls.push(pull);
    return pull;
  }

  push(number: number, head: string): void {
    const pull = this.pull(number);
    if (pull === undefined) throw new Error(`there is no #${number}`);
    pull.head = head;
    pull.heads.push(head);
  }

  pull(number: number): WorldPull | undefined {
    return this.pulls.find((one) => one.number === number);
  }

  /** Those that are open, oldest first. */
  openOn(base: string | null): readonly WorldPull[] {
    return this.pulls.filter((one) => one.isOpen && (base === null || one.base === base));
  }

  /** A person says something. */
  say(number: number, author: string, body: string, more: Partial<WorldComment> = {}): WorldComment {
    const id = 500 + this.comments.length;
    const at = worldStart + this.comments.length * 1000;
    const comment: WorldComment = {
      id,
      number,
      author,
      body,
      at,
      version: 0,
      edits: 0,
      isSystem: false,
      isInFile: false,
      answers: null,
      ...more,
    };
    this.comments.push(comment);
    return comment;
  }

  /** A comment is edited; whether it is there. */
  edit(id: number, body: string): WorldComment | undefined {
    const comment = this.comments.find((one) => one.id === id);
    if (comment === undefined) return undefined;
    comment.body = body;
    comment.version += 1;
    comment.edits += 1;
    return comment;
  }

  remove(id: number): void {
    const at = this.comments.findIndex((one) => one.id === id);
    if (at !== -1) this.comments.splice(at, 1);
  }

  /** What a list of the comments on one shows: the newest may be missing for a moment. */
  listed(number: number): readonly WorldComment[] {
    const all = this.comments.filter((one) => one.number === number);
    if (this.lag === 0) return all;
    this.lag -= 1;
    return all.slice(0, -1);
  }

  /** A comment's text as forges give it back. */
  shown(body: string): string {
    return body.trim().replace(/\n/g, '\r\n');
  }

  /** A number that a person has for ever. */
  idOf(person: string): number {
    if (!this.#people.includes(person)) this.#people.push(person);
    return 101 + this.#people.indexOf(person);
  }

  personOf(id: number): string | undefined {
    return this.#people[id - 101];
  }

  /** An id of another form that a person, a repository or a project has for ever. */
  uuidOf(name: string): string {
    return `00000000-0000-4000-8000-${this.idOf(name).toString(16).padStart(12, '0')}`;
  }
}
