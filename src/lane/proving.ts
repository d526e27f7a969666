import type { Identified } from '../destination/destination.ts';
import type { Plan } from '../plan/plan.ts';
import type { Clock } from '../platform/clock.ts';
import { checkHealth, type Health } from './health.ts';
import type { Offer } from './offer.ts';
import type { Applied, PassEnd } from './pass.ts';

/** What the proof of one delivery needs from its lane. */
export interface ProvingWorld {
  readonly clock: Clock;
  readonly mode: Identified['mode'];
  readonly superseded: () => boolean;
  /** Whether a person said that the plan with this fingerprint is good as it was delivered. */
  readonly approved: (fingerprint: string) => boolean;
  /** Told before the first question. */
  readonly begins: () => void;
}

/** Tells whether what a lane delivered works, and remembers what is not known to. */
export class Proving {
  readonly #health: Health | undefined;
  #unproven: { readonly offer: Offer; readonly plan: Plan } | null = null;
  /** What works, and is asked about again until then, in milliseconds since 1970. */
  #watched: { readonly offer: Offer; readonly plan: Plan; readonly until: number } | null = null;

  constructor(health: Health | undefined) {
    this.#health = health;
  }

  /** A delivery for an offer begins: whatever pass confirms it, it has to be proven. */
  delivers(offer: Offer, plan: Plan): void {
    if (this.#health !== undefined) this.#unproven = { offer, plan };
  }

  /** A newer revision is worked on: what came of the one before is no question any more. */
  forget(): void {
    this.#unproven = null;
    this.#watched = null;
  }

  /** Whether the probes are to be asked about an offer that was confirmed before: it is watched, or does not work. */
  asksAgain(offer: Offer, now: number): boolean {
    return this.#unproven?.offer === offer || this.watches(offer, now);
  }

  /** Whether an offer that works is asked about again. */
  watches(offer: Offer, now: number): boolean {
    return this.#watched?.offer === offer && now < this.#watched.until;
  }

  /** Asks the probes about what was delivered for an offer, unless a person says that it is good. */
  async prove(offer: Offer, ended: Applied, world: ProvingWorld, signal: AbortSignal): Promise<PassEnd> {
    if (this.#health === undefined) return ended;
    const watched = this.#watched?.offer === offer ? this.#watched : null;
    const plan = this.#unproven?.offer === offer ? this.#unproven.plan : (watched?.plan ?? null);
    const delivered = ended.delivered ?? plan;
    // What was in place already did not come with this revision.
    if (delivered === null) return ended;
    this.#unproven = { offer, plan: delivered };
    const isGood = world.approved(delivered.fingerprint);
    if (!isGood) {
      const works = watched !== null;
      // What the nodes follow they have, and that it works was said: it stays so until a probe knows better.
      if (!works) world.begins();
      const verdict = await checkHealth(works ? { ...this.#health, updateIntervalMs: 0 } : this.#health, world, signal);
      if (verdict.superseded) return { end: 'superseded' };
      this.#watched = null;
      if (verdict.wrong.length > 0) return { end: 'unhealthy', plan: delivered, wrong: verdict.wrong };
      const until = watched?.until ?? world.clock.now() + (this.#health.watchMs ?? 0);
      this.#watched = { offer, plan: delivered, until };
    } else this.#watched = null;
    this.#unproven = null;
    return watched === null ? { ...ended, delivered } : ended;
  }
}
