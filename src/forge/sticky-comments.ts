import type { Clock } from '../platform/clock.ts';
import { asFailure } from '../platform/failure.ts';
import { pullRequestFailure } from './pull-request-failure.ts';
import type { PullRequestPort } from './pull-request-port.ts';

/**
 * How long a comment whose making got no clear answer is looked for before another is made, in milliseconds: forges list
 * what was just written a moment later.
 */
const doubtMs = 30_000;

/** How often a comment is looked for anew after it could not be edited. */
const attempts = 5;

interface Known<R> {
  /** Null while it is not known whether there is one. */
  readonly ref: R | null;
  /** What it says; null while that is not known. */
  readonly body: string | null;
  /** Until when, on the monotonic clock, it may be there without being listed. */
  readonly doubtUntil: number | null;
}

const unknown = { ref: null, body: null, doubtUntil: null };

/** Comments of ours that are kept up to date: one for each pull request and marker. */
export class StickyComments<R> {
  readonly #port: Pick<PullRequestPort<R>, 'commentLimit' | 'comments' | 'create' | 'edit'>;
  readonly #clock: Clock;
  readonly #known = new Map<number, Map<string, Known<R>>>();
  readonly #turns = new Map<number, Promise<void>>();

  constructor(port: Pick<PullRequestPort<R>, 'commentLimit' | 'comments' | 'create' | 'edit'>, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
  }

  /**
   * Makes our comment say this; see PullRequests. Two calls for one pull request come one after the other, or each would
   * make a comment. Throws Failure: `comment-too-long`, which is refused before anything is sent, and
   * `comment-in-doubt`, while it is not known whether a comment was made.
   */
  async say(number: number, marker: string, body: string, signal: AbortSignal): Promise<void> {
    const text = body.includes(marker) ? body : `${marker}\n${body}`;
    if (text.length > this.#port.commentLimit) throw tooLong(number, text.length, this.#port.commentLimit);
    await this.#inTurn(number, () => this.#say(number, marker, text, signal));
  }

  /** Changes what our comment says, where there is one; see PullRequests. Throws Failure. */
  async amend(
    number: number,
    marker: string,
    change: (body: string) => string | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.#inTurn(number, async () => {
      this.#known.get(number)?.delete(marker);
      const found = await this.#find(number, marker, new Set(), signal);
      const body = found === null ? null : change(found.body);
      if (found === null || body === null) return false;
      return (await this.#port.edit(number, found.ref, body, signal)) !== null;
    });
  }

  async #inTurn<T>(number: number, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(number) ?? Promise.resolve();
    const turn = before.then(run);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(number, ended);
    return turn.finally(() => {
      if (this.#turns.get(number) === ended) this.#turns.delete(number);
    });
  }

  /** Forgets pull requests that are not open any more. */
  keepOnly(open: { has(number: number): boolean }): void {
    for (const number of this.#known.keys()) if (!open.has(number)) this.#known.delete(number);
  }

  async #say(number: number, marker: string, body: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const refused = new Set<string>();
    let known = this.#known.get(number)?.get(marker) ?? unknown;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let id: string | null = null;
      if (known.ref === null) {
        const found = await this.#find(number, marker, refused, signal);
        if (found === null) return this.#create(number, marker, body, known.doubtUntil, signal);
        known = { ref: found.ref, body: found.body, doubtUntil: null };
        id = found.id;
      }
      if (known.ref === null || (known.body !== null && isSame(known.body, body))) {
        return this.#keep(number, marker, { ...known, body });
      }
      // What it says is not known until the forge has answered.
      this.#keep(number, marker, { ...known, body: null });
      const edited = await this.#port.edit(number, known.ref, body, signal);
      if (edited !== null) return this.#keep(number, marker, { ref: edited, body, doubtUntil: null });
      if (id !== null) refused.add(id);
      known = unknown;
      this.#keep(number, marker, known);
    }
    throw pullRequestFailure('transient', 'forge-busy', {
      message: `our comment on #${number} is edited by somebody else all the time`,
      hint: 'Nothing to do: it is tried again.',
    });
  }

  async #find(number: number, marker: string, refused: ReadonlySet<string>, signal: AbortSignal) {
    for await (const comment of this.#port.comments(number, null, signal)) {
      // Where the forge does not tell who wrote it, it lets nobody else edit it.
      const isCandidate = comment.isOwn === true || (comment.isOwn === null && !refused.has(comment.id));
      if (isCandidate && comment.body.includes(marker)) return comment;
    }
    return null;
  }

  async #create(
    number: number,
    marker: string,
    body: string,
    doubtUntil: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const left = doubtUntil === null ? 0 : doubtUntil - this.#clock.monotonic();
    if (left > 0) throw inDoubt(number, left);
    try {
      const ref = await this.#port.create(number, body, signal);
      this.#keep(number, marker, { ref, body, doubtUntil: null });
    } catch (thrown) {
      const facts = asFailure(thrown)?.facts;
      const isRefused = facts?.class === 'rejected' || facts?.code === 'rate-limited';
      if (!isRefused) this.#keep(number, marker, { ...unknown, doubtUntil: this.#clock.monotonic() + doubtMs });
      throw thrown;
    }
  }

  #keep(number: number, marker: string, known: Known<R>): void {
    const ofNumber = this.#known.get(number) ?? new Map<string, Known<R>>();
    ofNumber.set(marker, known);
    this.#known.set(number, ofNumber);
  }
}

/** Forges keep a text without the space at its ends and with line ends of their own. */
function isSame(held: string, wanted: string): boolean {
  const plain = (text: string) => text.replace(/\r\n?/g, '\n').trim();
  return plain(held) === plain(wanted);
}

function tooLong(number: number, length: number, limit: number) {
  return pullRequestFailure('rejected', 'comment-too-long', {
    message: `the comment on #${number} has ${length} characters; the forge takes ${limit}`,
    hint: 'Nothing was sent.',
  });
}

function inDoubt(number: number, retryAfterMs: number) {
  return pullRequestFailure('transient', 'comment-in-doubt', {
    message: `whether the comment on #${number} was made is not known yet`,
    hint: 'Nothing to do: it is looked for again, and made if it is not there.',
    retryAfterMs,
  });
}
