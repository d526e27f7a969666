import { onTestFinished } from 'vitest';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';

/** An answer as a client sees it. `body` is what the JSON held, the text where it was none, or null. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any;
}

/** An emulator that is closed when the test ends. */
export async function started(options: Partial<EmulatorOptions> = {}): Promise<RunningEmulator> {
  const emulator = await startEmulator({ flavour: 'kong', port: 0, controlPort: null, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Sends one request and gives what came back. A text is sent as it stands. */
export async function ask(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Seen> {
  const sent = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  let parsed: unknown = text === '' ? null : text;
  try {
    parsed = text === '' ? null : JSON.parse(text);
  } catch {
    // It is a page of nginx, not JSON.
  }
  return { status: response.status, headers: response.headers, body: parsed };
}
