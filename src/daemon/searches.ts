import { backoffMs } from '../lane/backoff.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import { Nudge } from '../lane/nudge.ts';
import { type LastGood, leftAsItIs } from '../lane/offer.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';

/** What is looked for: the good revision before an invalid one, for one destination that nothing was offered to yet. */
export interface Wanted {
  readonly destination: string;
  /** The revision that is invalid. */
  readonly revision: string;
  /** Looks once. Rejects where the history cannot be read. */
  readonly find: (signal: AbortSignal) => Promise<LastGood | null>;
  /** Told what was found. */
  readonly found: (lastGood: LastGood) => void;
}

/** What searches are made with. */
export interface SearchesWorld {
  /** How many commits back is looked, for messages. */
  readonly history: number;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Told whenever what is said has changed. */
  readonly changed: () => void;
}

/** What a search says in the place of a lane that nothing was offered to. */
export type SearchSaying = Pick<LaneStatus, 'detail' | 'waitingFor' | 'nextTryAt' | 'failure'>;

interface Search {
  readonly wanted: Wanted;
  readonly stop: AbortController;
  readonly nudge: Nudge;
  saying: SearchSaying;
}

/**
 * The searches for last good revisions after a restart on an invalid one, each on its own. One that fails is repeated:
 * after a growing wait, and whenever the remote has answered again. A newer revision ends the search for an older one.
 */
export class Searches {
  readonly #world: SearchesWorld;
  readonly #searches = new Map<string, Search>();
  readonly #ending = new Set<Promise<void>>();

  constructor(world: SearchesWorld) {
    this.#world = world;
  }

  /** Begins a search in the place of the one under way for that destination. Returns at once. */
  begin(wanted: Wanted, signal: AbortSignal): void {
    this.end(wanted.destination);
    const stop = new AbortController();
    const search: Search = { wanted, stop, nudge: new Nudge(), saying: looking };
    this.#searches.set(wanted.destination, search);
    const ended = this.#run(search, AbortSignal.any([signal, stop.signal])).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Ends the search for a destination, if there is one: it was offered a revision. */
  end(destination: string): void {
    this.#searches.get(destination)?.stop.abort();
    this.#searches.delete(destination);
  }

  /** The remote has answered: what failed is tried again now. */
  answered(): void {
    for (const { nudge, saying } of this.#searches.values()) if (saying.failure !== null) nudge.wake();
  }

  /** What is said of a destination that waits for its last good revision; null where it does not. */
  saying(destination: string): SearchSaying | null {
    return this.#searches.get(destination)?.saying ?? null;
  }

  /** Whether it is not known yet what becomes of a destination; one whose search failed is not waited for. */
  isLooking(destination: string): boolean {
    return this.#searches.get(destination)?.saying === looking;
  }

  /** Resolves when no search is under way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  async #run(search: Search, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#world;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const failure = await this.#once(search, signal);
      if (failure === null || signal.aborted) return;
      const { retryAfterMs } = failure;
      const waitMs = backoffMs({ failures, retryAfterMs, random: random() });
      this.#say(search, {
        detail: `the last good revision could not be looked for: ${failure.message}`,
        waitingFor: 'the next look into the history, the next poll of the repository, or a valid revision',
        nextTryAt: clock.now() + waitMs,
        failure,
      });
      await search.nudge.rest(waitMs, clock, signal);
    }
  }

  /** Looks once: why that failed, or null where it did not. */
  async #once(search: Search, signal: AbortSignal): Promise<FailureFacts | null> {
    const { wanted } = search;
    const { history, log } = this.#world;
    const fields = { destination: wanted.destination, revision: wanted.revision };
    try {
      const found = await wanted.find(signal);
      if (signal.aborted) return null;
      if (found === null) {
        log.warn({ ...fields, searched: history }, 'no earlier revision is valid; the destination is left as it is');
        const detail = `the newest revision is invalid, and so is each of up to ${history} before it; left as it is`;
        this.#say(search, { detail, waitingFor: 'a valid revision', nextTryAt: null, failure: null });
        return null;
      }
      log.info({ ...fields, lastGood: found.revision }, 'the last good revision was found');
      // It goes on being said until the lane has taken that up.
      wanted.found(found);
      return null;
    } catch (thrown) {
      if (signal.aborted) return null;
      const failure = asFailure(thrown)?.facts ?? ownFault();
      if (failure.code === leftAsItIs) {
        log.warn({ ...fields, why: failure.message, waitingFor: failure.hint }, 'the destination is left as it is');
        const detail = `the newest revision is invalid; ${failure.message}`;
        this.#say(search, { detail, waitingFor: failure.hint, nextTryAt: null, failure: null });
        return null;
      }
      if (asFailure(thrown) === undefined)
        log.error({ ...fields, stack: faultText(thrown) }, 'a fault of Konverge itself');
      log.warn(
        { ...fields, code: failure.code, failure: failure.message },
        'the last good revision could not be looked for; the destination is left as it is',
      );
      return failure;
    }
  }

  #say(search: Search, saying: SearchSaying): void {
    search.saying = saying;
    this.#world.changed();
  }
}

const looking: SearchSaying = {
  detail: 'the newest revision is invalid; the last good one is being looked for',
  waitingFor: 'the last good revision',
  nextTryAt: null,
  failure: null,
};
