/** A question that is asked until it is answered, and then not again. Failures are not kept. */
export function once<T>(ask: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let known: { readonly answer: T } | null = null;
  return async (signal) => {
    known ??= { answer: await ask(signal) };
    return known.answer;
  };
}
