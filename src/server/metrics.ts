import type { DaemonStatus } from '../daemon/daemon.ts';
import type { ReviewerStatus } from '../daemon/reviewing/reviewer-status.ts';
import type { RepositoryStatus } from './status-json.ts';

const states: readonly DaemonStatus['lanes'][number]['state'][] = [
  'pending',
  'waiting',
  'delivering',
  'applied',
  'applied-degraded',
  'held',
  'rejected',
  'retrying',
  'unreachable',
  'drifted',
  'rolled-back',
  'suspended',
];

const driftOutcomes: readonly DaemonStatus['lanes'][number]['drift'][number]['outcome'][] = [
  'corrected',
  'reported',
  'flapping',
];

const nodeStates: readonly DaemonStatus['lanes'][number]['nodes'][number]['state'][] = [
  'current',
  'different',
  'empty',
  'refused',
  'silent',
  'unknown',
];

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** The status in the Prometheus text format, version 0.0.4. */
export function metricsText(repositories: readonly RepositoryStatus[], now: number): string {
  const lanes = repositories.flatMap(({ status }) => status.lanes);
  const newest = new Map(
    repositories.flatMap(({ status: { lanes: own, watcher } }) =>
      own.map((lane) => [lane.destination, watcher.revision] as const),
    ),
  );
  const perLane = (value: (lane: DaemonStatus['lanes'][number]) => number): readonly Sample[] =>
    lanes.map((lane) => [{ destination: lane.destination }, value(lane)]);
  const perForge = (value: (one: ReviewerStatus) => number): readonly Sample[] =>
    repositories.flatMap(({ label: { branch }, reviews = [] }) =>
      reviews.map((one): Sample => [{ forge: one.forge, repository: one.repository, branch }, value(one)]),
    );
  const perRepository = (value: (status: DaemonStatus) => number): readonly Sample[] =>
    repositories.map(({ label: { url, branch, path }, status }) => [{ repository: url, branch, path }, value(status)]);
  return [
    metric(
      'konverge_repository_up',
      'gauge',
      'Whether the branch can be followed.',
      perRepository(({ watcher }) => (watcher.failure === null && watcher.checkedAt !== null ? 1 : 0)),
    ),
    metric(
      'konverge_repository_checked_timestamp_seconds',
      'gauge',
      'When the remote last answered.',
      perRepository(({ watcher }) => (watcher.checkedAt ?? 0) / 1000),
    ),
    metric(
      'konverge_revision_valid',
      'gauge',
      'Whether the newest revision is valid.',
      perRepository(({ validation }) => (validation?.valid === true ? 1 : 0)),
    ),
    metric(
      'konverge_revision_accepted',
      'gauge',
      'Whether the signature of the newest revision is accepted, where signatures are required.',
      repositories.flatMap(({ label: { url, branch, path }, status: { watcher } }): readonly Sample[] => {
        const { signature } = watcher;
        return signature === null ? [] : [[{ repository: url, branch, path }, signature.accepted ? 1 : 0]];
      }),
    ),
    metric(
      'konverge_revision_errors',
      'gauge',
      'Errors found in the newest revision.',
      perRepository(({ validation }) => (validation?.diagnostics ?? []).filter(isError).length),
    ),
    metric(
      'konverge_destination_state',
      'gauge',
      'The state of each destination: 1 for the one it is in.',
      lanes.flatMap((lane) =>
        states.map((state): Sample => [{ destination: lane.destination, state }, lane.state === state ? 1 : 0]),
      ),
    ),
    metric(
      'konverge_destination_in_place',
      'gauge',
      'Whether the newest revision is confirmed in place.',
      perLane((lane) => (lane.applied !== null && lane.applied === newest.get(lane.destination) ? 1 : 0)),
    ),
    metric(
      'konverge_destination_state_age_seconds',
      'gauge',
      'How long the destination has been in its state.',
      perLane((lane) => Math.max(0, (now - lane.since) / 1000)),
    ),
    metric(
      'konverge_quarantined_entities',
      'gauge',
      'Entities that are not as the revision has them: left out, or in their last good version.',
      lanes.flatMap((lane): readonly Sample[] => {
        const kept = lane.quarantine.filter(({ keptLastGood }) => keptLastGood).length;
        const { destination } = lane;
        return [
          [{ destination, as: 'left-out' }, lane.quarantine.length - kept],
          [{ destination, as: 'last-good' }, kept],
        ];
      }),
    ),
    metric(
      'konverge_drift_changes',
      'gauge',
      'Changes by other writers that the status lists, by what became of them.',
      lanes.flatMap(({ destination, drift }) =>
        driftOutcomes.map((outcome): Sample => {
          return [{ destination, outcome }, drift.filter((seen) => seen.outcome === outcome).length];
        }),
      ),
    ),
    metric(
      'konverge_nodes',
      'gauge',
      'Nodes of DB-less destinations, by how they are.',
      lanes.flatMap(({ destination, nodes }) =>
        nodeStates.map((state): Sample => [{ destination, state }, nodes.filter((one) => one.state === state).length]),
      ),
    ),
    metric(
      'konverge_deliveries_total',
      'counter',
      'Deliveries started.',
      perLane((lane) => lane.counts.deliveries),
    ),
    metric(
      'konverge_delivery_failures_total',
      'counter',
      'Tries that failed.',
      perLane((lane) => lane.counts.failures),
    ),
    metric(
      'konverge_writes_total',
      'counter',
      'Requests that changed something.',
      perLane((lane) => lane.counts.writes),
    ),
    metric(
      'konverge_drifts_corrected_total',
      'counter',
      'Differences put right without a new revision.',
      perLane((lane) => lane.counts.driftsCorrected),
    ),
    metric(
      'konverge_reviews_up',
      'gauge',
      'Whether the last look at the open pull requests succeeded.',
      perForge(({ failure, checkedAt }) => (failure === null && checkedAt !== null ? 1 : 0)),
    ),
    metric(
      'konverge_pull_requests',
      'gauge',
      'Open pull requests that are reviewed.',
      perForge(({ open }) => open ?? 0),
    ),
    metric(
      'konverge_reviews_total',
      'counter',
      'Reviews made.',
      perForge(({ counts }) => counts.reviews),
    ),
    metric(
      'konverge_review_failures_total',
      'counter',
      'Looks, reviews and posts that failed.',
      perForge(({ counts }) => counts.failures),
    ),
    metric(
      'konverge_review_posts_total',
      'counter',
      'Statuses and comments sent for reviews.',
      perForge(({ counts }) => counts.posts),
    ),
  ].join('');
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
