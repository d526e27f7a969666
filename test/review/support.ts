import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { build } from '../../src/build/build.ts';
import type { Built, Scope } from '../../src/build/built.ts';
import { riskNotes } from '../../src/build/risk/risk-notes.ts';
import { forReview } from '../../src/build/stand-ins/for-review.ts';
import type { Live } from '../../src/model/live.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { allEntities, type State, stateOf } from '../../src/model/state.ts';
import { plan } from '../../src/plan/make-plan.ts';
import { type CommentOptions, reviewComment } from '../../src/review/comment.ts';
import type { Review, ReviewedDestination } from '../../src/review/review.ts';
import { verdictOf } from '../../src/review/verdict.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });

/** What a case may say besides its files. */
const caseFile = z.strictObject({
  destinations: z
    .array(
      z.strictObject({
        name: z.string(),
        include: z.array(z.string()).default([]),
        liveMinutes: z.number().nullable().default(5),
        noPlan: z.string().nullable().default(null),
        checkedOnly: z.boolean().default(false),
      }),
    )
    .prefault([{ name: 'prod' }]),
  conflicts: z.array(z.string()).default([]),
  fail: z.array(z.string()).default([]),
  limit: z.number().default(65_536),
  folds: z.boolean().default(true),
});

/** The marker in every secret of what is live. */
export const secretMarker = 'marker-of-a-secret';

const at = Date.parse('2030-01-01T12:00:00Z');
const [headCommit, baseCommit] = ['a1b2c3d4'.repeat(5), '0f1e2d3c'.repeat(5)];

/** A folder of files as a snapshot. */
function snapshotOf(folder: string, revision: string): Snapshot {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), { type: 'file', bytes: readFileSync(path), blob: null }] as const;
  });
  return { revision, entries: new Map(files) };
}

function built(snapshot: Snapshot, include: readonly string[], real: boolean): Built {
  const scope: Scope = {
    include,
    excludeFiles: [],
    excludeKinds: [],
    excludeTags: [],
    tags: [],
    workspace: null,
    controlPlane: null,
  };
  return build(snapshot, {
    scope,
    schemas,
    rules: {},
    environment: (name) => `${secretMarker}-${name.toLowerCase().replaceAll('_', '-')}`,
    standIns: !real,
    instant: at,
  });
}

/** What a destination answers where a state is in place: it does not know where values came from. */
export function readOf(state: State, readAt: number): Live {
  const plain = allEntities(state).map((entity) => ({
    ...entity,
    idGiven: true,
    fromEnvironment: new Map<string, string>(),
    source: null,
  }));
  return { state: stateOf(plain), notManaged: new Map(), nodes: [], readAt };
}

/** The review of a case: the branch is in place with the values of the environment, unless `live` says what is there. */
export function reviewOfCase(folder: string): { readonly review: Review; readonly options: CommentOptions } {
  const file = join(folder, 'case.json');
  const given = caseFile.parse(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  const [base, head] = [snapshotOf(join(folder, 'base'), baseCommit), snapshotOf(join(folder, 'head'), headCommit)];
  const live = existsSync(join(folder, 'live')) ? snapshotOf(join(folder, 'live'), baseCommit) : base;
  const destinations = given.destinations.map(({ include, liveMinutes, ...destination }): ReviewedDestination => {
    const [before, after] = [built(base, include, false), built(head, include, false)];
    const liveAt = liveMinutes === null ? null : at - liveMinutes * 60_000;
    const reviewed = { ...destination, base: before, head: after, liveAt, plan: null };
    const risks = after.valid ? riskNotes(before.state, after.state, { schemas, instant: at }) : [];
    if (destination.noPlan !== null) return { ...reviewed, risks };
    if (after.digest === null) return { ...reviewed, risks, noPlan: 'it is invalid' };
    const inPlace = readOf(built(live, include, true).state, liveAt ?? 0);
    const sides = forReview(inPlace, before.state, after.state);
    const delivery = plan({
      destination: destination.name,
      mode: 'database',
      revision: headCommit,
      state: sides.state,
      digest: after.digest,
      live: sides.live,
      schemas,
      policy: { prune: true, adopt: true, maxDelete: { share: 0.3, atLeast: 10 } },
      exclude: { kinds: [], tags: [], prune: false },
      declaredEarlier: null,
    });
    return { ...reviewed, risks, plan: delivery.plan, notCompared: sides.notCompared };
  });
  return {
    review: { head: headCommit, base: baseCommit, conflicts: given.conflicts, destinations, at },
    options: {
      marker: '<!-- konverge:review -->',
      limit: given.limit,
      folds: given.folds,
      fail: given.fail,
      link: (revision, path, line) =>
        `https://github.com/acme/gateway/blob/${revision}/${path.split('/').map(encodeURIComponent).join('/')}#L${line}`,
    },
  };
}

/** The comment of a case. */
export function commentOfCase(folder: string): string {
  const { review, options } = reviewOfCase(folder);
  return reviewComment(review, verdictOf(review, options), options).body;
}
