import { expect } from 'vitest';
import { ask, started } from './ask.ts';

/** A request, and what comes back: the status, and what the body must hold at least. */
export type Row = readonly [method: string, path: string, body: unknown, status: number, holds?: unknown];

/** An id that is told by its end. */
export const id = (last: number) => `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
/** What is answered to a body that does not fit its schema. */
export const wrong = (fields: unknown) => ({ code: 2, name: 'schema violation', fields });
/** Words for people, whichever they are. */
export const text: unknown = expect.any(String);

/** Plays rows in order against one server and compares each. */
export async function plays(rows: readonly Row[], options: Parameters<typeof started>[0] = {}): Promise<void> {
  const { url } = await started(options);
  for (const [method, path, body, status, holds] of rows) {
    const seen = await ask(url, method, path, body);
    const told = `${method} ${path} ${JSON.stringify(body) ?? ''}: ${JSON.stringify(seen.body)?.slice(0, 300)}`;
    expect(seen.status, told).toBe(status);
    if (holds !== undefined) expect(seen.body, told).toMatchObject(holds as object);
  }
}
