import type { Built } from '../build/built.ts';
import { quarantined } from '../build/quarantine-built.ts';
import { hasRefused, type Refusal, refusalsOf, withoutRefused } from '../build/quarantine-refusals.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { State } from '../model/state.ts';
import { asFailure, Failure } from '../platform/failure.ts';
import type { InForce } from './in-force.ts';
import type { BuildSchemas, LastGood, Offer } from './offer.ts';

/** How often more may be left out of one revision because the destination refused more. */
const roundLimit = 10;

/** How long a destination's refusal is remembered before it is asked once more, in milliseconds. */
const rememberedMs = 60 * 60_000;

/** How many last good revisions are looked at for a version that the destination has not refused. */
const olderLimit = 5;

/** The last good state of a revision and its files, and what had been refused when it was looked for. */
interface LastGoodKnown {
  readonly state: State | null;
  readonly files: Built['entries'] | null;
  readonly refusals: readonly Refusal[];
}

/**
 * What one lane keeps in mind to put broken parts in quarantine: what its destination refused, and the last good state
 * of each revision that needed one. With `reject` nothing is ever left out.
 */
export class Quarantining {
  readonly #active: boolean;
  #refusals: readonly Refusal[] = [];
  #refusedAt = 0;
  #asking = false;
  #rounds = new WeakMap<Offer, number>();
  #lastGood = new WeakMap<Offer, LastGoodKnown>();
  #judged = new WeakMap<Built, { readonly made: Built; readonly from: unknown; readonly refusals: unknown }>();

  constructor(onInvalid: 'reject' | 'quarantine') {
    this.#active = onInvalid === 'quarantine';
  }

  /** What of a revision may be delivered, as far as is known. */
  judge(offer: Offer, schemas: BuildSchemas | null): Built {
    const built = offer.build(schemas);
    if (!this.#active || (built.valid && this.#refusals.length === 0)) return built;
    const { state: lastGood = null, files } = this.#lastGood.get(offer) ?? {};
    const known = this.#judged.get(built);
    // What was made of the same things is the same value, so that whoever compares sees it.
    if (known !== undefined && known.from === lastGood && known.refusals === this.#refusals) return known.made;
    const made = quarantined(built, lastGood, this.#refusals, files ?? null);
    this.#judged.set(built, { made, from: lastGood, refusals: this.#refusals });
    return made;
  }

  /** Whether the last good state has to be known before what was judged may go out. */
  lacks(offer: Offer, judged: Built): boolean {
    if (!this.#active || judged.quarantine === undefined || judged.valid) return false;
    return this.#lastGood.get(offer)?.refusals !== this.#refusals;
  }

  /**
   * Finds the last good state of a revision: of the branch's past, with what the destination refused of it as it is in
   * force, or as it was earlier. Throws Failure where the repository cannot be asked and nothing is in force.
   */
  async prepare(
    offer: Offer,
    schemas: BuildSchemas,
    { state: inForce, files: inForceFiles }: Pick<InForce, 'state' | 'files'>,
    signal: AbortSignal,
  ): Promise<void> {
    const refusals = this.#refusals;
    const seen = new Set<string>();
    let state: State | null = null;
    let files: Built['entries'] | null = null;
    for (let tries = 0; tries < olderLimit; tries += 1) {
      const found: LastGood | null = await askLastGood(offer, schemas, seen, inForce !== null, signal);
      if (found === null) break;
      seen.add(found.revision);
      const { state: older, entries } = found.build(schemas);
      files ??= entries ?? null;
      state = state === null ? older : withoutRefused(state, refusals, older);
      if (inForce !== null) state = withoutRefused(state, refusals, inForce);
      if (!hasRefused(older, refusals)) break;
    }
    this.#lastGood.set(offer, { state: state ?? inForce, files: state === null ? inForceFiles : files, refusals });
  }

  /**
   * Takes note of what the destination refused of a state. Whether there is something new that can be left out, so that
   * the rest can be tried at once.
   */
  refuse(offer: Offer, built: Built, diagnostics: readonly Diagnostic[], now: number): boolean {
    if (!this.#active) return false;
    const rounds = (this.#rounds.get(offer) ?? 0) + 1;
    const found = rounds > roundLimit ? null : refusalsOf(built.state, diagnostics);
    if (found === null || found.length === 0) return false;
    this.#rounds.set(offer, rounds);
    this.#refusals = [...this.#refusals, ...found];
    this.#refusedAt = now;
    this.#asking = false;
    return true;
  }

  /** Whether the destination is being asked for what it refused before: the difference is then no drift. */
  get asking(): boolean {
    return this.#asking;
  }

  /** The asking came to an end. */
  asked(): void {
    this.#asking = false;
  }

  /** Forgets refusals that are old, so that the destination is asked again. */
  refresh(now: number): void {
    if (this.#refusals.length > 0 && now - this.#refusedAt >= rememberedMs) this.forget();
  }

  /** Forgets what the destination refused: it may be another one now, or have been changed. */
  forget(): void {
    if (this.#refusals.length === 0) return;
    this.#refusals = [];
    this.#rounds = new WeakMap();
    this.#asking = true;
  }
}

async function askLastGood(
  offer: Offer,
  schemas: BuildSchemas,
  seen: ReadonlySet<string>,
  canDoWithout: boolean,
  signal: AbortSignal,
): Promise<LastGood | null> {
  try {
    return (await offer.lastGood?.(schemas, seen, signal)) ?? null;
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts === undefined) throw thrown;
    if (canDoWithout) return null;
    throw new Failure({
      ...facts,
      class: 'transient',
      message: `the last good revision could not be looked for: ${facts.message}`,
    });
  }
}
