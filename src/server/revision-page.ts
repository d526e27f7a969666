import type { DaemonStatus } from '../daemon/daemon.ts';
import { type HistoryEntry, keptChangeWords } from '../daemon/history.ts';
import type { ShownReview } from '../daemon/reviewing/pull-records.ts';
import { diagnosticList, htmlPage, short, text, time, toneOf } from './html.ts';
import type { RepositoryStatus } from './status-json.ts';

/** What is known of a revision besides the status. */
export interface KnownOfRevision {
  /** What happened with it at each destination, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** What reviews of pull requests said of it, as a proposed commit. */
  readonly reviews: readonly ShownReview[];
}

/**
 * The page of one revision, which commit statuses link to: what was found in it, how each destination stands to it, what
 * happened, and what a review said of it. Null where nothing is known of it.
 */
export function revisionPage(
  revision: string,
  repositories: readonly RepositoryStatus[],
  { history, reviews }: KnownOfRevision,
): string | null {
  const sections = repositories.map((one) => repositorySection(revision, one, history)).filter((html) => html !== '');
  const parts = [...sections, ...reviews.map(reviewSection)];
  if (parts.length === 0) return null;
  const title = `Revision ${short(revision)}`;
  // Links lead back by the same path, whatever is in front of it.
  const body = `<h1><a href="..">Konverge</a>: revision <code>${text(short(revision))}</code></h1>
<p><code>${text(revision)}</code></p>
${parts.join('\n')}`;
  return htmlPage(title, 5, body);
}

/** What is said of a revision that nothing is known of. */
export function unknownRevisionPage(revision: string): string {
  return htmlPage(
    'Revision',
    null,
    `<h1><a href="..">Konverge</a></h1>
<p>Nothing is known of revision <code>${text(revision)}</code>, or not any more.</p>`,
  );
}

function repositorySection(
  revision: string,
  { label, status }: RepositoryStatus,
  history: readonly HistoryEntry[],
): string {
  const { watcher, validation, lanes } = status;
  const isChecked = validation?.revision === revision;
  const concerned = lanes.filter((lane) => {
    const isNamed = [lane.revision, lane.attempted, lane.applied].includes(revision);
    return isChecked || isNamed || history.some(({ destination }) => destination === lane.destination);
  });
  if (!isChecked && watcher.revision !== revision && concerned.length === 0) return '';
  const newest =
    watcher.revision === revision
      ? 'the newest revision'
      : `not the newest revision, which is <code>${text(short(watcher.revision))}</code>`;
  const found = isChecked
    ? `<p>${validation.valid ? '<span class="good">valid</span>' : '<span class="bad">invalid</span>'}</p>
${diagnosticList(validation.diagnostics)}`
    : '';
  return `<section>
<p>${text(label.url)} · ${text(label.branch)}${label.path === '' ? '' : ` · ${text(label.path)}`} · ${newest}</p>
${found}
${destinationTable(revision, status, concerned)}
${concerned.map((lane) => eventList(lane.destination, history)).join('\n')}
</section>`;
}

function destinationTable(revision: string, status: DaemonStatus, lanes: DaemonStatus['lanes']): string {
  if (lanes.length === 0) return '';
  const rows = lanes.map((lane) => {
    const { tone, state, says } = standing(revision, status, lane);
    return `<tr><td>${text(lane.destination)}</td><td class="${tone}">${text(state)}</td><td>${text(says)}</td></tr>`;
  });
  return `<h2>Destinations</h2>
<table>
<thead><tr><th>Destination</th><th>State</th><th>What it says</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

/** How a destination stands to a revision, which may not be the one that it works on. */
function standing(
  revision: string,
  { validation }: DaemonStatus,
  lane: DaemonStatus['lanes'][number],
): { readonly tone: string; readonly state: string; readonly says: string } {
  if (validation?.revision === revision && validation.invalidFor.has(lane.destination)) {
    return { tone: 'bad', state: 'invalid', says: 'it keeps what it has' };
  }
  if (lane.revision === revision) return { tone: toneOf(lane.state), state: lane.state, says: lane.detail };
  const other = `it works on ${short(lane.revision)}: ${lane.state}`;
  if (lane.applied === revision) return { tone: 'good', state: 'in place', says: other };
  return { tone: 'busy', state: 'not in place', says: other };
}

function eventList(destination: string, history: readonly HistoryEntry[]): string {
  const own = history.filter((entry) => entry.destination === destination);
  if (own.length === 0) return '';
  const items = own.map(({ at, event, detail, plan }) => {
    const changes = (plan?.changes ?? []).map(keptChangeWords);
    const more = (plan?.more ?? 0) === 0 ? [] : [`and ${plan?.more} more`];
    const planned =
      changes.length === 0
        ? ''
        : `<details><summary>${text(countsOf(plan))}</summary><ul>${[...changes, ...more].map((one) => `<li>${text(one)}</li>`).join('')}</ul></details>`;
    return `<li>${time(Date.parse(at))} <strong>${text(event)}</strong> ${text(detail)}${planned}</li>`;
  });
  return `<h3>${text(destination)}</h3>
<ul>${items.join('\n')}</ul>`;
}

function countsOf(plan: HistoryEntry['plan']): string {
  if (plan === null) return '';
  const { create, update, delete: gone } = plan.summary;
  return `plan: ${create} to create, ${update} to update, ${gone} to delete`;
}

function reviewSection({ number, base, verdict, comment, at }: ShownReview): string {
  const tone = verdict.state === 'success' ? 'good' : 'bad';
  return `<section>
<h2>Proposed in #${number}: <span class="${tone}">${verdict.state}</span></h2>
<p>${text(verdict.description)} · merged with <code>${text(short(base))}</code> · reviewed ${time(at)}</p>
<pre>${text(comment)}</pre>
</section>`;
}
