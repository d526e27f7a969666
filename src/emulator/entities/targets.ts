import { type Answer, envelope } from '../http/answers.ts';
import type { Collection } from '../state/collections.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Stored } from '../state/store.ts';
import type { EntityRequest } from './entities.ts';
import { pageAnswer, readPage } from './listing.ts';

/**
 * One page of an upstream's targets. Kong lists them newest first and numbers its pages by how many targets went before
 * (recorded: `offset=2`), unlike any other list.
 */
export function listTargets(
  gateway: Gateway,
  collection: Collection,
  targets: readonly Stored[],
  request: EntityRequest,
): Answer {
  const page = readPage(gateway, collection, request.query);
  if ('status' in page) return page;
  const start = page.offset === null ? 0 : Number(page.offset);
  if (!Number.isInteger(start) || start < 0 || page.offset === '')
    return envelope(7, 'offset is not a token of a page');
  const ordered = targets.filter(page.matches).sort(newestFirst);
  const shown = ordered.slice(start, start + page.size);
  const end = start + page.size;
  return pageAnswer(shown, ordered.length > end ? String(end) : null, request.path, '');
}

function newestFirst(a: Stored, b: Stored): number {
  return Number(b['created_at']) - Number(a['created_at']) || (a.id < b.id ? 1 : -1);
}
