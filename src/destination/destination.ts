import type { Diagnostic } from '../model/diagnostic.ts';
import type { Live } from '../model/live.ts';
import type { State } from '../model/state.ts';
import type { PlannedDelivery } from '../plan/plan.ts';
import type { FailureFacts } from '../platform/failure.ts';
import type { Schemas } from '../schema/schema.ts';

/** What was found out about a destination by asking it. */
export interface Identified {
  /** For people: `Kong 3.9.3 (open source), with a database`. */
  readonly description: string;
  readonly version: string | null;
  readonly edition: 'oss' | 'enterprise';
  readonly router: 'traditional' | 'traditional_compatible' | 'expressions';
  readonly mode: 'database' | 'dbless' | 'konnect';
}

/** One node of a destination, as it was seen last. Holds no secret. */
export interface NodeStatus {
  /** Its address, without userinfo; of a Konnect data plane, what it calls itself. */
  readonly url: string;
  /**
   * `current`: it has what was delivered last; `different`: something else; `empty`: nothing, as after a restart;
   * `refused`: it did not take what it was given; `silent`: it does not answer; `unknown`: it was not asked yet.
   */
  readonly state: 'current' | 'different' | 'empty' | 'refused' | 'silent' | 'unknown';
  /** The `configuration_hash` that it reported last; null before that. */
  readonly hash: string | null;
  /** What failed last; null where nothing does. */
  readonly failure: string | null;
  /** Since when it is so, in milliseconds since 1970. */
  readonly since: number;
  /** When a node that does not answer is asked again, in milliseconds since 1970; null where it is asked as usual. */
  readonly nextTryAt: number | null;
}

/** What became of one change of a plan. */
export type ChangeOutcome =
  | { readonly change: number; readonly result: 'applied' }
  | { readonly change: number; readonly result: 'rejected' | 'unknown'; readonly failure: FailureFacts }
  | { readonly change: number; readonly result: 'skipped'; readonly because: string };

/** What became of a delivery. `failure` is the one that the lane should act on: the worst of them, or null. */
export interface Outcome {
  readonly changes: readonly ChangeOutcome[];
  readonly failure: FailureFacts | null;
  /** What a rejection said of single entities, with their places in the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Requests that changed something, or may have. */
  readonly writes: number;
}

/** Plugins that were added to a destination. */
export interface AddedPlugins {
  readonly names: readonly string[];
  readonly withheld: readonly string[];
}

/** Whether a destination was seen to have a state. */
export interface Confirmation {
  readonly confirmed: boolean;
  /** For people: `live on 2/2 nodes`, or what differs. */
  readonly detail: string;
  /** Whether a part that answers (a node) still lacks the state, so that delivering again would help. */
  readonly incomplete: boolean;
  /**
   * Whether all that differs is that such parts have nothing, or what was delivered before: they were restarted, joined
   * or were left behind, and no other writer did it.
   */
  readonly behind?: boolean;
  /** Fields that the destination does not give back, so that they were not compared. */
  readonly unread: readonly string[];
}

/**
 * One place that configuration is delivered to. Only its lane calls it. Every method takes a signal, ends soon after it
 * is aborted, and throws Failure when the destination could not be asked.
 */
export interface Destination {
  readonly name: string;
  /** Asks who the destination is. */
  identify(signal: AbortSignal): Promise<Identified>;
  /** The destination's own schemas, for what the given state uses; kept until `identify` sees another version. */
  schemas(state: State, signal: AbortSignal): Promise<Schemas>;
  /**
   * Reads all that is in scope. A read that fails in part throws; it never gives a part for the whole. `expected` is
   * the state about to be compared: of several nodes, the one that differs from it is read.
   */
  read(expected: State, signal: AbortSignal): Promise<Live>;
  /** Has the destination check each created or updated entity. Changes nothing. Empty where it cannot check. */
  preflight(state: State, delivery: PlannedDelivery, signal: AbortSignal): Promise<readonly Diagnostic[]>;
  /**
   * Carries out a delivery. A write that fails does not stop unrelated ones. `goOn` is asked before each write, with
   * what is done so far: where it says no, no further write is started, those under way are awaited, and the rest is
   * skipped. It is how a newer revision is taken up at a safe point.
   */
  apply(
    state: State,
    delivery: PlannedDelivery,
    signal: AbortSignal,
    goOn: (done: number, total: number) => boolean,
  ): Promise<Outcome>;
  /**
   * Whether what was read already is the state, so that nothing is to be sent: with a database and on Konnect when the
   * plan is empty, DB-less when the quorum of nodes reports the state's hash. Pure.
   */
  inPlace(state: State, live: Live, delivery: PlannedDelivery): Confirmation;
  /**
   * Looks cheaply after what may change by itself between deliveries (nodes that restart, join or come back), until the
   * signal is aborted, and calls `changed` when a pass is worth making. Never throws. Absent where nothing of the kind
   * can happen.
   */
  watch?(changed: () => void, signal: AbortSignal): Promise<void>;
  /**
   * The nodes as they were seen last, in the order of their addresses; the same list as long as nothing about them has
   * changed. Asks nothing. Absent where the nodes are not known one by one.
   */
  nodes?(): readonly NodeStatus[];
  /**
   * Plugins that were added to the destination and stand in no list of plugins: their names, sorted, and the collections
   * of them that its user may not list. Absent where a destination names all of its plugins itself.
   */
  addedPlugins?(signal: AbortSignal): Promise<AddedPlugins>;
  /** Ends its connections. */
  close(): Promise<void>;
}
