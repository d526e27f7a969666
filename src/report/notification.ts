import type { LaneStatus } from '../lane/lane-status.ts';
import { commitStatuses, type ReportInput } from './commit-status.ts';
import { errorsText, pendingText, shortRevision } from './status-text.ts';

/** What people can be told of: a destination refuses or cannot be reached, waits for them, is well again, is up to date. */
export type Outcome = 'failure' | 'held' | 'recovered' | 'applied';

/** One thing that people are told. No field holds a secret. */
export interface Notice {
  readonly outcome: Outcome;
  /** Null where it is about the revision as a whole. */
  readonly destination: string | null;
  /** Destinations that it concerns. */
  readonly concerns: readonly string[];
  readonly revision: string;
  /** One sentence that leads with the fact. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How long a destination may be out of reach before people are told, in milliseconds. */
export const troubleLimitMs = 10 * 60_000;

interface Told {
  readonly outcome: 'failure' | 'held' | 'applied';
  readonly revision: string;
}

/** What is known of each destination, to tell what is news. */
export interface Known {
  /** The outcome that was told last, or seen first; by destination. */
  readonly told: ReadonlyMap<string, Told>;
  /** Since when a destination is in trouble, on the wall clock; by destination. */
  readonly troubled: ReadonlyMap<string, number>;
  /** The last revision that was told to be invalid. */
  readonly invalid: string | null;
}

/** Before anything was seen. */
export const nothingKnown: Known = { told: new Map(), troubled: new Map(), invalid: null };

/** What is news since the last look, and what is known after it. `now` in milliseconds since 1970. Pure. */
export function noticesOf(
  known: Known,
  input: ReportInput,
  now: number,
): { readonly notices: readonly Notice[]; readonly known: Known } {
  const { validation, lanes } = input;
  const report = commitStatuses(input);
  if (validation === null || report === null) return { notices: [], known };
  const { revision, diagnostics, invalidFor } = validation;
  const descriptions = new Map(report.statuses.map(({ context, description }) => [context, description]));
  const isInvalid = !validation.valid || diagnostics.some(({ severity }) => severity === 'error');
  const notices: Notice[] = [];
  if (isInvalid && known.invalid !== revision) {
    const text = `invalid: ${errorsText(diagnostics)}`;
    notices.push({ outcome: 'failure', destination: null, concerns: [...invalidFor], revision, text, at: now });
  }
  const told = new Map<string, Told>();
  const troubled = new Map<string, number>();
  for (const lane of lanes) {
    const name = lane.destination;
    const since = troubledSince(lane, known.troubled.get(name), now);
    if (since !== null) troubled.set(name, since);
    const before = known.told.get(name);
    const invalid = invalidFor.has(name);
    const outcome = invalid ? 'failure' : outcomeOf(lane, revision, since !== null && now - since >= troubleLimitMs);
    if (outcome === null || (before?.outcome === outcome && before.revision === revision)) {
      if (before !== undefined) told.set(name, before);
      continue;
    }
    told.set(name, { outcome, revision });
    // What is invalid for all is told once; what was in place already when the process began is no news.
    if ((invalid && isInvalid) || (outcome === 'applied' && before === undefined && lane.counts.writes === 0)) continue;
    const wasWell = before === undefined || before.outcome === 'applied';
    const text = since === null ? descriptions.get(`${input.context}/${name}`) : pendingText(lane, revision);
    notices.push({
      outcome: outcome === 'applied' && !wasWell ? 'recovered' : outcome,
      destination: name,
      concerns: [name],
      revision,
      text: text ?? lane.state,
      at: now,
    });
  }
  return { notices, known: { told, troubled, invalid: isInvalid ? revision : null } };
}

/** When a destination that is in trouble has to be looked at again though nothing changed; null where none is. */
export function lookAgainAt(known: Known): number | null {
  const open = [...known.troubled].filter(([name]) => known.told.get(name)?.outcome !== 'failure');
  return open.length === 0 ? null : Math.min(...open.map(([, since]) => since + troubleLimitMs));
}

function troubledSince(lane: LaneStatus, before: number | undefined, now: number): number | null {
  switch (lane.state) {
    case 'unreachable':
    case 'retrying':
      return before ?? now;
    case 'delivering':
      // Trying once more ends no trouble.
      return before ?? null;
    default:
      return null;
  }
}

/** What became of a revision, as far as that is known; null while it is under way. */
function outcomeOf(lane: LaneStatus, revision: string, isTroubled: boolean): Told['outcome'] | null {
  if (isTroubled) return 'failure';
  if (lane.revision !== revision) return null;
  switch (lane.state) {
    case 'applied':
      return lane.applied === revision ? 'applied' : null;
    case 'held':
      return 'held';
    case 'applied-degraded':
    case 'rejected':
    case 'drifted':
    case 'rolled-back':
      return 'failure';
    case 'pending':
    case 'waiting':
    case 'delivering':
    case 'retrying':
    case 'unreachable':
    case 'suspended':
      return null;
  }
}

/** Whether a place asks for a notice. Somebody who wants to hear of all that is applied hears of recoveries, too. */
export function isWanted(
  { outcome, concerns }: Notice,
  filter: { readonly destinations: readonly string[]; readonly on: readonly Outcome[] },
): boolean {
  const on = filter.on.includes(outcome) || (outcome === 'recovered' && filter.on.includes('applied'));
  return on && (filter.destinations.length === 0 || concerns.some((name) => filter.destinations.includes(name)));
}

/** The body of a request that tells several things at once. `link` leads to the status page, or is null. */
export function notificationBody(
  format: 'json' | 'slack',
  notices: readonly Notice[],
  link: string | null,
): Readonly<Record<string, unknown>> {
  if (format === 'slack') {
    const lines = notices.map(slackLine);
    // Without mark-up of its own: what a file is called or says is not meant to be any.
    return { text: [...lines, ...(link === null ? [] : [link])].join('\n'), mrkdwn: false };
  }
  return {
    source: 'konverge',
    link,
    notices: notices.map(({ outcome, destination, revision, text, at }) => ({
      outcome,
      destination,
      revision,
      text,
      at: new Date(at).toISOString(),
    })),
  };
}

function slackLine({ outcome, destination, revision, text }: Notice): string {
  const subject = destination ?? 'all destinations';
  const line = `${outcome}: ${subject} at ${shortRevision(revision)}: ${text}`.replace(/\s+/g, ' ');
  // By Slack's "Formatting text"; a name after `@` would call people in others like it.
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b')
    .slice(0, 1000);
}
