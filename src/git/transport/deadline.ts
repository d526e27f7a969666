/**
 * Runs work under a time limit and a signal. The signal that the work gets is aborted by either; `timedOut` says that
 * it was the limit. Made by hand because `AbortSignal.any` keeps hold of what it made for as long as a signal lives,
 * and the daemon's signal lives as long as the process.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  timeoutMs: number,
  onTimeout: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(onTimeout()), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever the work met once it was cut short, the reason of the cut is what happened.
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
