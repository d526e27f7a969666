import { type Built, isDeliverable, type Scope } from '../build/built.ts';
import { quarantined } from '../build/quarantine-built.ts';
import type { Repository } from '../git/repository.ts';
import type { LastGood } from '../lane/offer.ts';
import { declaredNames, isOfEnvironment } from '../model/declared-names.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Schemas } from '../schema/schema.ts';
import { type BuildsWorld, type RevisionBuild, revisionBuild } from './builds.ts';
import { isContentFault } from './content-faults.ts';
import { type LastInPlace, nothingKnown } from './last-in-place.ts';
import { leftForInvalid, leftForOutside, leftForUnknown } from './left-as-it-is.ts';
import { leavesAsItIs, outsideFault } from './outside-fault.ts';

/** A revision of the branch's past. */
export interface PastRevision {
  readonly revision: string;
  /** Null where the commit cannot be read as configuration: it lacks the configured path, say, or holds too much. */
  readonly content: { readonly snapshot: Snapshot; readonly build: RevisionBuild } | null;
}

/** A revision of the past that can be read. */
interface Readable {
  readonly revision: string;
  readonly build: RevisionBuild;
}

/** How many ancestors are asked for at a time (DESIGN.md 7). */
const step = 50;

/** How many broken revisions in a row are gone through for the versions that were good in them. */
const brokenLimit = 50;

/** How many good states are kept, so that a branch that stays broken is not gone through anew by each commit. */
const keptStates = 4;

/** The first-parent ancestors of a revision, newest first, each to be built for one scope. */
export async function* past(
  repository: Repository,
  builds: BuildsWorld,
  aim: { readonly revision: string; readonly scope: Scope; readonly history: number },
  signal: AbortSignal,
): AsyncGenerator<PastRevision> {
  let seen = 0;
  while (seen < aim.history) {
    const limit = Math.min(aim.history, seen + step);
    const ancestors = await repository.ancestors(aim.revision, limit, signal);
    const next = ancestors.slice(seen);
    if (next.length === 0) return;
    for (const revision of next) {
      signal.throwIfAborted();
      const snapshot = await contentOf(repository, revision, signal);
      const content = snapshot === null ? null : { snapshot, build: revisionBuild(builds, snapshot, aim.scope) };
      yield { revision, content };
    }
    seen = ancestors.length;
  }
}

/** The files of a commit; null where it cannot be read as configuration, which must not end the way back. */
async function contentOf(repository: Repository, revision: string, signal: AbortSignal): Promise<Snapshot | null> {
  try {
    await repository.fetch(revision, signal);
    return await repository.read(revision, signal);
  } catch (thrown) {
    if (isContentFault(thrown)) return null;
    throw thrown;
  }
}

/**
 * Which of the wanted entities an ancestor of the revision declared, and what it declared whose identity comes from the
 * environment. A variable that is not set any more makes no difference: it was when the ancestor was delivered.
 */
export async function declaredInPast(
  repository: Repository,
  builds: BuildsWorld,
  aim: { readonly revision: string; readonly scope: Scope; readonly history: number },
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (wanted.size === 0) return found;
  const lenient: BuildsWorld = { ...builds, settings: { standIns: 'where-unset', ...builds.settings } };
  const missing = new Set(wanted);
  for await (const { content } of past(repository, lenient, aim, signal)) {
    if (content === null) continue;
    for (const name of declaredNames(content.build(null).state)) {
      if (missing.delete(name) || isOfEnvironment(name)) found.add(name);
    }
    if (missing.size === 0) break;
  }
  return found;
}

/** What the search for good revisions of one destination is made with. */
export interface LastGoodsWorld {
  readonly repository: Repository;
  readonly builds: BuildsWorld;
  readonly scope: Scope;
  /** How many commits back is looked. */
  readonly history: number;
  readonly onInvalid: 'reject' | 'quarantine';
  /** What an earlier process is known to have put in place; nothing where it is left out. */
  readonly lastInPlace?: LastInPlace;
}

/**
 * Finds the good revisions of a branch's past for one destination, from Git alone, so that nothing need be stored: the
 * newest that is valid; with quarantine, each broken one after it counts with what was good in it, worked out in the
 * order of the branch. The same history gives the same states, whether or not they were ever delivered.
 */
export class LastGoods {
  readonly #world: LastGoodsWorld;
  readonly #known = new Map<string, { readonly schemas: Schemas | null; readonly built: Built }>();

  constructor(world: LastGoodsWorld) {
    this.#world = world;
  }

  /**
   * The newest good revision before the given one, besides those that are passed over; null where there is none. Throws
   * Failure, with the code `left-as-it-is` where what is in force may be newer than any that could be taken.
   */
  async before(
    revision: string,
    schemas: Schemas | null,
    passedOver: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<LastGood | null> {
    const { repository, builds, onInvalid } = this.#world;
    const { whole } = this.#world.lastInPlace ?? nothingKnown;
    if (onInvalid === 'reject' && revision === whole) throw leftForInvalid(revision);
    const chain: Readable[] = [];
    let broken = 0;
    for await (const { revision: older, content } of past(repository, builds, { ...this.#world, revision }, signal)) {
      const isLast = older === whole;
      if (content !== null && !passedOver.has(older)) {
        const known = this.#known.get(older);
        const isBase = (known !== undefined && known.schemas === schemas) || content.build(schemas).valid;
        if (!isBase) this.#endAt(older, content, schemas);
        if (isBase || onInvalid === 'quarantine') chain.push({ revision: older, build: content.build });
        broken += isBase ? 0 : 1;
        if (isBase || (onInvalid === 'quarantine' && broken >= brokenLimit)) break;
      }
      if (isLast && onInvalid === 'reject') throw leftForInvalid(older);
      if (isLast) break;
    }
    const [newest] = this.#good(chain, schemas);
    if (newest === undefined) return null;
    if (onInvalid === 'reject') await this.#checkOrder(revision, newest.revision, signal);
    return { revision: newest.revision, build: (asked) => this.#good(chain, asked)[0]?.built ?? newest.built };
  }

  /** Throws where the way back ends at an invalid revision: it may be what is in force. */
  #endAt(
    older: string,
    { snapshot, build }: { readonly snapshot: Snapshot; readonly build: RevisionBuild },
    schemas: Schemas | null,
  ): void {
    const { builds, scope, onInvalid, lastInPlace = nothingKnown } = this.#world;
    const outside = outsideFault(builds, { snapshot, scope, built: build(schemas) }, schemas);
    if (outside !== null && leavesAsItIs(outside, onInvalid)) throw leftForOutside(older, outside);
    if (onInvalid === 'reject' && older === lastInPlace.attempted) throw leftForInvalid(older);
  }

  /** Throws where what was found is not known to be as new as what was in place last. */
  async #checkOrder(revision: string, found: string, signal: AbortSignal): Promise<void> {
    const { repository, history } = this.#world;
    const { whole } = this.#world.lastInPlace ?? nothingKnown;
    if (whole === null || whole === found) return;
    for (let limit = step; ; limit += step) {
      const ancestors = await repository.ancestors(revision, Math.min(history, limit), signal);
      if (ancestors.includes(whole)) return;
      if (limit >= history || ancestors.length < limit) throw leftForUnknown(whole, ancestors.length);
    }
  }

  /** The good revisions of a chain that is given newest first, newest first, each with what is good of it. */
  #good(chain: readonly Readable[], schemas: Schemas | null) {
    const good: { readonly revision: string; readonly built: Built }[] = [];
    let before: Built | null = null;
    for (const { revision, build } of chain.toReversed()) {
      const known = this.#known.get(revision);
      const built: Built | null =
        known !== undefined && known.schemas === schemas ? known.built : goodPart(build(schemas), before);
      if (built === null) continue;
      before = built;
      good.unshift({ revision, built });
      this.#keep(revision, schemas, built);
    }
    return good;
  }

  #keep(revision: string, schemas: Schemas | null, built: Built): void {
    this.#known.delete(revision);
    this.#known.set(revision, { schemas, built });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= keptStates) return;
      this.#known.delete(oldest);
    }
  }
}

/** What is good of a revision, as one that may be delivered; null where nothing is. */
function goodPart(built: Built, before: Built | null): Built | null {
  const made = quarantined(built, before?.state ?? null, [], before?.entries ?? null);
  if (made.valid) return made;
  if (!isDeliverable(made)) return null;
  return { ...made, valid: true, diagnostics: made.diagnostics.filter(({ severity }) => severity !== 'error') };
}
