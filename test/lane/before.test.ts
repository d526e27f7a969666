import { describe, expect, test } from 'vitest';
import { before } from '../../src/lane/before.ts';
import type { Offer } from '../../src/lane/offer.ts';
import type { State } from '../../src/model/state.ts';
import { liveOf, raw, schemas, stateFrom } from '../plan/support.ts';
import { offerOf } from '../sim/content.ts';

const nothing = stateFrom([]);
const service = (tag: string) => raw('services', { name: 'shop', host: 'h.test', tags: [tag] });
const declares = (tag: string) => stateFrom([service(tag)], [tag]);

function offer(past: Partial<Offer>): Offer {
  return { ...offerOf({ generation: 2, revision: 'r2', content: new Map(), flaw: 'none' }), ...past };
}

function found(revision: string, state: State) {
  return async () => ({ revision, build: () => ({ ...offer({}).build(null), state }) });
}

/** What was asked of the past, and which tags were read. */
async function asked(inForce: State | null, past: Partial<Offer> = {}, live = nothing) {
  const read: string[] = [];
  const was = await before(
    inForce,
    {
      offer: offer(past),
      state: declares('new'),
      live,
      schemas,
      read: async (state) => {
        read.push(state.selectTags.join());
        return liveOf(nothing);
      },
    },
    new AbortController().signal,
  );
  return { was: was?.selectTags ?? null, read };
}

describe('what was in force before the tags changed', () => {
  test('is read with the tags that it had', async () => {
    expect(await asked(declares('old'))).toEqual({ was: ['old'], read: ['old'] });
    expect(await asked(null, { lastGood: found('r1', declares('old')) })).toEqual({ was: ['old'], read: ['old'] });
  });

  test('is what an earlier process put in place rather than what was only valid', async () => {
    const past = { lastGood: found('r1', declares('refused')), lastInPlace: found('r0', declares('old')) };
    expect(await asked(null, past)).toEqual({ was: ['old'], read: ['old'] });
  });

  test('is not read where nothing can be left behind', async () => {
    expect(await asked(declares('new'))).toEqual({ was: null, read: [] });
    expect(await asked(null, {}, declares('new'))).toEqual({ was: null, read: [] });
    expect(await asked(nothing)).toEqual({ was: null, read: [] });
  });
});
