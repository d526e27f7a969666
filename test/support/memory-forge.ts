import type { CommitStatus, Forge } from '../../src/forge/forge.ts';
import { Failure, type FailureFacts } from '../../src/platform/failure.ts';

/** A forge in memory, for simulations: append-only, with switches. */
export class MemoryForge implements Forge {
  readonly name = 'memory';
  readonly descriptionLimit = 140;
  readonly statuses: CommitStatus[] = [];
  calls = 0;
  /** What every call fails with; null when it works. */
  failing: Partial<FailureFacts> | null = null;
  /** Takes the next so many posts and loses the answer. */
  answersToLose = 0;
  /** Called in the middle of every post. */
  during: () => Promise<void> = () => Promise.resolve();

  async post(status: CommitStatus): Promise<void> {
    this.#call();
    await this.during();
    this.statuses.push(status);
    if (this.answersToLose > 0) {
      this.answersToLose -= 1;
      throw failure({ class: 'unreachable', code: 'timeout' });
    }
  }

  async list(revision: string): Promise<readonly CommitStatus[]> {
    this.#call();
    const newest = new Map<string, CommitStatus>();
    for (const status of this.statuses) if (status.revision === revision) newest.set(status.context, status);
    return [...newest.values()];
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** What it holds in the end: `state description` by context. */
  held(revision: string): Readonly<Record<string, string>> {
    const held: Record<string, string> = {};
    for (const status of this.statuses) {
      if (status.revision === revision) held[status.context] = `${status.state}: ${status.description}`;
    }
    return held;
  }

  /** Every state that a context went through, in order. */
  history(revision: string, context: string): readonly string[] {
    return this.statuses
      .filter((status) => status.revision === revision && status.context === context)
      .map((status) => status.state);
  }

  #call(): void {
    this.calls += 1;
    if (this.failing !== null) throw failure(this.failing);
  }
}

function failure(facts: Partial<FailureFacts>): Failure {
  return new Failure({
    class: 'unreachable',
    code: 'connection-refused',
    message: 'the forge does not answer',
    hint: '',
    method: 'POST',
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
    ...facts,
  });
}
