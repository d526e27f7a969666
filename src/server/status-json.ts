import { z } from 'zod';
import type { DaemonStatus } from '../daemon/daemon.ts';
import type { ReviewerStatus } from '../daemon/reviewing/reviewer-status.ts';
import type { FailureFacts } from '../platform/failure.ts';

/** What the status says of the repository, besides what the daemon knows. */
export interface RepositoryLabel {
  /** Without userinfo. */
  readonly url: string;
  readonly branch: string;
  readonly path: string;
}

/** One repository that is followed, and what its daemon knows. */
export interface RepositoryStatus {
  readonly label: RepositoryLabel;
  readonly status: DaemonStatus;
  /** What is known of the reviews of pull requests, by forge; none where nothing is reviewed. */
  readonly reviews?: readonly ReviewerStatus[];
}

/** The status as the API gives it. Times are ISO 8601; no field holds a secret or an answer's body. */
export function statusJson(repositories: readonly RepositoryStatus[]): object {
  return { repositories: repositories.map(repositoryJson) };
}

function repositoryJson({ label, status, reviews = [] }: RepositoryStatus): object {
  const { watcher, validation } = status;
  const of = (severity: string) =>
    (validation?.diagnostics ?? []).filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    ...label,
    revision: watcher.revision,
    signature: watcher.signature,
    checkedAt: time(watcher.checkedAt),
    nextPollAt: time(watcher.nextPollAt),
    failure: failureJson(watcher.failure),
    failingSince: time(watcher.failingSince),
    validation:
      validation === null
        ? null
        : {
            revision: validation.revision,
            valid: validation.valid,
            at: time(validation.at),
            errors: of('error'),
            warnings: of('warning'),
            invalidFor: [...validation.invalidFor],
            withheld: Object.fromEntries(validation.withheld ?? []),
            diagnostics: validation.diagnostics,
            objects: countsOf(validation.objects),
          },
    destinations: status.lanes.map(laneJson),
    reviews: reviews.map(reviewsJson),
  };
}

function reviewsJson({ checkedAt, nextLookAt, failure, pullRequests, ...rest }: ReviewerStatus): object {
  return {
    ...rest,
    checkedAt: time(checkedAt),
    nextLookAt: time(nextLookAt),
    failure: failureJson(failure),
    pullRequests: pullRequests.map(({ verdict, reviewedAt, ...one }) => ({
      ...one,
      state: verdict?.state ?? 'pending',
      description: verdict?.description ?? null,
      reviewedAt: time(reviewedAt),
    })),
  };
}

/** How many Kubernetes objects have a status, and how many of these say that something is wrong. */
function countsOf(objects: NonNullable<DaemonStatus['validation']>['objects']): object {
  const all = new Map<string, boolean>();
  for (const { kind, namespace, name, conditions } of [...(objects?.values() ?? [])].flat()) {
    const key = JSON.stringify([kind, namespace, name]);
    const isWrong = conditions.some(({ type, status }) => (type === 'Conflicted') === (status === 'True'));
    all.set(key, isWrong || all.get(key) === true);
  }
  return { read: all.size, wrong: [...all.values()].filter((isWrong) => isWrong).length };
}

/** How many of what is in quarantine are listed; `quarantined` counts them all. */
const listed = 1000;

function laneJson(lane: DaemonStatus['lanes'][number]): object {
  return {
    name: lane.destination,
    state: lane.state,
    since: time(lane.since),
    revision: lane.revision,
    generation: lane.generation,
    revisionAttempted: lane.attempted,
    revisionApplied: lane.applied,
    appliedAt: time(lane.appliedAt),
    detail: lane.detail,
    waitingFor: lane.waitingFor,
    concerns: lane.concerns,
    unaffected: lane.unaffected,
    nextTryAt: time(lane.nextTryAt),
    lastError: failureJson(lane.failure),
    diagnostics: lane.diagnostics.filter((diagnostic) => diagnostic.severity !== 'info'),
    plan: lane.plan,
    approval: lane.approval,
    suspension: lane.suspension,
    quarantine: lane.quarantine.slice(0, listed).map(({ since, ...one }) => ({ ...one, since: time(since) })),
    quarantined: lane.quarantine.length,
    drift: lane.drift.map(({ seenAt, ...one }) => ({ ...one, seenAt: time(seenAt) })),
    nodes: lane.nodes.map(({ since, nextTryAt, ...one }) => ({
      ...one,
      since: time(since),
      nextTryAt: time(nextTryAt),
    })),
    is: lane.identified?.description ?? null,
    counts: lane.counts,
  };
}

function failureJson(failure: FailureFacts | null): object | null {
  if (failure === null) return null;
  const { class: kind, code, message, hint, method, url, status } = failure;
  return { class: kind, code, message, hint, method, url, status };
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Words of a person, on one line. */
const words = z
  .string()
  .max(200)
  .transform((text) => text.replace(/[\p{C}\s]+/gu, ' ').trim())
  .transform((text) => (text === '' ? null : text))
  .nullable()
  .default(null);

/** What steering is posted with: who it is and why, which may be left out. */
export const steered = z.object({ who: words, reason: words });

/** What an approval is posted as. */
export const approval = z.strictObject({ ...steered.shape, fingerprint: z.string().min(1).max(200) });
