import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Failure, faultText } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Schemas } from '../../schema/schema.ts';
import { reviewFault } from './review-fault.ts';
import type { MadeReview, ReviewJob, ReviewMaker, ReviewSetup, Seen } from './review-maker.ts';
import { type FromThread, plainFor, seenMessages, type ToThread } from './thread-messages.ts';

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/** What the thread knows of a destination. */
interface Sent {
  readonly seen: Seen;
  readonly declared: number;
  readonly digest: string;
}

/**
 * Makes reviews in a thread of its own, so that merging, building and planning a large repository delays no delivery
 * (DESIGN.md, invariant 5). What is sent there is sent in small parts. A thread that ended is started again with the
 * next review.
 */
export class ThreadReviews implements ReviewMaker {
  readonly #setup: ReviewSetup;
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  readonly #sent = new Map<string, Sent>();
  #numbers = new WeakMap<Schemas, number>();
  #worker: Worker | null = null;
  #last = 0;
  constructor(setup: ReviewSetup, log: Log) {
    this.#setup = setup;
    this.#log = log;
  }

  async see(destination: string, seen: Seen, signal: AbortSignal): Promise<string> {
    const known = this.#sent.get(destination);
    if (known !== undefined && isSame(known, seen)) return known.digest;
    const declared = seen.declared.size;
    const worker = this.#running();
    const number = this.#numberOf(worker, seen);
    const id = this.#next();
    const answer = this.#answer(id, 'digest', signal);
    await this.#sendParts(worker, seenMessages(id, destination, seen, number));
    const { digest } = await answer;
    // What a thread knew that has ended meanwhile is lost with it.
    if (this.#worker === worker) this.#sent.set(destination, { seen, declared, digest });
    return digest;
  }

  async make(job: ReviewJob, signal: AbortSignal): Promise<MadeReview> {
    const worker = this.#running();
    const id = this.#next();
    const answer = this.#answer(id, 'made', signal);
    post(worker, { do: 'make', id, job });
    return (await answer).made;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#rejectAll();
    await worker?.terminate();
  }

  async #sendParts(worker: Worker, messages: Iterable<ToThread>): Promise<void> {
    for (const message of messages) {
      if (this.#worker !== worker) return;
      post(worker, message);
      // Whoever waits for a turn in this thread has one before the next part.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** The number of the schemas of a destination, which the thread knows then. */
  #numberOf(worker: Worker, { read: { schemas, live } }: Seen): number {
    const known = this.#numbers.get(schemas);
    if (known !== undefined) return known;
    const number = this.#next();
    post(worker, { do: 'schemas', number, plain: plainFor(schemas, live) });
    this.#numbers.set(schemas, number);
    return number;
  }

  #answer<I extends Answer['is']>(
    id: number,
    is: I,
    signal: AbortSignal,
  ): Promise<Extract<Answer, { readonly is: I }>> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      const ended = () => signal.removeEventListener('abort', stop);
      this.#waiting.set(id, {
        resolve: (answer) => {
          ended();
          if (isOf(answer, is)) resolve(answer);
          else reject(new TypeError(`an answer that is ${answer.is} in the place of ${is}`));
        },
        reject: (reason) => {
          ended();
          reject(reason);
        },
      });
    });
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startThread();
    this.#worker = worker;
    this.#sent.clear();
    this.#numbers = new WeakMap();
    worker.on('message', (message: FromThread) => this.#take(message));
    worker.on('error', (error: unknown) => this.#ended(worker, faultText(error)));
    worker.on('exit', () => this.#ended(worker, 'the thread ended'));
    post(worker, { do: 'open', setup: this.#setup });
    return worker;
  }

  #take(message: FromThread): void {
    if (message.is === 'log') {
      this.#log[message.level](message.fields, message.message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    switch (message.is) {
      case 'digest':
      case 'made':
        waiting?.resolve(message);
        break;
      case 'failed':
        waiting?.reject(new Failure(message.facts));
        break;
      case 'fault':
        this.#log.error({ stack: message.stack }, 'a fault of Konverge itself');
        waiting?.reject(reviewFault());
    }
  }

  #ended(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#log.error({ failure: why, unaffected: 'every destination' }, 'the thread of the reviews ended');
    this.#rejectAll();
  }

  #rejectAll(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reviewFault());
  }
}

type Answer = Extract<FromThread, { readonly is: 'digest' | 'made' }>;

function isOf<I extends Answer['is']>(answer: Answer, is: I): answer is Extract<Answer, { readonly is: I }> {
  return answer.is === is;
}

function isSame({ seen: before, declared }: Sent, { read, declared: names, inForce }: Seen): boolean {
  const isRead = before.read.live === read.live && before.read.schemas === read.schemas;
  return isRead && before.inForce === inForce && declared === names.size;
}

/** From sources the thread is told how to read them; what is built needs nothing. */
function startThread(): Worker {
  const entry = import.meta.url.replace(/thread-reviews\.(\w+)$/, 'review-thread.$1');
  if (!entry.endsWith('.ts')) return new Worker(new URL(entry));
  const loader = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const [from, what] = [pathToFileURL(loader).href, entry].map((address) => JSON.stringify(address));
  return new Worker(`import(${from}).then((loader) => { loader.register(); return import(${what}); })`, { eval: true });
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}
