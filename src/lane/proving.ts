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

/** What a person may approve about an offer, and what was delivered for it; null where it was found in place. */
interface Unproven {
  readonly offer: Offer;
  readonly plan: Plan;
  readonly delivered: Plan | null;
  /** Whether the probes were asked, and it does not work. */
  readonly isWrong: boolean;
}

/**
 * Tells whether what is in place works, whoever put it there, and remembers what is not known to, and what was proven
 * last: the same content in another revision need not be asked about again.
 */
export class Proving {
  readonly #health: Health | undefined;
  #unproven: Unproven | null = null;
  /** What works, and is asked about again until then, in milliseconds since 1970. */
  #watched: { readonly offer: Offer; readonly plan: Plan; readonly until: number } | null = null;
  /** The content that was proven last, as long as no other was delivered; and for what offer. A person may have said so. */
  #proven: { readonly offer: Offer; readonly digest: string; readonly byProbes: boolean } | null = null;
  /** The plan of content that does not work: approval of it counts for the next revision with the same, too. */
  #wrong: Plan | null = null;

  constructor(health: Health | undefined) {
    this.#health = health;
  }

  /** A delivery for an offer begins: whatever pass confirms it, it has to be proven. */
  delivers(offer: Offer, plan: Plan): void {
    this.#proven = null;
    this.#unproven = { offer, plan, delivered: plan, isWrong: false };
  }

  /** A newer revision is worked on: what came of the one before is no question any more. */
  forget(): void {
    this.#unproven = null;
    this.#watched = null;
  }

  /**
   * Whether what is in place for an offer was proven, and the probes are not to be asked: it is not watched, and worked
   * last. The same content in another revision is watched anew, since others wait for each revision anew.
   */
  isProven(offer: Offer, { plan }: Applied, now: number): boolean {
    if (this.#health === undefined) return true;
    const proven = this.#proven;
    if (this.#unproven?.offer === offer || this.watches(offer, now)) return false;
    if (proven === null || proven.digest !== plan.digest) return false;
    if (proven.offer !== offer && proven.byProbes) this.#watch(offer, plan, now);
    this.#proven = { ...proven, offer };
    return true;
  }

  /** Whether an offer that works is asked about again. */
  watches(offer: Offer, now: number): boolean {
    return this.#watched?.offer === offer && now < this.#watched.until;
  }

  /** Asks the probes about what is in place for an offer, unless a person says that it is good. */
  async prove(offer: Offer, ended: Applied, world: ProvingWorld, signal: AbortSignal): Promise<PassEnd> {
    if (this.#health === undefined) return ended;
    const { digest } = ended.plan;
    const watched = this.#watched?.offer === offer ? this.#watched : null;
    const open = this.#unproven?.offer === offer ? this.#unproven : null;
    const delivered = ended.delivered ?? open?.delivered ?? null;
    const plan = delivered ?? open?.plan ?? watched?.plan ?? this.#planOf(ended.plan);
    this.#unproven = { offer, plan, delivered, isWrong: open?.isWrong === true };
    const byProbes = !world.approved(plan.fingerprint);
    if (byProbes) {
      const works = watched !== null;
      // What the nodes follow they have, and what was said of it stays so until a probe knows better.
      if (!works && open?.isWrong !== true) world.begins();
      const health = works ? { ...this.#health, updateIntervalMs: 0 } : this.#health;
      // A person who says meanwhile that it is good need not wait for the probes.
      const superseded = () => world.superseded() || world.approved(plan.fingerprint);
      const verdict = await checkHealth(health, { ...world, superseded }, signal);
      if (verdict.superseded) return { end: 'superseded' };
      this.#watched = null;
      if (verdict.wrong.length > 0) {
        [this.#proven, this.#wrong] = [null, plan];
        this.#unproven = { offer, plan, delivered, isWrong: true };
        return { end: 'unhealthy', plan, wrong: verdict.wrong };
      }
      if (watched === null) this.#watch(offer, plan, world.clock.now());
      else this.#watched = watched;
    } else this.#watched = null;
    this.#proven = { offer, digest, byProbes };
    [this.#unproven, this.#wrong] = [null, null];
    return watched === null ? { ...ended, delivered } : ended;
  }

  #watch(offer: Offer, plan: Plan, now: number): void {
    this.#watched = { offer, plan, until: now + (this.#health?.watchMs ?? 0) };
  }

  /** What was in place already has nothing to change: where it was found not to work, what brought it is shown. */
  #planOf(found: Plan): Plan {
    return this.#wrong?.digest === found.digest ? { ...this.#wrong, revision: found.revision } : found;
  }
}
