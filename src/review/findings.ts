import type { Built } from '../build/built.ts';
import type { RiskNote } from '../build/risk/risk.ts';
import { riskNotesOfPlan } from './plan-risks.ts';
import type { Review } from './review.ts';

/** A finding of a build, and the destinations that it was made for. */
export interface ReviewedFinding {
  readonly diagnostic: Built['diagnostics'][number];
  readonly destinations: readonly string[];
  /** Whether the branch has it as well, wherever in its file it stands. */
  readonly known: boolean;
}

/** A note about a risk, and the destinations that it was made for. */
export interface ReviewedRisk {
  readonly note: RiskNote;
  readonly destinations: readonly string[];
}

/** What is wrong after the merge, each finding once: errors first, and what is new before what the branch has. */
export function findingsOf({ destinations }: Review): readonly ReviewedFinding[] {
  const found = new Map<string, { finding: ReviewedFinding; destinations: string[] }>();
  for (const { name, base, head } of destinations) {
    const before = new Set(base?.diagnostics.map(wordsOf));
    for (const diagnostic of head.diagnostics) {
      const [place] = diagnostic.locations;
      const key = `${wordsOf(diagnostic)}\n${place?.line ?? 0}:${place?.column ?? 0}`;
      const known = found.get(key);
      if (known !== undefined) {
        if (!known.destinations.includes(name)) known.destinations.push(name);
      } else {
        const finding = { diagnostic, destinations: [], known: before.has(wordsOf(diagnostic)) };
        found.set(key, { finding, destinations: [name] });
      }
    }
  }
  const rank = ({ diagnostic, known }: ReviewedFinding) =>
    2 * ['error', 'warning', 'info'].indexOf(diagnostic.severity) + (known ? 1 : 0);
  return [...found.values()]
    .map(({ finding, destinations: names }) => ({ ...finding, destinations: names }))
    .sort((a, b) => rank(a) - rank(b));
}

/** A finding without its line, which moves when others are written above it. */
function wordsOf({ rule, severity, message, locations }: Built['diagnostics'][number]): string {
  return [rule, severity, message, locations[0]?.file ?? ''].join('\n');
}

/** The notes about risks, each once, the worst first. */
export function risksOf({ destinations }: Review): readonly ReviewedRisk[] {
  const found = new Map<string, { note: RiskNote; destinations: string[] }>();
  for (const destination of destinations) {
    for (const note of [...riskNotesOfPlan(destination.plan), ...destination.risks]) {
      const key = JSON.stringify([note.code, note.severity, note.message, note.locations]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { note, destinations: [destination.name] });
      else if (!known.destinations.includes(destination.name)) known.destinations.push(destination.name);
    }
  }
  const rank = ({ note }: ReviewedRisk) => ['danger', 'warning', 'notice'].indexOf(note.severity);
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}
