import { approvedLine } from '../daemon/approved-line.ts';
import type { DaemonStatus } from '../daemon/daemon.ts';
import { driftLine } from '../daemon/drift-line.ts';
import { kinds } from '../model/kinds.ts';
import { diagnosticList, htmlPage, listed, revisionPageLink, short, text, time, toneOf } from './html.ts';
import { reviewTable } from './review-table.ts';
import type { RepositoryStatus } from './status-json.ts';

/** The status page: plain HTML that needs no script and renews itself. */
export function statusPage(repositories: readonly RepositoryStatus[]): string {
  return htmlPage('Konverge', 5, `<h1>Konverge</h1>\n${repositories.map(section).join('\n')}`);
}

function section({ label, status, reviews = [] }: RepositoryStatus): string {
  const { watcher, validation, lanes } = status;
  const failure =
    watcher.failure === null
      ? ''
      : `<p class="bad">The repository cannot be followed since ${time(watcher.failingSince)}: ${text(watcher.failure.message)} ${text(watcher.failure.hint)}</p>`;
  const verdict =
    validation === null
      ? 'none yet'
      : validation.valid
        ? '<span class="good">valid</span>'
        : '<span class="bad">invalid</span>';
  return `<section>
<p>${text(label.url)} · ${text(label.branch)}${label.path === '' ? '' : ` · ${text(label.path)}`}
· revision ${revisionPageLink(watcher.revision)}${signatureText(watcher.signature)} · checked ${time(watcher.checkedAt)}</p>
${failure}
<h2>Revision ${revisionPageLink(validation?.revision ?? null)}: ${verdict}</h2>
${diagnosticList(validation?.diagnostics ?? [])}
<h2>Destinations</h2>
<table>
<thead><tr><th>Destination</th><th>State</th><th>Applied</th><th>What it says</th><th>Since</th></tr></thead>
<tbody>
${lanes.map((lane) => row(lane, watcher.revision, validation?.diagnostics ?? [])).join('\n')}
</tbody>
</table>
${reviews.map(reviewTable).join('\n')}
</section>`;
}

function signatureText(signature: DaemonStatus['watcher']['signature']): string {
  if (signature === null) return '';
  return signature.accepted ? `, signed by ${text(signature.by)}` : ', <span class="bad">not accepted</span>';
}

function row(
  lane: DaemonStatus['lanes'][number],
  newest: string | null,
  above: DaemonStatus['lanes'][number]['diagnostics'],
): string {
  const tone = toneOf(lane.state);
  const behind = lane.applied !== null && lane.applied !== newest ? ' <small>(not the newest)</small>' : '';
  const waiting =
    lane.waitingFor === null
      ? ''
      : `<br><small>waits for ${text(lane.waitingFor)}${lane.nextTryAt === null ? '' : `, next at ${time(lane.nextTryAt)}`}</small>`;
  const concerned = lane.concerns === null ? '' : `<br><small>concerns ${text(lane.concerns)}</small>`;
  const unaffected = lane.unaffected === null ? '' : `<br><small>unaffected: ${text(lane.unaffected)}</small>`;
  const approval = approvedLine(lane);
  const approved = approval === null ? '' : `<br><small>${text(approval)}</small>`;
  return `<tr><td>${text(lane.destination)}<br><small>${text(lane.identified?.description ?? '')}</small></td>
<td class="${tone}">${text(lane.state)}</td>
<td>${revisionPageLink(lane.applied)}${behind}</td>
<td>${text(lane.detail)}${waiting}${approved}${concerned}${unaffected}${quarantineList(lane.quarantine)}${driftList(lane.drift)}${nodeList(lane.nodes)}${errorList(lane.diagnostics, above)}</td>
<td>${time(lane.since)}</td></tr>`;
}

/** The errors of a destination. Those of the revision as a whole stand above already, and are counted. */
function errorList(
  diagnostics: DaemonStatus['lanes'][number]['diagnostics'],
  above: DaemonStatus['lanes'][number]['diagnostics'],
): string {
  const keyOf = ({ rule, message, locations }: (typeof above)[number]) => JSON.stringify([rule, message, locations]);
  const known = new Set(above.map(keyOf));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const own = errors.filter((diagnostic) => !known.has(keyOf(diagnostic)));
  const shared = errors.length - own.length;
  const counted = shared === 0 ? '' : `<br><small>${shared} ${shared === 1 ? 'error' : 'errors'}, listed above</small>`;
  return `${counted}${diagnosticList(own)}`;
}

function quarantineList(quarantine: DaemonStatus['lanes'][number]['quarantine']): string {
  if (quarantine.length === 0) return '';
  const items = quarantine
    .slice(0, listed)
    .map(({ entity, location, why, cause, keptLastGood, since, sinceRevision }) => {
      const place =
        location === null ? '' : `<code>${text(`${location.file}:${location.line}:${location.column}`)}</code> `;
      const through = cause === null ? '' : `, through ${text(kinds[cause.kind].label)} ${text(cause.name)}`;
      const how = keptLastGood ? 'in its last good version' : 'left out';
      return `<li>${place}${text(kinds[entity.kind].label)} ${text(entity.name)}: ${how}${through}: ${text(why)} <small>since ${time(since)}, <code>${text(short(sinceRevision))}</code></small></li>`;
    });
  const more = quarantine.length > listed ? `<li>and ${quarantine.length - listed} more</li>` : '';
  return `<ul>${items.join('')}${more}</ul>`;
}

function driftList(drift: DaemonStatus['lanes'][number]['drift']): string {
  if (drift.length === 0) return '';
  const items = drift.map((seen) => {
    const often = seen.times === 1 ? '' : `, ${seen.times} times`;
    return `<li>${text(driftLine(seen))} <small>seen ${time(seen.seenAt)}${often}</small></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

/** Of many nodes those that are as they should be are only counted. */
function nodeList(nodes: DaemonStatus['lanes'][number]['nodes']): string {
  if (nodes.length === 0) return '';
  const current = nodes.filter(({ state }) => state === 'current').length;
  const named = nodes.length <= listed ? nodes : nodes.filter(({ state }) => state !== 'current');
  const items = named.slice(0, listed).map(({ url, state, hash, failure, since, nextTryAt }) => {
    const tone = state === 'current' ? 'good' : 'bad';
    const why = failure === null ? '' : `: ${text(failure)}`;
    const next = nextTryAt === null ? '' : `, asked again at ${time(nextTryAt)}`;
    const has = hash === null ? '' : ` <code>${text(hash.slice(0, 8))}</code>`;
    return `<li><code>${text(url)}</code> <span class="${tone}">${state}</span>${has}${why} <small>since ${time(since)}${next}</small></li>`;
  });
  const more = named.length > listed ? `<li>and ${named.length - listed} more</li>` : '';
  return `<details${current < nodes.length ? ' open' : ''}><summary>${current} of ${nodes.length} nodes current</summary><ul>${items.join('')}${more}</ul></details>`;
}
