import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, answer } from './answers.ts';
import type { Misbehaviour } from './behaviour.ts';
import { tooLong } from './conditional.ts';
import type { WireRequest } from './request.ts';
import type { RequestLog } from './request-log.ts';
import { readRequest, send } from './wire.ts';

/** What answering needs. */
export interface Answering {
  readonly api: (request: WireRequest) => Answer;
  readonly misbehaviour: Misbehaviour;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** What every answer carries. */
  readonly headers: { readonly [name: string]: string };
}

/** Answers requests, each as the switches have it. `release` cuts those that hang. */
export function fatedHandler(answering: Answering): {
  readonly handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  readonly release: () => void;
} {
  const hanging = new Set<ServerResponse>();
  return {
    handle: (incoming, outgoing) => {
      respond(answering, hanging, incoming, outgoing).catch(() => {
        // A client that goes away while it sends; or a fault of ours, which the client sees as one of Kong's.
        if (outgoing.destroyed || outgoing.headersSent) return;
        send(outgoing, answer(500, { message: 'An unexpected error occurred' }), 'GET', answering.headers);
      });
    },
    release: () => {
      for (const outgoing of hanging) outgoing.destroy();
      hanging.clear();
    },
  };
}

async function respond(
  { api, misbehaviour, log, now, sleep, headers }: Answering,
  hanging: Set<ServerResponse>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { request, target } = await readRequest(incoming);
  const { method } = request;
  const fate = misbehaviour.fateOf(method, target, now());
  const note = (status: number | null, workMs = 0) => log.add({ at: now(), method, path: target, status, workMs });
  if (fate.fate === 'cut') {
    note(null);
    incoming.socket.destroy();
    return;
  }
  if (fate.fate === 'hang') {
    note(null);
    hanging.add(outgoing);
    outgoing.once('close', () => hanging.delete(outgoing));
    return;
  }
  const wait = misbehaviour.current.latencyMs ?? 0;
  if (wait > 0) await sleep(wait);
  if (outgoing.destroyed && misbehaviour.current.answerLate !== true) {
    note(null);
    return;
  }
  const started = performance.now();
  const isDone = fate.fate !== 'fail' || fate.afterWrite;
  const done = isDone ? (tooLong(request, target) ?? api(request)) : answer(204);
  const workMs = performance.now() - started;
  if (fate.fate === 'lose') {
    note(null, workMs);
    incoming.socket.destroy();
    return;
  }
  const retry = fate.fate === 'fail' ? fate.retryAfterSeconds : null;
  const told =
    fate.fate === 'fail'
      ? answer(fate.status, fate.body, retry === null ? {} : { 'Retry-After': String(retry) })
      : done;
  const sending = performance.now();
  send(outgoing, told, method, headers);
  note(told.status, workMs + performance.now() - sending);
}
