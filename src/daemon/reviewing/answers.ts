import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../platform/log.ts';
import { codeSpan, escapedMarkdown } from '../../render/markdown-text.ts';
import { KeptFile } from './kept-file.ts';

const answer = z.object({
  /** The comment that it answers. */
  id: z.string(),
  by: z.string(),
  /** The command as it was written. */
  command: z.string(),
  /** What became of it, in one sentence that stays true. */
  said: z.string(),
});

const asked = z.object({
  /** Comments were looked at up to this instant, in milliseconds since 1970; null before a first look. */
  since: z.number().nullable(),
  /** The comments of that very instant that were looked at: forges count in seconds. */
  done: z.array(z.string()),
  answers: z.array(answer),
  /** The SHA-256 of what our comment says, but for what changes by itself; null before there is one. */
  told: z.string().nullable().default(null),
  /** The SHA-256 of our comment as it was sent; null where that is not known. */
  sent: z.string().nullable().default(null),
});

const file = z.object({ pulls: z.record(z.string(), asked) });

/** What became of one command. */
export type Answer = z.output<typeof answer>;

/** A comment that was looked at; `at` in milliseconds since 1970. */
export interface Looked {
  readonly id: string;
  readonly at: number;
}

type Asked = z.output<typeof asked>;

/** So many answers are kept of one pull request, the newest. */
const mostAnswers = 10;

/** The room that the answers take at most in a comment, in characters. */
export const answersRoom = 6_000;

/** The longest command and answer that are shown, in characters. */
const [longestCommand, longestAnswer] = [60, 160];

/**
 * The commands of each pull request that were answered, up to when its comments were looked at, and what our comment
 * says, in one file that is replaced whole: an answer is there after a restart, no command is carried out twice or missed
 * because of one, and no comment is edited for nothing. Where it cannot be kept, commands that were written before the
 * restart are passed over.
 */
export class Answers {
  readonly #file: KeptFile;
  readonly #pulls = new Map<string, Asked>();

  private constructor(kept: KeptFile) {
    this.#file = kept;
  }

  /** Reads the file; one that is missing or cannot be read is as if nothing was asked. */
  static async open(path: string, log: Log): Promise<Answers> {
    const failed = 'the answers to commands cannot be written; they are known until the next restart';
    const answers = new Answers(new KeptFile(path, log, failed));
    const text = await answers.#file.read();
    try {
      const { pulls } = text === null ? { pulls: {} } : file.parse(JSON.parse(text));
      for (const [key, one] of Object.entries(pulls)) answers.#pulls.set(key, one);
    } catch {
      log.warn({ unaffected: 'every destination' }, 'the answers to commands cannot be read and are forgotten');
    }
    return answers;
  }

  /** Up to when the comments of a pull request were looked at; `first` where it is seen for the first time. */
  since(forge: string, number: number, first: number): number {
    const known = this.#of(forge, number);
    if (known.since !== null) return known.since;
    this.#set(forge, number, { ...known, since: first });
    return first;
  }

  /** Whether a comment was looked at before. */
  isDone(forge: string, number: number, { id, at }: Looked): boolean {
    const { since, done } = this.#of(forge, number);
    return since !== null && (at < since || (at === since && done.includes(id)));
  }

  /** A comment was looked at, all older ones before it. */
  looked(forge: string, number: number, { id, at }: Looked): void {
    const known = this.#of(forge, number);
    const done = at === known.since ? [...known.done, id] : [id];
    this.#set(forge, number, { ...known, since: at, done });
  }

  /** Keeps an answer. One that says the same to the same person takes the place of the earlier one. */
  keep(forge: string, number: number, given: Answer): void {
    const known = this.#of(forge, number);
    const same = (one: Answer) => one.by === given.by && one.command === given.command && one.said === given.said;
    const answers = [...known.answers.filter((one) => !same(one)), given].slice(-mostAnswers);
    this.#set(forge, number, { ...known, answers });
  }

  /** The pull requests of a forge that are known and are none of these. */
  others(forge: string, open: readonly number[]): readonly number[] {
    const wanted = new Set(open.map((number) => keyOf(forge, number)));
    const known = [...this.#pulls.keys()].filter((key) => key.startsWith(`${forge}#`) && !wanted.has(key));
    return known.map((key) => Number(key.slice(forge.length + 1)));
  }

  /** Forgets a pull request. */
  forget(forge: string, number: number): void {
    if (this.#pulls.delete(keyOf(forge, number))) this.#write();
  }

  /** Whether a comment is as we sent it, but for the space at its ends and the kind of its line ends. */
  isSent(forge: string, number: number, body: string): boolean {
    return this.#of(forge, number).sent === digestOf(plain(body));
  }

  /** Whether a comment of ours is there, as far as is known. */
  hasSent(forge: string, number: number): boolean {
    return this.#of(forge, number).sent !== null;
  }

  /** The answers as the end of a comment; empty where there are none. */
  text(forge: string, number: number): string {
    const { answers } = this.#of(forge, number);
    if (answers.length === 0) return '';
    const lines = answers.map(({ by, command, said }) => {
      const what = codeSpan(command.slice(0, longestCommand));
      return `- ${what} (${escapedMarkdown(by.slice(0, 50))}): ${escapedMarkdown(said.slice(0, longestAnswer))}`;
    });
    return `\n#### Commands\n\n${lines.join('\n')}\n`;
  }

  /** Whether our comment says this already, as far as is known. */
  isTold(forge: string, number: number, lasting: string): boolean {
    return this.#of(forge, number).told === digestOf(lasting);
  }

  /** Our comment says this, as it was sent; null where that is not known any more. */
  told(forge: string, number: number, said: { readonly lasting: string; readonly body: string } | null): void {
    const told = said === null ? null : digestOf(said.lasting);
    const sent = said === null ? null : digestOf(plain(said.body));
    const known = this.#of(forge, number);
    if (known.told !== told || known.sent !== sent) this.#set(forge, number, { ...known, told, sent });
  }

  /** Resolves when all that was kept is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  #of(forge: string, number: number): Asked {
    return this.#pulls.get(keyOf(forge, number)) ?? { since: null, done: [], answers: [], told: null, sent: null };
  }

  #set(forge: string, number: number, value: Asked): void {
    this.#pulls.set(keyOf(forge, number), value);
    this.#write();
  }

  #write(): void {
    this.#file.write(() => JSON.stringify({ pulls: Object.fromEntries(this.#pulls) }));
  }
}

function plain(body: string): string {
  return body.replace(/\r\n?/g, '\n').trim();
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function keyOf(forge: string, number: number): string {
  return `${forge}#${number}`;
}
