import type { Built } from '../build/built.ts';
import type { Destination, Identified } from '../destination/destination.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Live } from '../model/live.ts';
import type { PlannedDelivery } from '../plan/plan.ts';
import type { Before } from '../plan/plan-input.ts';
import type { BuildSchemas } from './offer.ts';

/** What a plan is made from. */
export interface PlanRequest {
  readonly built: Built;
  readonly live: Live;
  readonly schemas: BuildSchemas;
  readonly identified: Identified;
  /** Entities (`kind/identity`) that this branch is known to have declared. */
  readonly declaredEarlier: ReadonlySet<string>;
  /** What was in force before; null or left out where that is not known or makes no difference. */
  readonly before?: Before | null;
  /** Live entities (`kind/id`) that are left as they are for now. */
  readonly leave?: ReadonlySet<string>;
  /** What is told and not put right, as `KIND/NAME` or `KIND/NAME/FIELD/…`. */
  readonly report?: readonly string[];
}

/** Makes the plan for one destination: pure. */
export type MakePlan = (request: PlanRequest) => PlannedDelivery;

/** A destination and a target state side by side, before anything is written. */
export interface Survey {
  readonly identified: Identified;
  readonly live: Live;
  readonly schemas: BuildSchemas;
  /** Built with the destination's own schemas. */
  readonly built: Built;
}

/**
 * Asks a destination who it is, reads it whole, and builds with its schemas what it must have. `build` is asked again
 * after the live state was read, so that the newest revision is compared, however long the reading took. Throws
 * Failure where the destination could not be asked.
 */
export async function survey(
  destination: Destination,
  build: () => (schemas: BuildSchemas | null) => Built,
  signal: AbortSignal,
): Promise<Survey> {
  const identified = await destination.identify(signal);
  const live = await destination.read(build()(null).state, signal);
  const newest = build();
  const assumed = newest(null);
  // What is broken by what is assumed may be right by what the destination says.
  const schemas = await destination.schemas(assumed.written ?? assumed.state, signal);
  return { identified, live, schemas, built: newest(schemas) };
}

/**
 * Why a delivery would be refused before anything is written: what cannot be brought whatever is written, else what the
 * destination objects to, clashes with what others own there too. Changes nothing; throws Failure where the destination
 * could not be asked.
 */
export async function objectionsTo(
  destination: Pick<Destination, 'preflight'>,
  built: Built,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const { refused = [] } = delivery;
  return hasErrors(refused) ? refused : destination.preflight(built.state, delivery, signal);
}
