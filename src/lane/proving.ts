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
  }

  /** Asks the probes about what was delivered for an offer, unless a person says that it is good. */
  async prove(offer: Offer, ended: Applied, world: ProvingWorld, signal: AbortSignal): Promise<PassEnd> {
    if (this.#health === undefined) return ended;
    const delivered = ended.delivered ?? (this.#unproven?.offer === offer ? this.#unproven.plan : null);
    // What was in place already did not come with this revision.
    if (delivered === null) return ended;
    this.#unproven = { offer, plan: delivered };
    if (!world.approved(delivered.fingerprint)) {
      world.begins();
      const verdict = await checkHealth(this.#health, world, signal);
      if (verdict.superseded) return { end: 'superseded' };
      if (verdict.wrong.length > 0) return { end: 'unhealthy', plan: delivered, wrong: verdict.wrong };
    }
    this.#unproven = null;
    return { ...ended, delivered };
  }
}
