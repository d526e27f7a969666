import { backoffMs } from '../lane/backoff.ts';
import { Nudge } from '../lane/nudge.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure } from '../platform/failure.ts';
import type { HttpClient, HttpClientOptions } from '../platform/http-client.ts';
import type { Log } from '../platform/log.ts';
import type { ReportInput } from './commit-status.ts';
import { Idle } from './idle.ts';
import {
  isWanted,
  type Known,
  lookAgainAt,
  type Notice,
  nothingKnown,
  noticesOf,
  notificationBody,
  type Outcome,
} from './notification.ts';

/** One place to post to, and what is wanted there. */
export interface Sink {
  /** As people know it: `notify[0]`. Its address is a secret. */
  readonly name: string;
  readonly url: string;
  readonly format: 'json' | 'slack';
  readonly token: string | null;
  readonly destinations: readonly string[];
  readonly on: readonly Outcome[];
}

/** What a notifier is made with. */
export interface NotifierWorld {
  readonly sink: Sink;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly createHttpClient: (options: HttpClientOptions) => HttpClient;
  /** The status page, or null. */
  readonly link: string | null;
  /** How long news are gathered before the first is posted, in milliseconds. */
  readonly gatherMs: number;
}

/** Notices in one request. */
const mostAtOnce = 20;

/**
 * Posts to one place what people want to hear. It runs on its own: nobody waits for it. While the place is down, what
 * is to be said of a destination is replaced by what is true by then; a place that refuses loses what it refused.
 */
export class Notifier {
  readonly #world: NotifierWorld;
  readonly #http: HttpClient;
  readonly #path: string;
  readonly #nudge = new Nudge();
  readonly #idle = new Idle();
  /** What waits to be said, by destination; the key is empty for what is about the revision. */
  readonly #waiting = new Map<string, Notice>();
  #known: Known = nothingKnown;
  #input: ReportInput | null = null;
  #failures = 0;
  /** On the monotonic clock: nothing is sent before. */
  #notBefore = 0;
  #working = false;

  constructor(world: NotifierWorld) {
    const { sink, createHttpClient } = world;
    const url = URL.canParse(sink.url) ? new URL(sink.url) : null;
    const userinfo = url === null || url.username === '' ? '' : `${url.username}:${url.password}@`;
    this.#world = world;
    this.#path = url === null ? '/' : `${url.pathname}${url.search}`;
    this.#http = createHttpClient({
      baseUrl: url === null ? sink.url : `${url.protocol}//${userinfo}${url.host}`,
      headers: sink.token === null ? {} : { authorization: `Bearer ${sink.token}` },
      timeoutMs: 10_000,
      bodyLimitBytes: 64 * 1024,
      connections: 1,
      tls: { ca: null, cert: null, key: null, serverName: null },
      proxy: null,
    });
  }

  /** Says how everything stands. Returns at once. */
  update(input: ReportInput): void {
    this.#input = input;
    this.#look();
    this.#nudge.nudge();
  }

  /** Posts until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    while (!signal.aborted) {
      this.#look();
      const wait = this.#notBefore - clock.monotonic();
      if (this.#waiting.size === 0) {
        this.#idle.reached();
        const again = lookAgainAt(this.#known);
        await this.#nudge.rest(again === null ? null : Math.max(1, again - clock.now()), clock, signal);
      } else if (wait > 0) {
        await this.#nudge.rest(wait, clock, signal);
      } else {
        this.#working = true;
        await this.#post(signal);
        this.#working = false;
      }
    }
  }

  /** Waits until all was posted or given up, for so many milliseconds at most; whether nothing is left. */
  async drained(limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#working && this.#waiting.size === 0) return true;
    return this.#idle.wait(limitMs, this.#world.clock, signal);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  #look(): void {
    if (this.#input === null) return;
    const { clock, gatherMs, sink } = this.#world;
    const { notices, known } = noticesOf(this.#known, this.#input, clock.now());
    this.#known = known;
    const wanted = notices.filter((notice) => isWanted(notice, sink));
    if (wanted.length > 0 && this.#waiting.size === 0 && this.#failures === 0) {
      this.#notBefore = Math.max(this.#notBefore, clock.monotonic() + gatherMs);
    }
    for (const notice of notices) {
      const key = notice.destination ?? '';
      // What is true by now takes the place of what was not said yet, whether it is wanted or not.
      this.#waiting.delete(key);
      if (isWanted(notice, sink)) this.#waiting.set(key, notice);
    }
  }

  async #post(signal: AbortSignal): Promise<void> {
    const { sink, link, clock, log, random } = this.#world;
    const batch = [...this.#waiting].slice(0, mostAtOnce);
    const notices = batch.map(([, notice]) => notice);
    try {
      const json = notificationBody(sink.format, notices, link);
      await this.#http.request({ method: 'POST', path: this.#path, json }, signal);
      this.#said(batch);
      this.#failures = 0;
      log.info({ notify: sink.name, notices: notices.length }, 'posted a notification');
    } catch (thrown) {
      if (signal.aborted) return;
      const facts = asFailure(thrown)?.facts ?? null;
      // Not its message, which names the address.
      const fields = { notify: sink.name, code: facts?.code ?? 'own-fault', unaffected: 'every destination' };
      if (facts?.class === 'rejected') {
        this.#said(batch);
        log.warn({ ...fields, lost: notices.length }, 'a notification was refused');
        return;
      }
      this.#failures += 1;
      const wait = backoffMs({ failures: this.#failures, retryAfterMs: facts?.retryAfterMs ?? null, random: random() });
      this.#notBefore = clock.monotonic() + wait;
      log.warn({ ...fields, nextTryInSeconds: Math.round(wait / 1000) }, 'a notification could not be posted');
    }
  }

  /** Forgets what was said, unless something newer took its place meanwhile. */
  #said(batch: readonly (readonly [string, Notice])[]): void {
    for (const [key, notice] of batch) if (this.#waiting.get(key) === notice) this.#waiting.delete(key);
  }
}
