import type { DestinationSettings } from '../../src/config/settings.ts';
import type { Destination, Outcome } from '../../src/destination/destination.ts';
import { lanePlan } from '../../src/lane/lane-plan.ts';
import { type PassEnd, pass } from '../../src/lane/pass.ts';
import type { KindName } from '../../src/model/kind.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { asFailure, type FailureFacts } from '../../src/platform/failure.ts';
import { type Bench, bundledSchemas, type Files, offerOf } from './bench.ts';

/** What came of one pass over a destination. */
export interface Delivered {
  readonly end: PassEnd['end'] | 'thrown';
  /** What the end says in detail, for messages and their tests. */
  readonly ended: PassEnd | null;
  readonly failure: FailureFacts | null;
  readonly plan: Plan | null;
  readonly outcome: Outcome | null;
}

/** How a delivery differs from the usual one. */
export interface Wish {
  readonly destination?: Destination;
  readonly tags?: readonly string[];
  readonly excludeKinds?: readonly KindName[];
  readonly settings?: Partial<DestinationSettings>;
  readonly signal?: AbortSignal;
  readonly goOn?: () => boolean;
  /** Severities of rules, to send what the rules would keep back. */
  readonly rules?: { readonly [rule: string]: 'off' };
}

/** One pass, as a lane makes it: read, build, plan, check, deliver, read back. Holds are let through. */
export async function deliver(bench: Bench, files: Files, wish: Wish = {}): Promise<Delivered> {
  const tags = wish.tags ?? [];
  const settings = { ...bench.settings, ...wish.settings };
  const destination = wish.destination ?? bench.open({ ...wish.settings, tags });
  const schemas = await bundledSchemas();
  const excludeKinds = wish.excludeKinds ?? [];
  const offer = offerOf(files, { ...bench.scope, tags, excludeKinds }, schemas[bench.edition], {
    rules: wish.rules ?? {},
  });
  let outcome: Outcome | null = null;
  let plan: Plan | null = null;
  const makePlan = lanePlan({
    destination: bench.name,
    policy: settings.policy,
    exclude: { kinds: excludeKinds, tags: settings.exclude.tags, prune: settings.exclude.prune },
    knowsHistory: false,
  });
  try {
    const ended = await pass(
      {
        destination,
        plan: (request) => {
          const made = makePlan(request);
          plan ??= made.plan;
          return made;
        },
        offer: () => offer,
        closed: () => null,
        report: () => [],
        leave: () => new Set(),
        judge: (asked, known) => asked.build(known),
        lacks: () => false,
        prepare: async () => undefined,
        before: async () => null,
        refused: () => false,
        superseded: () => wish.goOn?.() === false,
        approved: () => true,
        onDifference: () => 'deliver',
        declared: new Set(),
        mayWrite: () => true,
        begins: () => undefined,
        ended: (seen) => {
          outcome = seen;
        },
        identified: () => undefined,
        seen: () => undefined,
      },
      wish.signal ?? new AbortController().signal,
    );
    const failure = ended.end === 'failed' || ended.end === 'rejected' ? ended.failure : null;
    return { end: ended.end, ended, failure, plan, outcome };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    return { end: 'thrown', ended: null, failure: failure.facts, plan, outcome };
  }
}

/** The words of what was found, for a test to look into. */
export function wordsOf(delivered: Delivered): string {
  const { ended, failure } = delivered;
  const found = ended?.end === 'rejected' ? ended.diagnostics : [];
  const words = found.map(({ message, hint, locations }) => {
    const [place] = locations;
    return `${place === undefined ? '' : `${place.file}:${place.line} `}${message} (${hint})`;
  });
  return [...words, ...(failure === null ? [] : [`${failure.code}: ${failure.message} (${failure.hint})`])].join('\n');
}
