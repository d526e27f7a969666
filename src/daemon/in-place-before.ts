import type { Repository } from '../git/repository.ts';
import type { BuildSchemas, LastGood } from '../lane/offer.ts';
import { asFailure } from '../platform/failure.ts';
import { type BuildsWorld, revisionBuild } from './builds.ts';
import { isContentFault } from './content-faults.ts';
import type { LastGoods, LastGoodsWorld } from './last-good.ts';
import { nothingKnown } from './last-in-place.ts';

/**
 * What an earlier process is known to have put in place at a destination, built again: the revision itself where it was
 * that, or was at least begun with. Null where that is not known, or is not valid any more. Throws Failure where the
 * repository cannot be asked.
 */
export async function inPlaceBefore(
  world: LastGoodsWorld,
  goods: Pick<LastGoods, 'before'>,
  asked: { readonly revision: string; readonly schemas: BuildSchemas | null },
  signal: AbortSignal,
): Promise<LastGood | null> {
  const { revision, schemas } = asked;
  const { repository, builds, scope, onInvalid } = world;
  const { whole, attempted } = world.lastInPlace ?? nothingKnown;
  const build = (of: string) => builtAgain({ repository, builds, scope }, of, signal);
  if (revision === whole || revision === attempted) return build(revision);
  if (onInvalid === 'quarantine' && attempted !== null) {
    // It is in place without what is broken in it, which only the branch's past tells.
    const found = await goods.before(revision, schemas, new Set(), signal);
    return found?.revision === attempted ? found : null;
  }
  const found = whole === null ? null : await build(whole);
  return found?.build(schemas).valid === true ? found : null;
}

async function builtAgain(
  world: { readonly repository: Repository; readonly builds: BuildsWorld; readonly scope: LastGoodsWorld['scope'] },
  revision: string,
  signal: AbortSignal,
): Promise<LastGood | null> {
  const { repository, builds, scope } = world;
  try {
    await repository.fetch(revision, signal);
    return { revision, build: revisionBuild(builds, await repository.read(revision, signal), scope) };
  } catch (thrown) {
    // A commit that cannot be had any more, or that is no configuration, tells nothing.
    const facts = asFailure(thrown)?.facts;
    if (isContentFault(thrown) || facts?.class === 'rejected' || facts?.code === 'revision-gone') return null;
    throw thrown;
  }
}
