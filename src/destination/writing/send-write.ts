import type { JsonObject } from '../../model/json.ts';
import type { ApiPaths } from '../../model/kind.ts';
import type { Write } from '../../plan/plan.ts';
import { asFailure, Failure } from '../../platform/failure.ts';
import { type RequestWorld, send } from '../requests.ts';
import { isConflict } from './objections.ts';

/** Where and how one destination takes writes. */
export interface SendWorld extends RequestWorld {
  /** Before every path: a workspace or a control plane; without a slash at its end. */
  readonly prefix: string;
  /** How a server is told to take no hash for a new secret: by PATCH without it, or in the query of a PUT. */
  readonly keepsHashes: 'by-patch' | 'by-query';
}

/** Sends one write by the verbs that its kind is written with. Safe to repeat when an answer was lost. Throws Failure. */
export async function sendWrite(world: SendWorld, paths: ApiPaths, write: Write, signal: AbortSignal): Promise<void> {
  const collection = collectionPath(world.prefix, paths, write);
  const one = `${collection}/${encodeURIComponent(write.id)}`;
  const { body } = write;
  if (body === null) {
    // What is gone already is as it should be: a nested DELETE of nothing is 404 (kong.md).
    await send(world, { method: 'DELETE', path: one, accept: [404] }, signal);
    return;
  }
  switch (paths.verb) {
    case 'put':
      if (write.kept !== undefined) {
        await sendKeeping(world, one, body, write.kept, signal);
        return;
      }
      await send(world, { method: 'PUT', path: one, json: body }, signal);
      return;
    case 'membership':
      await createUnlessThere(world, collection, { consumer: write.id }, signal);
      return;
    case 'target':
      await putByPatch(world, collection, one, { tags: null, weight: 100, ...body }, write, signal);
      return;
    case 'post':
      await putByPatch(world, collection, one, body, write, signal);
      return;
  }
}

/** Changes an entity and leaves a secret as it is, of which the server has a hash (kong.md, deck.md). */
async function sendKeeping(
  world: SendWorld,
  one: string,
  body: JsonObject,
  kept: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (world.keepsHashes === 'by-query') {
    await send(world, { method: 'PUT', path: `${one}?skip_hash=true`, json: body }, signal);
    return;
  }
  const changed = Object.fromEntries(
    Object.entries(body).filter(([field]) => field !== 'created_at' && !kept.includes(field)),
  );
  await send(world, { method: 'PATCH', path: one, json: changed }, signal);
}

/** Kinds that PUT never creates: POST, and PATCH where the entity is there (kong.md "Targets"). */
async function putByPatch(
  world: SendWorld,
  collection: string,
  one: string,
  body: JsonObject,
  write: Write,
  signal: AbortSignal,
): Promise<void> {
  if (write.action === 'create') {
    const clash = await createUnlessThere(world, collection, body, signal);
    if (clash === null) return;
    // There by an earlier try whose answer was lost, unless it has another id: then it is somebody else's.
    const there = await send(world, { method: 'GET', path: one, accept: [404] }, signal);
    if (there.status === 404) throw clash;
  }
  await send(world, { method: 'PATCH', path: one, json: body }, signal);
}

/** Creates by POST; gives the failure when something is in the way, which may be what an earlier try has made. */
async function createUnlessThere(
  world: SendWorld,
  collection: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Failure | null> {
  try {
    await send(world, { method: 'POST', path: collection, json: body }, signal);
    return null;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure !== undefined && isConflict(failure.facts)) return failure;
    throw thrown;
  }
}

function collectionPath(prefix: string, paths: ApiPaths, write: Write): string {
  if (paths.write === 'flat' && paths.flat !== null) return `${prefix}/${paths.flat}`;
  if (paths.nested === null || write.parentId === null) throw pathless(write);
  return `${prefix}/${paths.nested.path.replace('{parent}', encodeURIComponent(write.parentId))}`;
}

function pathless(write: Write): Failure {
  return new Failure({
    class: 'transient',
    code: 'no-path',
    message: `${write.kind} ${write.id} has no path, because what it belongs to is not known`,
    hint: 'Something else changed the destination meanwhile; report it if it comes back.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
