import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Answer } from './answers.ts';
import type { Behaviour } from './behaviour.ts';
import type { Counters, LogEntry } from './request-log.ts';

/** Switches to set; null turns one off, and what is not named stays. */
export type Changes = { readonly [K in keyof Behaviour]?: Behaviour[K] | null };

/** How an emulator is steered, in the process and over the control server. */
export interface Controlled {
  readonly behaviour: (changes: Changes) => void;
  readonly counters: () => Counters;
  readonly log: () => readonly LogEntry[];
  /** Forgets the log and its counters only. */
  readonly clearLog: () => void;
  /** Empties the server, its log, and turns every switch off. */
  readonly reset: () => void;
  /** Starts a node anew, with what it had on disk or without; connections are cut. */
  readonly restart: (keep: boolean) => void;
  /** Does a request as another client would, uncounted and unharmed by the switches. */
  readonly request: (method: string, path: string, body?: JsonObject | string) => Answer;
}

const matching = { methods: z.array(z.string()).optional(), path: z.string().optional() };
const json: z.ZodType<Json> = z.json() as z.ZodType<Json>;

const changes = z.strictObject({
  latencyMs: z.number().min(0).nullish(),
  hang: z.union([z.boolean(), z.strictObject(matching)]).nullish(),
  fail: z
    .strictObject({
      ...matching,
      status: z.int().min(400).max(599),
      after: z.int().min(0).optional(),
      count: z.int().min(1).optional(),
      retryAfterSeconds: z.number().min(0).optional(),
      afterWrite: z.boolean().optional(),
      body: json.optional(),
    })
    .nullish(),
  refuse: z.boolean().nullish(),
  loseAnswer: z.strictObject({ ...matching, count: z.int().min(1).optional() }).nullish(),
  answerLate: z.boolean().nullish(),
  rateLimit: z.strictObject({ requests: z.int().min(0), windowMs: z.number().min(1) }).nullish(),
  databaseDown: z.boolean().nullish(),
  nodes: z
    .strictObject({ count: z.int().min(0).max(1000), lagging: z.int().min(0) })
    .refine(({ count, lagging }) => lagging <= count, 'no more can lag than there are')
    .nullish(),
  restart: z.strictObject({ keep: z.boolean() }).optional(),
  otherWriter: z
    .strictObject({ method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']), path: z.string(), body: json.optional() })
    .optional(),
});

/** The HTTP server on the second port: `POST /reset`, `GET /log`, `DELETE /log`, `GET /counters`, `POST /behaviour`. */
export function controlApi(controlled: Controlled): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const [status, body] = handle(
        controlled,
        `${incoming.method} ${incoming.url ?? '/'}`,
        Buffer.concat(chunks).toString('utf8'),
      );
      outgoing.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
      outgoing.end(`${JSON.stringify(body)}\n`);
    });
  };
}

function handle(controlled: Controlled, what: string, text: string): readonly [number, unknown] {
  switch (what) {
    case 'POST /reset':
      controlled.reset();
      return [200, { reset: true }];
    case 'GET /log':
      return [200, controlled.log()];
    case 'DELETE /log':
      controlled.clearLog();
      return [200, { cleared: true }];
    case 'GET /counters':
      return [200, controlled.counters()];
    case 'POST /behaviour':
      return behave(controlled, text);
    default:
      return [404, { message: 'POST /reset, GET /log, DELETE /log, GET /counters or POST /behaviour' }];
  }
}

function behave(controlled: Controlled, text: string): readonly [number, unknown] {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return [400, { message: 'the body is no JSON' }];
  }
  const parsed = changes.safeParse(value);
  if (!parsed.success) return [400, { message: z.prettifyError(parsed.error) }];
  const { restart, otherWriter, ...switches } = parsed.data;
  controlled.behaviour(switches as Changes);
  if (restart !== undefined) controlled.restart(restart.keep);
  if (otherWriter === undefined) return [200, { set: Object.keys(parsed.data) }];
  const body = otherWriter.body === undefined ? undefined : JSON.stringify(otherWriter.body);
  const { status, body: answered } = controlled.request(otherWriter.method, otherWriter.path, body);
  return [200, { set: Object.keys(parsed.data), otherWriter: { status, body: answered ?? null } }];
}
