import { z } from 'zod';
import { asFailure, Failure, type FailureFacts } from '../../platform/failure.ts';
import { shownUrl } from '../../platform/redact.ts';
import { type RequestWorld, send } from '../requests.ts';
import { type ConfigBody, lengthOf } from './config-body.ts';
import type { NodeHealth } from './node-health.ts';

/** One node of a DB-less destination. */
export interface NodeWorld extends RequestWorld {
  /** As it may be shown. */
  readonly url: string;
  /** The largest body that the node takes, in bytes. */
  readonly configLimitBytes: number;
  readonly health: NodeHealth;
}

/** The address of a node as it may be shown: without userinfo, nor a slash at its end. */
export function shownNode(url: string): string {
  return shownUrl(url).replace(/\/$/, '');
}

const status = z.object({ configuration_hash: z.string().optional() });

/** The node's `configuration_hash`. Throws Failure, also where the server has none because it has a database. */
export async function nodeHash(node: NodeWorld, signal: AbortSignal): Promise<string> {
  const answer = await send(node, { method: 'GET', path: '/status' }, signal);
  const parsed = status.safeParse(answer.json);
  const hash = parsed.success ? parsed.data.configuration_hash : undefined;
  if (hash === undefined) {
    throw new Failure({
      class: 'rejected',
      code: 'no-configuration-hash',
      message: `${node.url} reports no configuration hash: it is no DB-less Kong`,
      hint: 'A Kong with a database is configured with `kong.url` instead of `kong.nodes`.',
      method: 'GET',
      url: `${node.url}/status`,
      status: answer.status,
      retryAfterMs: null,
      body: null,
    });
  }
  return hash;
}

/** What became of a push to one node. `detailed` are the errors by entity, where the node says them. */
export type Push =
  | { readonly url: string; readonly result: 'taken' }
  | { readonly url: string; readonly result: 'failed'; readonly failure: FailureFacts };

/**
 * Sends the whole configuration as text. A refusal without errors by entity is asked for again without flattening,
 * since Kong loses some errors in it (kong.md); that is no further change: what is refused is not taken.
 */
export async function push(node: NodeWorld, body: ConfigBody, signal: AbortSignal): Promise<Push> {
  const { url } = node;
  const sizeBytes = lengthOf(body);
  const tooMuch = (status: number | null): Push => ({
    url,
    result: 'failed',
    failure: tooLarge(node, sizeBytes, status),
  });
  if (sizeBytes > node.configLimitBytes) return tooMuch(null);
  const headers = { 'content-type': 'application/json' };
  const content = body instanceof Uint8Array ? { text: body } : { made: body };
  const attempt = async (path: string): Promise<FailureFacts | null> => {
    try {
      // The same text twice is the same state, so that a lost answer may be asked for again by the lane's next pass.
      await send(node, { method: 'POST', path, headers, ...content }, signal);
      return null;
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure === undefined) throw thrown;
      return failure.facts;
    }
  };
  const failure = await attempt('/config?flatten_errors=1');
  if (failure === null) return { url, result: 'taken' };
  if (failure.status === 413) return tooMuch(413);
  if (failure.status !== 400 && failure.status !== 500) return { url, result: 'failed', failure };
  if (failure.status === 400 && flattened(failure.body).length > 0) return { url, result: 'failed', failure };
  const plain = await attempt('/config');
  return plain === null ? { url, result: 'taken' } : { url, result: 'failed', failure: plain };
}

const flattenedEntry = z.object({
  entity_type: z.string(),
  entity_id: z.string().optional(),
  entity_name: z.string().optional(),
  errors: z.array(z.object({ field: z.string().optional(), message: z.json() })),
});

const flattenedErrors = z.object({ flattened_errors: z.array(flattenedEntry) });

/** The errors by entity of a refused configuration; empty where Kong gives an object or nothing instead of a list. */
export function flattened(body: unknown): readonly z.infer<typeof flattenedEntry>[] {
  const parsed = flattenedErrors.safeParse(body);
  return parsed.success ? parsed.data.flattened_errors : [];
}

/** Both sizes, and what to raise; where the node itself refuses (413), its limit is below the one configured here. */
function tooLarge(node: NodeWorld, sizeBytes: number, status: number | null): FailureFacts {
  const limit = `the destination's limits.configLimit, ${node.configLimitBytes} bytes`;
  return {
    class: 'rejected',
    code: 'config-too-large',
    message:
      status === null
        ? `the configuration for ${node.url} is ${sizeBytes} bytes, more than ${limit}`
        : `the configuration is ${sizeBytes} bytes, more than ${node.url} takes, although that is within ${limit}`,
    hint: 'Raise `nginx_admin_client_max_body_size` on the node and `limits.configLimit` of the destination alike.',
    method: 'POST',
    url: `${node.url}/config`,
    status,
    retryAfterMs: null,
    body: null,
  };
}
