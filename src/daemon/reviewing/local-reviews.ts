import { build } from '../../build/build.ts';
import type { Built } from '../../build/built.ts';
import { riskNotes } from '../../build/risk/risk-notes.ts';
import { forReview } from '../../build/stand-ins/for-review.ts';
import { openRepository } from '../../git/open-repository.ts';
import type { CommitObjects, Proposals, Repository } from '../../git/repository.ts';
import { lanePlan } from '../../lane/lane-plan.ts';
import { DocumentCache } from '../../manifest/document-cache.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { digestOf } from '../../model/state.ts';
import { asFailure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Review, ReviewedDestination } from '../../review/review.ts';
import { loadSchemas } from '../../schema/bundled.ts';
import { schemasOfPlain } from '../../schema/plain-schemas.ts';
import type { Schemas } from '../../schema/schema.ts';
import { type BuildsWorld, type RevisionBuild, revisionBuild } from '../builds.ts';
import { builtClaim, overlaps } from '../claims.ts';
import { HeadSignatures } from './head-signature.ts';
import { mergedWithBase } from './merged.ts';
import type { MadeReview, ReviewJob, ReviewMaker, ReviewSetup, Seen } from './review-maker.ts';
import { toldReview } from './told-review.ts';

/** Sources of parsed files that are kept, in bytes. */
const documentCacheBytes = 16 * 1024 * 1024;

/** What is opened when the first review is made. */
interface Opened {
  readonly proposals: Repository & Proposals & CommitObjects;
  readonly builds: BuildsWorld;
}

/**
 * Makes the reviews of one repository's pull requests in the thread that it is called in: the change is merged with the
 * branch in memory, built for every destination with stand-ins for the values of the environment, and planned against
 * what its lane read last. Nothing of the change decides anything but what is said of it.
 */
export class LocalReviews implements ReviewMaker {
  readonly #setup: ReviewSetup;
  readonly #log: Log;
  readonly #signatures: HeadSignatures;
  readonly #seen = new Map<string, Seen & { readonly digest: string }>();
  #opening: Promise<Opened> | null = null;
  #base: { readonly revision: string; readonly builds: ReadonlyMap<string, RevisionBuild> } | null = null;
  #now = 0;
  /** Of destinations of which something else is assumed than of all. */
  readonly #assumed: ReadonlyMap<string, Schemas>;

  constructor(setup: ReviewSetup, log: Log) {
    this.#setup = setup;
    this.#log = log;
    this.#signatures = new HeadSignatures(setup.verify);
    this.#assumed = new Map(
      setup.destinations.flatMap(({ name, assumed }) =>
        assumed === null ? [] : [[name, schemasOfPlain(assumed)] as const],
      ),
    );
  }

  see(destination: string, seen: Seen): Promise<string> {
    const known = this.#seen.get(destination);
    const digest = known?.read.live === seen.read.live ? known.digest : digestOf(seen.read.live.state);
    this.#seen.set(destination, { ...seen, digest });
    return Promise.resolve(digest);
  }

  async make(job: ReviewJob, signal: AbortSignal): Promise<MadeReview> {
    const { proposals, builds } = await this.#open();
    const { base, at } = job;
    const { head } = job.pullRequest;
    const { review: settings, repository } = this.#setup;
    this.#now = at;
    const merged = await mergedWithBase(proposals, job, repository.history, signal);
    const unaccepted = await this.#signatures.refusal(proposals, head, at, signal);
    if (merged.outcome === 'conflicts') {
      const review: Review = { head, base, conflicts: merged.paths, destinations: [], at, unaccepted };
      return toldReview(review, null, { ...job.telling, fail: settings.fail, path: repository.path });
    }
    const before = await this.#buildsOf(proposals, builds, base, signal);
    const destinations: ReviewedDestination[] = [];
    for (const one of this.#setup.destinations) {
      signal.throwIfAborted();
      destinations.push(this.#destination(one, job, merged.snapshot, builds, before.get(one.name) ?? null));
      // Whoever waits for a turn in this thread has one before the next destination.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const told = this.#told(destinations);
    const review: Review = { head, base, conflicts: [], destinations: told, at, unaccepted };
    return toldReview(review, merged.snapshot, { ...job.telling, fail: settings.fail, path: repository.path });
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => null);
    await opened?.proposals.close();
  }

  /** Destinations of which one would undo what another delivers are refused by the daemon, and here. */
  #told(destinations: readonly ReviewedDestination[]): readonly ReviewedDestination[] {
    const claims = destinations.flatMap(({ name, head }) => {
      const claim = this.#setup.destinations.find((one) => one.name === name)?.claim ?? null;
      return claim === null || !head.valid ? [] : [builtClaim(name, claim, head)];
    });
    const found = overlaps(claims);
    return destinations.map((one) => {
      const refused = found.get(one.name);
      return refused === undefined
        ? one
        : { ...one, head: withRefusals(one.head, refused), plan: null, noPlan: invalid };
    });
  }

  #destination(
    { name, scope, plan: planSettings }: ReviewSetup['destinations'][number],
    { pullRequest: { isFork } }: ReviewJob,
    snapshot: Snapshot,
    builds: BuildsWorld,
    before: RevisionBuild | null,
  ): ReviewedDestination {
    const seen = this.#seen.get(name) ?? null;
    const schemas = seen?.read.schemas ?? this.#assumed.get(name) ?? builds.assumed;
    const head = revisionBuild(builds, snapshot, scope)(schemas);
    const base = before?.(schemas) ?? null;
    const risks =
      head.valid && base?.valid === true ? riskNotes(base.state, head.state, { schemas, instant: this.#now }) : [];
    const common = { name, base, head, risks };
    const isCheckedOnly = isFork && this.#setup.review.forks === 'validate';
    if (isCheckedOnly || seen === null || !head.valid) {
      const noPlan = isCheckedOnly ? fromFork : head.valid ? neverRead : invalid;
      return { ...common, plan: null, liveAt: null, noPlan, checkedOnly: isCheckedOnly };
    }
    const { read, declared, inForce } = seen;
    const sides = forReview(read.live, base?.state ?? null, head.state, inForce);
    const { plan, refused } = lanePlan(planSettings)({
      ...read,
      live: sides.live,
      built: { ...head, state: sides.state },
      declaredEarlier: declared,
      before: inForce === null ? null : { selectTags: inForce.selectTags, live: sides.live },
    });
    return {
      ...common,
      head: withRefusals(head, refused ?? []),
      plan,
      liveAt: read.live.readAt,
      noPlan: null,
      notCompared: sides.notCompared,
    };
  }

  /** What the branch itself builds to, kept for all that are open against it. */
  async #buildsOf(
    proposals: Repository,
    builds: BuildsWorld,
    revision: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, RevisionBuild>> {
    if (this.#base?.revision === revision) return this.#base.builds;
    const snapshot = await branchSnapshot(proposals, revision, signal);
    const { destinations } = this.#setup;
    const made = new Map(destinations.map(({ name, scope }) => [name, revisionBuild(builds, snapshot, scope)]));
    this.#base = { revision, builds: made };
    return made;
  }

  /** One that cannot be opened is tried again with the next review. */
  #open(): Promise<Opened> {
    this.#opening ??= this.#opened().catch((thrown: unknown) => {
      this.#opening = null;
      throw thrown;
    });
    return this.#opening;
  }

  async #opened(): Promise<Opened> {
    const { repository, storePath, kong, build: settings } = this.#setup;
    const [proposals, assumed] = await Promise.all([
      openRepository(repository, storePath, { log: this.#log }),
      loadSchemas(kong),
    ]);
    return {
      proposals,
      builds: {
        build,
        assumed,
        now: () => this.#now,
        // No value of the environment may reach what strangers read.
        settings: {
          ...settings,
          environment: () => undefined,
          standIns: true,
          cache: new DocumentCache(documentCacheBytes),
        },
      },
    };
  }
}

const fromFork = 'it comes from another repository, so only its files are checked (review.forks)';
const neverRead = 'the destination was not read yet';
const invalid = 'the files are invalid';

/** What the destination cannot have is an error of the change like any other. */
function withRefusals(built: Built, refused: Built['diagnostics']): Built {
  if (refused.length === 0) return built;
  return { ...built, valid: false, diagnostics: [...built.diagnostics, ...refused] };
}

/** A branch that lacks the path has nothing there yet. */
async function branchSnapshot(proposals: Repository, revision: string, signal: AbortSignal): Promise<Snapshot> {
  try {
    return await proposals.read(revision, signal);
  } catch (thrown) {
    if (asFailure(thrown)?.facts.code !== 'path-missing') throw thrown;
    return { revision, entries: new Map() };
  }
}
