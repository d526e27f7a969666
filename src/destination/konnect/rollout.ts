import { z } from 'zod';
import type { Rollout } from '../../model/live.ts';
import { asFailure } from '../../platform/failure.ts';
import { type RequestWorld, send } from '../requests.ts';
import type { ControlPlane } from './control-plane.ts';
import type { DataPlane, DataPlanes } from './data-planes.ts';

const expected = z.object({ expected_hash: z.string() });

const page = z.object({
  items: z.array(
    z.object({
      hostname: z.string().optional(),
      id: z.string(),
      config_hash: z.string().optional(),
      last_ping: z.number().optional(),
    }),
  ),
  page: z.object({ next_page_num: z.number().optional() }).optional(),
});

/** The most nodes that are asked for, page by page. */
const mostPages = 20;

/**
 * Which of a control plane's data planes run what it holds: those that report the hash that it expects (deck.md 5.3).
 * Null where that is not told, or not to this token: it is for people to know, and stops nothing. `planes` are told one
 * by one.
 */
export async function readRollout(
  world: RequestWorld,
  planes: DataPlanes,
  { id }: ControlPlane,
  signal: AbortSignal,
): Promise<Rollout | null> {
  const base = `/v2/control-planes/${encodeURIComponent(id)}`;
  try {
    const [hash, nodes] = await Promise.all([
      send(world, { method: 'GET', path: `${base}/expected-config-hash` }, signal),
      readNodes(world, base, signal),
    ]);
    const wanted = expected.safeParse(hash.json);
    if (!wanted.success || nodes === null) return notTold(planes, world);
    planes.note(nodes.map(listed), wanted.data.expected_hash, world.clock.now());
    const behind = nodes.filter((node) => node.config_hash !== wanted.data.expected_hash);
    return {
      nodes: nodes.length,
      running: nodes.length - behind.length,
      behind: behind.map((node) => node.hostname ?? node.id).sort(),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    if (asFailure(thrown) === undefined) throw thrown;
    return notTold(planes, world);
  }
}

/** What is not told any more is not shown as it was. */
function notTold(planes: DataPlanes, { clock }: RequestWorld): null {
  planes.note([], null, clock.now());
  return null;
}

function listed(node: z.infer<typeof page>['items'][number]): DataPlane {
  const { id, hostname, config_hash: hash, last_ping: heard } = node;
  const name = hostname === undefined || hostname === '' ? id : hostname;
  return { id, name, hash: hash ?? null, heardAt: heard === undefined || heard === 0 ? null : heard * 1000 };
}

async function readNodes(
  world: RequestWorld,
  base: string,
  signal: AbortSignal,
): Promise<z.infer<typeof page>['items'] | null> {
  const found: z.infer<typeof page>['items'] = [];
  let next: number | undefined = 1;
  for (let read = 0; next !== undefined && read < mostPages; read += 1) {
    const path = `${base}/nodes?page.size=100&page.number=${next}`;
    const answer = page.safeParse((await send(world, { method: 'GET', path }, signal)).json);
    if (!answer.success) return null;
    for (const one of answer.data.items) found.push(one);
    const following: number | undefined = answer.data.page?.next_page_num;
    next = following !== undefined && following > next ? following : undefined;
  }
  return found;
}

/** So many nodes that are behind are named. */
const mostNamed = 3;

/** How far a control plane's data planes are, in words; empty where nothing is known. */
export function rolloutWords(rollout: Rollout | null): string {
  if (rollout === null) return '';
  const { nodes, running, behind } = rollout;
  if (nodes === 0) return 'accepted by Konnect, no node runs it yet; ';
  const count = `${running} of ${nodes} node${nodes === 1 ? '' : 's'}`;
  const more = behind.length > mostNamed ? `, and ${behind.length - mostNamed} more` : '';
  const named = behind.length === 0 ? '' : ` (behind: ${behind.slice(0, mostNamed).join(', ')}${more})`;
  return `accepted by Konnect, running on ${count}${named}; `;
}
