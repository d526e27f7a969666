import type { Live } from '../model/live.ts';
import type { State } from '../model/state.ts';
import type { Before } from '../plan/plan-input.ts';
import { leavesScope } from '../plan/scope.ts';
import { asFailure, Failure } from '../platform/failure.ts';
import { type BuildSchemas, leftAsItIs, type Offer } from './offer.ts';

/**
 * What was in force before a revision that changes the tags of what is owned, and what is live with the old ones: a
 * revision that was never delivered left nothing. It is the state that this lane confirmed last; after a start the
 * branch's past is asked, but only where nothing at all was found in the scope of the tags, which is how a changed scope
 * looks. Throws Failure where the repository or the destination cannot be asked then.
 */
export async function before(
  inForce: State | null,
  asked: {
    readonly offer: Offer;
    readonly state: State;
    readonly live: State;
    readonly schemas: BuildSchemas;
    readonly read: (state: State, signal: AbortSignal) => Promise<Live>;
  },
  signal: AbortSignal,
): Promise<Before | null> {
  const { offer, state, live, schemas, read } = asked;
  const was = inForce ?? (live.entities.size > 0 ? null : await ofThePast(offer, state, schemas, signal));
  if (was === null || !leavesScope(was.selectTags, state.selectTags)) return null;
  return { selectTags: was.selectTags, live: await read(was, signal) };
}

async function ofThePast(
  offer: Offer,
  state: State,
  schemas: BuildSchemas,
  signal: AbortSignal,
): Promise<State | null> {
  if (state.selectTags.length === 0) return null;
  try {
    const known = (await offer.lastInPlace?.(schemas, signal)) ?? null;
    if (known !== null && known.revision !== offer.revision) return known.build(schemas).state;
    const found = (await offer.lastGood?.(schemas, new Set(), signal)) ?? null;
    return found === null ? null : found.build(schemas).state;
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts === undefined) throw thrown;
    // What was in force is not known, and no further try would tell.
    if (facts.code === leftAsItIs) return null;
    throw new Failure({
      ...facts,
      class: 'transient',
      message: `the tags of the revision before could not be read: ${facts.message}`,
    });
  }
}
