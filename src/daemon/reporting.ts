import type { Configuration } from '../config/settings.ts';
import type { Forge } from '../forge/forge.ts';
import type { ForgeOptions } from '../forge/forge-client.ts';
import { openForge } from '../forge/open.ts';
import type { Repository } from '../git/repository.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { commitStatuses } from '../report/commit-status.ts';
import { Notifier } from '../report/notifier.ts';
import type { PostBudgets } from '../report/post-budgets.ts';
import { Reporter } from '../report/reporter.ts';
import type { DaemonStatus } from './daemon.ts';
import { budgetOf } from './forge-budget.ts';

/** What statuses are posted with. */
export interface ReportingWorld {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly createHttpClient: ForgeOptions['createHttpClient'];
  readonly budgets: PostBudgets;
}

/** How long changes of statuses are gathered before the first is posted, in milliseconds. */
const gatherMs = 500;

/** How long news for people are gathered, in milliseconds. */
const gatherNewsMs = 2_000;

/** How many earlier commits are looked at for statuses that an earlier run left pending. */
const putRightCommits = 20;

interface One {
  readonly forge: Forge;
  readonly reporter: Reporter;
  readonly context: string;
}

/** The forges that a configuration names, each with a reporter of its own, so that none waits for another. */
export class Reporting {
  readonly #all: readonly One[];
  readonly #notifiers: readonly Notifier[];
  readonly #log: Log;
  readonly #first = new FirstRevision();

  /** Opens all of them. Sends nothing yet. */
  constructor(configuration: Configuration, world: ReportingWorld) {
    const { clock, random, log, createHttpClient, budgets } = world;
    const { forges } = configuration.status();
    const branch = configuration.repository()?.branch ?? '';
    const { path } = configuration.files();
    this.#log = log;
    this.#notifiers = configuration.notify().map((settings, index) => {
      const sink = { ...settings, name: `notify[${index}]` };
      const link = configuration.server().publicUrl;
      return new Notifier({ sink, clock, random, log, createHttpClient, link, gatherMs: gatherNewsMs });
    });
    this.#all = forges.map((settings) => {
      const forge = openForge(settings, { clock, createHttpClient, branch });
      const { publicUrl } = configuration.server();
      const budget = budgetOf(budgets, settings);
      const reporter = new Reporter({ forge, clock, random, log, publicUrl, path, budget, gatherMs });
      return { forge, reporter, context: settings.context };
    });
  }

  /** Says how everything stands. Returns at once. */
  update(status: DaemonStatus): void {
    for (const notifier of this.#notifiers) notifier.update({ ...status, context: 'konverge' });
    for (const { reporter, context } of this.#all) {
      const report = commitStatuses({ ...status, context });
      if (report === null) return;
      reporter.update(report);
      this.#first.is(report.revision);
    }
  }

  /** Posts until the signal is aborted, what an earlier run left pending first of all. */
  async run(repository: Repository, signal: AbortSignal): Promise<void> {
    const notifying = this.#notifiers.map((notifier) => notifier.run(signal));
    const reporting = this.#all.map(({ reporter }) => reporter.run(signal));
    const puttingRight = this.#all.length === 0 ? [] : [this.#putRight(repository, signal)];
    await Promise.all([...notifying, ...reporting, ...puttingRight]);
  }

  /** Waits until all was posted or given up, for so many milliseconds at most; whether nothing is left. */
  async drained(limitMs: number, signal: AbortSignal): Promise<boolean> {
    const parts = [...this.#all.map(({ reporter }) => reporter), ...this.#notifiers];
    const all = await Promise.all(parts.map((part) => part.drained(limitMs, signal)));
    return all.every((done) => done);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.map(({ forge }) => forge), ...this.#notifiers].map((one) => one.close()));
  }

  /** Ends what an earlier run may have left pending on the commits before the first one of this run. */
  async #putRight(repository: Repository, signal: AbortSignal): Promise<void> {
    const revision = await this.#first.wait(signal);
    if (revision === null) return;
    try {
      const ancestors = await repository.ancestors(revision, putRightCommits, signal);
      for (const { reporter } of this.#all) reporter.putRight(ancestors);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = asFailure(thrown)?.facts ?? ownFault();
      this.#log.warn(
        { revision, code: failure.code, failure: failure.message, unaffected: 'every destination' },
        'statuses that an earlier run left pending were not looked for',
      );
    }
  }
}

/** The first revision that was checked in this run, for who waits for it. */
class FirstRevision {
  readonly #known: Promise<string>;
  #settle: (revision: string) => void = () => undefined;

  constructor() {
    this.#known = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  is(revision: string): void {
    this.#settle(revision);
  }

  /** The revision, or null when the signal is aborted first. */
  async wait(signal: AbortSignal): Promise<string | null> {
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return signal.aborted ? null : Promise.race([this.#known, stopped]);
  }
}
