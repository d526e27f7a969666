import { isUuid } from '../../model/derived-id.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Answer, answer, envelope, methodNotAllowed, notFound } from '../http/answers.ts';
import type { Collection } from '../state/collections.ts';
import { type Gateway, newId } from '../state/gateway.ts';
import { referenceId, type Stored } from '../state/store.ts';
import { select } from './select.ts';

const link = 'consumer_group_consumers';

/**
 * Answers what concerns who is in which consumer group, from either side: `consumer_groups/{g}/consumers` and
 * `consumers/{c}/consumer_groups`; null for any other path, and where the edition has no groups.
 */
export function handleMemberships(
  gateway: Gateway,
  method: string,
  segments: readonly string[],
  body: JsonObject,
): Answer | null {
  const [first = '', key = '', second, other, more] = segments;
  if (more !== undefined || gateway.collections.get(link) === undefined) return null;
  const fromGroup = first === 'consumer_groups' && second === 'consumers';
  if (!fromGroup && !(first === 'consumers' && second === 'consumer_groups')) return null;
  const [own, others] = fromGroup
    ? (['consumer_group', 'consumer'] as const)
    : (['consumer', 'consumer_group'] as const);
  const owner = find(gateway, `${own}s`, key);
  if (owner === undefined) return notFound;
  const links = gateway.store.childrenOf(link, own, owner.id);
  const linked = (entry: Stored) => gateway.store.get(`${others}s`, referenceId(entry[others]) ?? '');
  const shown = links.flatMap((entry) => linked(entry) ?? []);
  if (other === undefined) {
    switch (method) {
      case 'GET':
        return answer(200, { data: shown, next: null });
      case 'POST':
        return join(gateway, own, others, owner, body);
      case 'DELETE':
        for (const entry of links) gateway.store.remove(link, entry.id);
        return answer(204);
      default:
        return methodNotAllowed;
    }
  }
  const found = find(gateway, `${others}s`, other);
  const entry = links.find((candidate) => linked(candidate)?.id === found?.id && found !== undefined);
  if (entry === undefined || found === undefined) return notFound;
  if (method === 'GET') return answer(200, { [own]: owner, [others]: found });
  if (method !== 'DELETE') return methodNotAllowed;
  gateway.store.remove(link, entry.id);
  return answer(204);
}

function find(gateway: Gateway, collection: string, key: string): Stored | undefined {
  const of: Collection | undefined = gateway.collections.get(collection);
  if (of === undefined) return undefined;
  const selected = select(gateway, of, key);
  return 'found' in selected ? selected.found : undefined;
}

function join(
  gateway: Gateway,
  own: 'consumer' | 'consumer_group',
  others: 'consumer' | 'consumer_group',
  owner: Stored,
  body: JsonObject,
): Answer {
  const field = others === 'consumer' ? 'consumer' : 'group';
  const key = body[field];
  if (typeof key !== 'string' || key === '') {
    return envelope(2, `${field} is required`, { fields: { [field]: 'is required' } });
  }
  const found = find(gateway, `${others}s`, key);
  if (found === undefined) {
    return isUuid(key) ? envelope(4, `${field} names nothing`, { fields: { [others]: { id: key } } }) : notFound;
  }
  const known = gateway.store.childrenOf(link, own, owner.id).some((entry) => referenceId(entry[others]) === found.id);
  if (known) {
    return envelope(5, 'the consumer is in the group already', {
      fields: { [own]: { id: owner.id }, [others]: { id: found.id } },
    });
  }
  const created = Math.floor(gateway.chance.now() / 1000);
  gateway.store.put(link, {
    id: newId(gateway.chance),
    [own]: { id: owner.id },
    [others]: { id: found.id },
    created_at: created,
    updated_at: created,
  });
  const [group, consumer] = own === 'consumer_group' ? [owner, found] : [found, owner];
  return answer(201, { consumer_group: group, consumers: [consumer] });
}
