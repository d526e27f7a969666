import type { ReviewerStatus } from '../daemon/reviewing/reviewer-status.ts';
import { revisionPageLink, text, time } from './html.ts';

const tones = { success: 'good', failure: 'bad', error: 'bad' } as const;

/** The open pull requests of one forge on the status page. */
export function reviewTable({ forge, open, checkedAt, failure, nextLookAt, pullRequests }: ReviewerStatus): string {
  const why = failure === null ? '' : `<p class="bad">${text(failure.message)} ${text(failure.hint)}</p>`;
  const next = nextLookAt === null ? '' : `, looked at again by ${time(nextLookAt)}`;
  const rows = pullRequests.map(({ number, head, verdict, reviewedAt }) => {
    const [tone, says] = verdict === null ? ['busy', 'not reviewed yet'] : [tones[verdict.state], verdict.description];
    return `<tr><td>#${number}</td><td class="${tone}">${verdict?.state ?? 'pending'}</td>
<td>${revisionPageLink(head)}</td><td>${text(says)}</td><td>${time(reviewedAt)}</td></tr>`;
  });
  const table =
    rows.length === 0
      ? ''
      : `<table>
<thead><tr><th>Number</th><th>State</th><th>Commit</th><th>What it says</th><th>Reviewed</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
  return `<h2>Pull requests on ${text(forge)}</h2>
<p>${open === null ? 'not known yet' : `${open} open`} · checked ${time(checkedAt)}${next}</p>
${why}
${table}`;
}
