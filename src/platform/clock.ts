/** Time, as it is passed in. A virtual one stands in for it in simulations. */
export interface Clock {
  /** Milliseconds since 1970; may jump. For what people read. */
  now(): number;
  /** Milliseconds from some fixed point; never goes back. For measuring. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as it is aborted, leaving no timer. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
