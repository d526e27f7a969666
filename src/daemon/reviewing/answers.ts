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
  /** Comments were looked at up to this instant, in milliseconds since 1970. */
  since: z.number(),
  /** The comments of that very instant that were looked at: forges count in seconds. */
  done: z.array(z.string()),
  answers: z.array(answer),
});

const file = z.object({ pulls: z.record(z.string(), asked) });

/** What became of one command. */
export type Answer = z.output<typeof answer>;

/** A comment that was looked at; `at` in milliseconds since 1970. */
export interface Looked {
  readonly id: string;
  readonly at: number;
}

/** So many answers are kept of one pull request, the newest. */
const mostAnswers = 10;

/** The room that the answers take at most in a comment, in characters. */
export const answersRoom = 6_000;

/** The longest command and answer that are shown, in characters. */
const [longestCommand, longestAnswer] = [60, 160];

/**
 * The commands of each pull request that were answered, and up to when its comments were looked at, in one file that is
 * replaced whole: an answer is there after a restart, and no command is carried out twice or missed because of one.
 * Where it cannot be kept, commands that were written before the restart are passed over.
 */
export class Answers {
  readonly #file: KeptFile;
  readonly #pulls = new Map<string, z.output<typeof asked>>();

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
    const key = keyOf(forge, number);
    const known = this.#pulls.get(key);
    if (known !== undefined) return known.since;
    this.#pulls.set(key, { since: first, done: [], answers: [] });
    this.#write();
    return first;
  }

  /** Whether a comment was looked at before. */
  isDone(forge: string, number: number, { id, at }: Looked): boolean {
    const known = this.#pulls.get(keyOf(forge, number));
    return known !== undefined && (at < known.since || (at === known.since && known.done.includes(id)));
  }

  /** A comment was looked at, all older ones before it. */
  looked(forge: string, number: number, { id, at }: Looked): void {
    const key = keyOf(forge, number);
    const { since, done, answers } = this.#pulls.get(key) ?? { since: 0, done: [], answers: [] };
    this.#pulls.set(key, { since: at, done: at === since ? [...done, id] : [id], answers });
    this.#write();
  }

  /** Keeps an answer. One that says the same to the same person takes the place of the earlier one. */
  keep(forge: string, number: number, given: Answer): void {
    const key = keyOf(forge, number);
    const known = this.#pulls.get(key) ?? { since: 0, done: [], answers: [] };
    const same = (one: Answer) => one.by === given.by && one.command === given.command && one.said === given.said;
    const answers = [...known.answers.filter((one) => !same(one)), given].slice(-mostAnswers);
    this.#pulls.set(key, { ...known, answers });
    this.#write();
  }

  /** Forgets the pull requests of a forge that are not open any more. */
  keepOnly(forge: string, open: readonly number[]): void {
    const wanted = new Set(open.map((number) => keyOf(forge, number)));
    for (const key of this.#pulls.keys()) {
      if (!key.startsWith(`${forge}#`) || wanted.has(key)) continue;
      this.#pulls.delete(key);
      this.#write();
    }
  }

  /** The answers as the end of a comment; empty where there are none. */
  text(forge: string, number: number): string {
    const { answers } = this.#pulls.get(keyOf(forge, number)) ?? { answers: [] };
    if (answers.length === 0) return '';
    const lines = answers.map(({ by, command, said }) => {
      const what = codeSpan(command.slice(0, longestCommand));
      return `- ${what} (${escapedMarkdown(by.slice(0, 50))}): ${escapedMarkdown(said.slice(0, longestAnswer))}`;
    });
    return `\n#### Commands\n\n${lines.join('\n')}\n`;
  }

  /** Resolves when all that was kept is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  #write(): void {
    this.#file.write(() => JSON.stringify({ pulls: Object.fromEntries(this.#pulls) }));
  }
}

function keyOf(forge: string, number: number): string {
  return `${forge}#${number}`;
}
