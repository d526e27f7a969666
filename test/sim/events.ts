import type { LaneStatus } from '../../src/lane/lane-status.ts';

/** What a lane asks a simulated destination. `push` gives it a whole state, `write` one service of it. */
export type Method = 'identify' | 'schemas' | 'read' | 'preflight' | 'write' | 'push' | 'probe';

/** How a call ends. `lost`: carried out, and the answer lost; `stopped`: given up by the lane. */
export type Answer = 'ok' | 'transient' | 'unreachable' | 'rejected' | 'lost' | 'stopped';

/** One thing that happened to one lane. `at` is virtual time in milliseconds. */
export type SimEvent = { readonly lane: string; readonly at: number } & Happening;

/** What can happen. */
export type Happening =
  | { readonly type: 'started' }
  | {
      readonly type: 'published';
      readonly generation: number;
      readonly revision: string;
      readonly content: string;
      /** What of it has to be in place where broken parts of it are in quarantine. */
      readonly good: string;
    }
  | {
      readonly type: 'offered';
      readonly generation: number;
      readonly revision: string;
      readonly content: string;
      readonly accepted: boolean;
    }
  | { readonly type: 'status'; readonly status: LaneStatus }
  | { readonly type: 'called'; readonly call: number; readonly method: Method; readonly generation: number | null }
  | {
      readonly type: 'answered';
      readonly call: number;
      readonly method: Method;
      readonly answer: Answer;
      /** What was read. */
      readonly content: string | null;
    }
  | {
      readonly type: 'applying';
      readonly generation: number;
      readonly revision: string | null;
      readonly content: string;
      readonly fingerprint: string;
      readonly held: boolean;
    }
  | { readonly type: 'landed'; readonly generation: number; readonly content: string }
  | { readonly type: 'drifted'; readonly content: string }
  | { readonly type: 'steered'; readonly verb: 'suspend' | 'resume' | 'sync' }
  | { readonly type: 'approved'; readonly fingerprint: string }
  | { readonly type: 'lease'; readonly held: boolean }
  /** A gate that holds revisions back: open, or closed until a time or until somebody opens it. */
  | { readonly type: 'gate'; readonly open: boolean; readonly until: number | null }
  /** Nothing can go on without a further step: what is left waiting. */
  | { readonly type: 'quiet'; readonly calls: number; readonly timers: number; readonly listeners: number }
  | { readonly type: 'stopping' }
  | { readonly type: 'ended'; readonly fault: string | null };

/** One line of a trace. */
export function lineOf(event: SimEvent): string | null {
  const head = `${String(event.at).padStart(9)} ${event.lane}: `;
  switch (event.type) {
    case 'started':
      return `${head}lane starts`;
    case 'offered':
      return `${head}offered ${event.revision} (${event.generation})${event.accepted ? '' : ', refused'}: ${event.content}`;
    case 'status': {
      const { state, revision, applied, detail, nextTryAt } = event.status;
      const next = nextTryAt === null ? '' : `; next in ${nextTryAt - event.at} ms`;
      return `${head}says ${state} ${revision ?? '-'} (applied ${applied ?? '-'}): ${detail}${next}`;
    }
    case 'called':
      return `${head}calls ${event.method} #${event.call}${event.generation === null ? '' : ` for ${event.generation}`}`;
    case 'answered':
      return `${head}${event.method} #${event.call} ${event.answer}${event.content === null ? '' : `: ${event.content}`}`;
    case 'applying':
      return `${head}applies ${event.revision ?? '-'} (${event.generation})${event.held ? ', held' : ''}: ${event.fingerprint}`;
    case 'landed':
      return `${head}now holds ${event.content}`;
    case 'drifted':
      return `${head}another writer: ${event.content}`;
    case 'steered':
      return `${head}${event.verb}`;
    case 'approved':
      return `${head}approve ${event.fingerprint}`;
    case 'lease':
      return `${head}lease ${event.held ? 'regained' : 'lost'}`;
    case 'published':
    case 'quiet':
      return null;
    case 'gate':
      return `${head}gate ${event.open ? 'opens' : `closes until ${event.until ?? 'somebody opens it'}`}`;
    case 'stopping':
      return `${head}stopping`;
    case 'ended':
      return `${head}ended${event.fault === null ? '' : ` by ${event.fault}`}`;
  }
}
