import type { Json } from '../../model/json.ts';

/** Which requests a switch is for: by method and by a text that the path must hold; all where nothing is said. */
export interface Matching {
  readonly methods?: readonly string[];
  readonly path?: string;
}

/** What the emulator is to do wrong. Each switch is absent when it is off. */
export interface Behaviour {
  /** How long every answer takes, in milliseconds. */
  readonly latencyMs?: number;
  /** Requests are taken and never answered, until this is off again: they are then let go. */
  readonly hang?: boolean | Matching;
  /**
   * Requests that fail with a status: `count` of them (all where absent), after `after` have gone through. `afterWrite`
   * does what was asked first. `body` is sent in the place of a plain message.
   */
  readonly fail?: Matching & {
    readonly status: number;
    readonly after?: number;
    readonly count?: number;
    readonly retryAfterSeconds?: number;
    readonly afterWrite?: boolean;
    readonly body?: Json;
  };
  /** Connections are cut as soon as they are made, or send something. */
  readonly refuse?: boolean;
  /** Requests are done, and their connection is cut in the place of an answer: `count` of them. */
  readonly loseAnswer?: Matching & { readonly count?: number };
  /** What was asked is done even when the client has gone away meanwhile; with latency, that is after the wait. */
  readonly answerLate?: boolean;
  /** So many requests go through per window; all others are answered 429 with the seconds until the next one. */
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number };
  /**
   * How many data planes each of Konnect's control planes has (one by itself), and how many of them are behind from now
   * on: they keep the configuration that they have.
   */
  readonly nodes?: { readonly count: number; readonly lagging: number };
  /** Whether the database of a Kong is there; without it, Kong answers 500. */
  readonly databaseDown?: boolean;
}

/** What a request is to meet. */
export type Fate =
  | { readonly fate: 'answer' }
  | { readonly fate: 'cut' }
  | { readonly fate: 'hang' }
  | {
      readonly fate: 'fail';
      readonly status: number;
      readonly retryAfterSeconds: number | null;
      readonly afterWrite: boolean;
      readonly body: Json;
    }
  | { readonly fate: 'lose' };

/** Holds the switches and what was used up of them. */
export class Misbehaviour {
  #behaviour: Behaviour = {};
  #passed = 0;
  #failed = 0;
  #lost = 0;
  #windowStart = 0;
  #inWindow = 0;

  /** The switches as they are. */
  get current(): Behaviour {
    return this.#behaviour;
  }

  /** Sets switches; what is not named stays, and null turns one off. Counts of a switch that is set start again. */
  set(changes: { readonly [K in keyof Behaviour]?: Behaviour[K] | null }): void {
    const next = Object.entries({ ...this.#behaviour, ...changes }).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    this.#behaviour = Object.fromEntries(next);
    if ('fail' in changes) [this.#passed, this.#failed] = [0, 0];
    if ('loseAnswer' in changes) this.#lost = 0;
    if ('rateLimit' in changes) [this.#windowStart, this.#inWindow] = [0, 0];
  }

  /** Turns every switch off. */
  clear(): void {
    this.#behaviour = {};
  }

  /** What a request meets. Asking uses up what is counted. */
  fateOf(method: string, path: string, now: number): Fate {
    const { refuse, hang, fail, loseAnswer, rateLimit, databaseDown } = this.#behaviour;
    if (refuse === true) return { fate: 'cut' };
    if (hang === true || (typeof hang === 'object' && matches(hang, method, path))) return { fate: 'hang' };
    if (rateLimit !== undefined) {
      if (now - this.#windowStart >= rateLimit.windowMs) [this.#windowStart, this.#inWindow] = [now, 0];
      this.#inWindow += 1;
      if (this.#inWindow > rateLimit.requests) {
        const left = Math.ceil((this.#windowStart + rateLimit.windowMs - now) / 1000);
        return failing(429, Math.max(1, left), false, { message: 'API rate limit exceeded' });
      }
    }
    if (databaseDown === true && !path.startsWith('/schemas') && !path.startsWith('/status')) {
      return failing(500, null, false, { message: 'An unexpected error occurred' });
    }
    if (fail !== undefined && matches(fail, method, path)) {
      this.#passed += 1;
      if (this.#passed > (fail.after ?? 0) && (fail.count === undefined || this.#failed < fail.count)) {
        this.#failed += 1;
        const body = fail.body ?? { message: 'told to fail' };
        return failing(fail.status, fail.retryAfterSeconds ?? null, fail.afterWrite === true, body);
      }
    }
    if (
      loseAnswer !== undefined &&
      matches(loseAnswer, method, path) &&
      this.#lost < (loseAnswer.count ?? Number.POSITIVE_INFINITY)
    ) {
      this.#lost += 1;
      return { fate: 'lose' };
    }
    return { fate: 'answer' };
  }
}

function failing(status: number, retryAfterSeconds: number | null, afterWrite: boolean, body: Json): Fate {
  return { fate: 'fail', status, retryAfterSeconds, afterWrite, body };
}

function matches(matching: Matching, method: string, path: string): boolean {
  return (matching.methods?.includes(method) ?? true) && path.includes(matching.path ?? '');
}
