import type { Confirmation, Destination, Identified, Outcome } from '../../src/destination/destination.ts';
import { runWrites } from '../../src/destination/writing/run-writes.ts';
import type { State } from '../../src/model/state.ts';
import type { PlannedDelivery, Write } from '../../src/plan/plan.ts';
import { asFailure, Failure, type FailureClass } from '../../src/platform/failure.ts';
import {
  type Content,
  contentOf,
  finding,
  noSchemas,
  objectionable,
  refusedValue,
  stateFrom,
  textOf,
  unhealthyValue,
} from './content.ts';
import type { Answer, Happening, Method } from './events.ts';

/** A call that the destination has not answered yet. */
export interface PendingCall {
  readonly id: number;
  readonly method: Method;
  /** How it may end, besides being given up. */
  readonly answers: readonly Answer[];
  readonly answer: (answer: Answer) => void;
}

/** What a simulated destination is made with. */
export interface SimDestinationWorld {
  readonly name: string;
  /** Whether it takes service by service, as a database does, or the whole state at once, as a DB-less node does. */
  readonly takes: 'services' | 'whole';
  /** What is answered at once and rightly, so that a schedule has fewer places. */
  readonly atOnce: ReadonlySet<Method>;
  readonly content: Content;
  readonly record: (happening: Happening) => void;
  readonly now: () => number;
  /** Whether a write that the lane gives up is carried out all the same. */
  readonly landsWhenGivenUp: () => boolean;
  /** The generation of the offer that a state was built from. */
  readonly generationOf: (state: State) => number | undefined;
  /** The generation of the offer of a revision, for a state that something was left out of. */
  readonly generationOfRevision: (revision: string | null) => number;
}

const identified: Identified = {
  description: 'simulated',
  version: '3.9',
  edition: 'oss',
  router: 'traditional_compatible',
  mode: 'database',
};

/** A destination in memory, each of whose answers waits until the schedule gives it. */
export class SimDestination implements Destination {
  readonly name: string;
  readonly #world: SimDestinationWorld;
  readonly #pending = new Map<number, PendingCall>();
  #content: Content;
  #before: Content;
  #calls = 0;

  constructor(world: SimDestinationWorld) {
    this.name = world.name;
    this.#world = world;
    this.#content = world.content;
    this.#before = world.content;
  }

  /** What it holds now. */
  get content(): Content {
    return this.#content;
  }

  /** What it held when the last delivery began. */
  get before(): Content {
    return this.#before;
  }

  /** The calls that wait for an answer, in order of their arrival. */
  get pending(): readonly PendingCall[] {
    return [...this.#pending.values()];
  }

  /** Lets another writer change what is live. */
  drift(content: Content): void {
    this.#content = content;
    this.#world.record({ type: 'drifted', content: textOf(content) });
  }

  async identify(signal: AbortSignal): Promise<Identified> {
    await this.#call('identify', null, signal);
    return identified;
  }

  async schemas(_state: State, signal: AbortSignal) {
    await this.#call('schemas', null, signal);
    return noSchemas;
  }

  async read(_expected: State, signal: AbortSignal) {
    let seen: Content = new Map();
    await this.#call('read', null, signal, () => {
      seen = this.#content;
      return textOf(seen);
    });
    return { state: stateFrom(seen), notManaged: new Map(), nodes: [], readAt: this.#world.now() };
  }

  async preflight(state: State, delivery: PlannedDelivery, signal: AbortSignal) {
    await this.#call('preflight', this.#generationOf(state, delivery), signal);
    return [...contentOf(state)].flatMap(([name, value]) =>
      value === objectionable ? [finding('refused-by-destination', name)] : [],
    );
  }

  async apply(
    state: State,
    delivery: PlannedDelivery,
    signal: AbortSignal,
    goOn: (done: number, total: number) => boolean,
  ): Promise<Outcome> {
    const { fingerprint, held, revision } = delivery.plan;
    const generation = this.#generationOf(state, delivery);
    const content = textOf(contentOf(state));
    this.#before = this.#content;
    this.#world.record({ type: 'applying', generation, revision, content, fingerprint, held: held !== null });
    if (this.#world.takes === 'whole') return this.#push(state, delivery, signal, goOn);
    const sendWrite = (write: Write, abort: AbortSignal) => this.#write(generation, write, abort);
    const run = await runWrites(delivery, { sendWrite, concurrency: 2, goOn }, signal);
    return { changes: run.changes, failure: run.failure, diagnostics: [], writes: run.sent };
  }

  inPlace(state: State, live: { readonly state: State }, delivery: PlannedDelivery): Confirmation {
    const [wanted, found] = [textOf(contentOf(state)), textOf(contentOf(live.state))];
    const confirmed = this.#world.takes === 'whole' ? wanted === found : delivery.plan.changes.length === 0;
    return { confirmed, incomplete: false, unread: [], detail: confirmed ? 'read back and equal' : 'still differs' };
  }

  /** What a probe says of what is live. */
  async probe(signal: AbortSignal): Promise<string | null> {
    try {
      await this.#call('probe', null, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (asFailure(thrown) === undefined) throw thrown;
      return 'does not answer';
    }
    return [...this.#content.values()].includes(unhealthyValue) ? 'does not work' : null;
  }

  async close(): Promise<void> {}

  async #write(generation: number, write: Write, signal: AbortSignal): Promise<void> {
    const value = write.body?.['host'];
    const refused = value === refusedValue;
    await this.#call(
      'write',
      generation,
      signal,
      () => {
        const next = new Map(this.#content);
        if (typeof value === 'string') next.set(write.id, value);
        else next.delete(write.id);
        this.#land(generation, next);
        return null;
      },
      refused,
    );
  }

  async #push(
    state: State,
    delivery: PlannedDelivery,
    signal: AbortSignal,
    goOn: (done: number, total: number) => boolean,
  ): Promise<Outcome> {
    const { changes } = delivery.plan;
    if (!goOn(0, 1)) {
      const skipped = changes.map((_, change) => ({ change, result: 'skipped', because: 'stopped' }) as const);
      return { changes: skipped, failure: null, diagnostics: [], writes: 0 };
    }
    const content = contentOf(state);
    const generation = this.#generationOf(state, delivery);
    const refused = [...content.values()].includes(refusedValue);
    try {
      await this.#call(
        'push',
        generation,
        signal,
        () => {
          this.#land(generation, content);
          return null;
        },
        refused,
      );
    } catch (thrown) {
      signal.throwIfAborted();
      const failure = asFailure(thrown)?.facts;
      if (failure === undefined) throw thrown;
      const result = failure.class === 'rejected' ? 'rejected' : 'unknown';
      const found = [...content].flatMap(([name, value]) => (value === refusedValue ? [finding('refused', name)] : []));
      return {
        changes: changes.map((_, change) => ({ change, result, failure })),
        failure,
        diagnostics: failure.class === 'rejected' ? found : [],
        writes: 1,
      };
    }
    return {
      changes: changes.map((_, change) => ({ change, result: 'applied' })),
      failure: null,
      diagnostics: [],
      writes: 1,
    };
  }

  #generationOf(state: State, { plan }: PlannedDelivery): number {
    return this.#world.generationOf(state) ?? this.#world.generationOfRevision(plan.revision);
  }

  #land(generation: number, content: Content): void {
    this.#content = content;
    this.#world.record({ type: 'landed', generation, content: textOf(content) });
  }

  /** One exchange. `carryOut` is what it does or sees at the destination, at the moment of its answer. */
  #call(
    method: Method,
    generation: number | null,
    signal: AbortSignal,
    carryOut: () => string | null = () => null,
    refused = false,
  ): Promise<void> {
    const { record, atOnce, landsWhenGivenUp } = this.#world;
    this.#calls += 1;
    const id = this.#calls;
    const writes = method === 'write' || method === 'push';
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      record({ type: 'called', call: id, method, generation });
      const end = (answer: Answer, then: () => void) => {
        this.#pending.delete(id);
        signal.removeEventListener('abort', giveUp);
        const carriedOut =
          answer === 'ok' || answer === 'lost' || (answer === 'stopped' && writes && landsWhenGivenUp());
        const content = carriedOut && !refused ? carryOut() : null;
        record({ type: 'answered', call: id, method, answer, content });
        then();
      };
      const giveUp = () => end('stopped', () => reject(signal.reason));
      signal.addEventListener('abort', giveUp, { once: true });
      const answer = (answered: Answer) =>
        end(answered, () => {
          const failure = failureOf(answered);
          if (failure === null) resolve();
          else reject(new Failure(failure));
        });
      const faults: readonly Answer[] = ['transient', 'unreachable', writes ? 'lost' : 'rejected'];
      const answers: readonly Answer[] = refused ? ['rejected', 'unreachable'] : ['ok', ...faults];
      this.#pending.set(id, { id, method, answers, answer });
      if (atOnce.has(method)) answer(answers[0] ?? 'ok');
    });
  }
}

function failureOf(answer: Answer): Failure['facts'] | null {
  if (answer === 'ok') return null;
  const kind: FailureClass = answer === 'rejected' || answer === 'transient' ? answer : 'unreachable';
  return {
    class: kind,
    code: kind === 'rejected' ? 'http-400' : kind === 'transient' ? 'http-503' : 'timeout',
    message: `simulated: ${kind}`,
    hint: '',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  };
}
