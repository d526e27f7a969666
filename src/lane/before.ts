import { allEntities, type State } from '../model/state.ts';
import type { Before } from '../plan/plan-input.ts';
import { asFailure, Failure } from '../platform/failure.ts';
import { type BuildSchemas, leftAsItIs, type Offer } from './offer.ts';

/**
 * What was in force before a revision, for the guard of tags. It is the state that this lane confirmed last; after a
 * start the branch's past is asked, but only where nothing at all was found in the scope of the tags, which is how a
 * changed scope looks. Throws Failure where the repository cannot be asked then.
 */
export async function before(
  inForce: State | null,
  asked: { readonly offer: Offer; readonly state: State; readonly live: State; readonly schemas: BuildSchemas },
  signal: AbortSignal,
): Promise<Before | null> {
  const { offer, state, live, schemas } = asked;
  if (inForce !== null) return summaryOf(inForce);
  if (state.selectTags.length === 0 || live.entities.size > 0) return null;
  try {
    const found = (await offer.lastGood?.(schemas, new Set(), signal)) ?? null;
    return found === null ? null : summaryOf(found.build(schemas).state);
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

function summaryOf(state: State): Before {
  return { selectTags: state.selectTags, entities: allEntities(state).length };
}
