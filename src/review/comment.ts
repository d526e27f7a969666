import { codeSpan, escapedMarkdown } from '../render/markdown-text.ts';
import { writeChanges } from './comment-changes.ts';
import { CommentWriter } from './comment-writer.ts';
import { findingsOf, type ReviewedFinding, type ReviewedRisk, risksOf } from './findings.ts';
import { isForDeletes } from './plan-risks.ts';
import type { Review, ReviewedDestination, ReviewVerdict } from './review.ts';
import { isFailing, type VerdictPolicy } from './verdict.ts';
import { countOf, cutTo, durationOf, firstOf, instantOf, shortCommit } from './words.ts';

/** How a comment is written for one forge. */
export interface CommentOptions extends VerdictPolicy {
  /** What our comment is found again by, as it is to stand in the text. */
  readonly marker: string;
  /** The longest that the forge takes, in characters. */
  readonly limit: number;
  /** Where a line of a file of the snapshot is shown at a commit; null where there is no such page. */
  readonly link: (revision: string, file: string, line: number) => string | null;
  /** Whether the forge shows `<details>` as what folds; else nothing is folded. */
  readonly folds: boolean;
}

/** A comment, and what of it does not change by itself: instants, and the commit that the branch was at, are left out of that. */
export interface ReviewComment {
  readonly body: string;
  readonly lasting: string;
}

const mostRows = 60;
const mostRisks = 40;
const mostFindings = 40;
/** A longer sentence is cut: a value in it may be as long as its file. */
const longestText = 800;

/**
 * The one comment that tells a review: the verdict, a table of the destinations, why there is no plan, risks, findings,
 * and the changes. It never is longer than the limit: changes give way first, then findings, then notes. What others
 * wrote is neither markup nor a mention nor a link in it.
 */
export function reviewComment(review: Review, verdict: ReviewVerdict, options: CommentOptions): ReviewComment {
  // That the branch has moved is no news, as long as the merge with it comes to the same.
  const lasting = written({ ...review, base: '' }, verdict, options, false);
  return { body: written(review, verdict, options, true), lasting };
}

function written(review: Review, verdict: ReviewVerdict, options: CommentOptions, withTimes: boolean): string {
  const writer = new CommentWriter(options.limit);
  writer.block(headline(review, verdict, options, withTimes), 'the verdict');
  writeSignature(writer, review);
  if (review.conflicts.length > 0) {
    const paths = review.conflicts.map((path) => `- ${codeSpan(path)}`);
    writer.list('**The merge conflicts in**\n\n', paths, '', { most: mostFindings, what: 'conflicts' });
    return writer.text();
  }
  writeTable(writer, review, withTimes);
  for (const destination of review.destinations) writeRemarks(writer, destination);
  writeRisks(writer, review, options);
  writeFindings(writer, review, options);
  writeChanges(writer, review, options);
  return writer.text();
}

const signs: { readonly [S in ReviewVerdict['state']]: string } = { success: '✅', failure: '❌', error: '⚠️' };

function headline(review: Review, verdict: ReviewVerdict, options: CommentOptions, withTimes: boolean): string {
  const merged = `${shortCommit(review.head)} merged${withTimes ? ` with ${shortCommit(review.base)}` : ''}`;
  const when = withTimes ? `, reviewed at ${instantOf(review.at)}` : '';
  return `${options.marker}\n### ${signs[verdict.state]} ${escapedMarkdown(cutTo(verdict.description, 240))}\n\n${merged}${when}`;
}

/** A merge commit may well be accepted where the proposed one is not, so that it is a note and no verdict. */
function writeSignature(writer: CommentWriter, { unaccepted = null }: Review): void {
  if (unaccepted === null) return;
  const why = escapedMarkdown(cutTo(unaccepted, longestText));
  const needed =
    'What the branch points at after the merge has to be signed by an accepted key, or it is not delivered.';
  writer.block(`⚠️ **This commit would not be accepted by itself:** ${why}. ${needed}`, 'a remark');
}

function writeTable(writer: CommentWriter, { destinations, at }: Review, withTimes: boolean): void {
  const head =
    '| destination | create | update | delete | unchanged | live state | outcome |\n| --- | ---: | ---: | ---: | ---: | --- | --- |\n';
  const rows = destinations.map((destination) => row(destination, at, withTimes));
  const shown = rows.slice(0, mostRows);
  const rest = rows.length - shown.length;
  writer.block(`${head}${shown.join('\n')}`, `a table of ${countOf(rows.length, 'destination')}`);
  if (rest > 0) writer.omit(`${rest} rows of the table`);
}

function row(destination: ReviewedDestination, at: number, withTimes: boolean): string {
  const { name, plan, liveAt } = destination;
  const age =
    liveAt === null
      ? 'never read'
      : withTimes
        ? `${durationOf(Math.max(0, at - liveAt))} old, read at ${instantOf(liveAt)}`
        : 'read';
  const counts =
    plan === null
      ? ['', '', '', '']
      : [plan.summary.create, plan.summary.update, plan.summary.delete, plan.summary.unchanged].map(String);
  return `| ${[escapedMarkdown(name), ...counts, age, stateOf(destination)].join(' | ')} |`;
}

function stateOf({ head, plan, checkedOnly, notCompared }: ReviewedDestination): string {
  if (!head.valid) return '**invalid**';
  if (plan === null) return checkedOnly === true ? 'valid, not planned' : '**no plan**';
  if (plan.held !== null) return `**will be held**: ${plan.held.code}`;
  if ((notCompared ?? []).length > 0) return 'not compared in full';
  return plan.changes.length === 0 ? 'in place' : '';
}

/** Why there is no plan, why it will be held, what to know of it, and what was not compared. */
function writeRemarks(writer: CommentWriter, destination: ReviewedDestination): void {
  const { name, plan, noPlan, notCompared } = destination;
  const shown = escapedMarkdown(name);
  const lines: string[] = [];
  if (noPlan !== null) lines.push(`- **${shown}** has no plan: ${escapedMarkdown(cutTo(noPlan, longestText))}`);
  const held = plan?.held ?? null;
  if (held !== null && !isForDeletes(held.code)) {
    lines.push(`- **${shown} will be held:** ${escapedMarkdown(held.message)}. ${escapedMarkdown(held.hint)}`);
  }
  for (const warning of plan?.warnings ?? [])
    lines.push(`- ⚠️ **${shown}**: ${escapedMarkdown(cutTo(warning, longestText))}`);
  for (const remark of notCompared ?? [])
    lines.push(`- **${shown}** was not compared in full: ${escapedMarkdown(cutTo(remark, longestText))}`);
  writer.list('', lines, '', { most: mostFindings, what: `remarks about ${name}` });
}

const riskSigns = { danger: '🔴', warning: '🟠', notice: '🔵' } as const;

function writeRisks(writer: CommentWriter, review: Review, options: CommentOptions): void {
  const items = risksOf(review).map((risk) => riskLine(risk, review, options));
  writer.list('#### Risks\n\n', items, '', { most: mostRisks, what: 'notes about risks' });
}

function riskLine({ note, destinations }: ReviewedRisk, review: Review, options: CommentOptions): string {
  const revision = note.removed === true ? review.base : review.head;
  const fails = isFailing(note, options) ? ' (fails this review)' : '';
  const places = placesOf(note.locations, revision, options);
  return `- ${riskSigns[note.severity]} ${codeSpan(note.code)}${fails} ${escapedMarkdown(cutTo(note.message, longestText))}${places}${atOf(destinations, review)}`;
}

const findingSigns = { error: '❌', warning: '⚠️', info: 'ℹ️' } as const;

/** What the branch has as well is only counted, as long as it is no error. */
function writeFindings(writer: CommentWriter, review: Review, options: CommentOptions): void {
  const findings = findingsOf(review);
  const told = findings.filter(({ diagnostic, known }) => diagnostic.severity === 'error' || !known);
  const items = told.map((finding) => findingLine(finding, review, options));
  writer.list('#### Findings\n\n', items, '', { most: mostFindings, what: 'findings' });
  const before = findings.length - told.length;
  if (before > 0)
    writer.block(
      `The branch has ${countOf(before, 'finding')} that ${before === 1 ? 'is' : 'are'} not shown here.`,
      'a remark',
    );
}

function findingLine(
  { diagnostic, destinations, known }: ReviewedFinding,
  review: Review,
  options: CommentOptions,
): string {
  const { severity, rule, message, hint, locations } = diagnostic;
  const before = known ? ' (the branch has it, too)' : '';
  const advice = hint === '' ? '' : ` ${escapedMarkdown(cutTo(hint, longestText))}`;
  const places = placesOf(locations, review.head, options);
  return `- ${findingSigns[severity]} ${codeSpan(rule)}${before} ${escapedMarkdown(cutTo(message, longestText))}${advice}${places}${atOf(destinations, review)}`;
}

type Places = ReviewedRisk['note']['locations'];

const mostPlaces = 3;

/** Where something stands, with links: ` ([a.yaml:3](…), [b.yaml:7](…))`. */
function placesOf(locations: Places, revision: string, { link }: CommentOptions): string {
  if (locations.length === 0) return '';
  const shown = locations
    .slice(0, mostPlaces)
    .map(({ file, line }) => placeLink(file, line, link(revision, file, line)));
  const rest = locations.length - shown.length;
  return ` (${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`})`;
}

function placeLink(file: string, line: number, address: string | null): string {
  const text = codeSpan(`${file}:${line}`);
  // What ends an address in Markdown is no part of one that is written as it should be.
  return address === null || /[\s<>()\\]/.test(address) ? text : `[${text}](${address})`;
}

/** Of which destinations something is said, where that is not all of them. */
function atOf(names: readonly string[], { destinations }: Review): string {
  if (names.length === destinations.length) return '';
  return ` — ${escapedMarkdown(firstOf(names, 4))}`;
}
