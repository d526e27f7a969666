import type { JsonObject } from '../../model/json.ts';
import { select } from '../entities/select.ts';
import { type Answer, answer, envelope, methodNotAllowed, notFound } from '../http/answers.ts';
import { type Gateway, newId } from '../state/gateway.ts';
import { referenceId, type Stored } from '../state/store.ts';

const link = 'rbac_user_roles';

/**
 * Answers `rbac/users/{user}/roles` of an Enterprise gateway: which roles a user has. Roles are given as names or ids
 * with commas between. Null for any other path.
 */
export function handleUserRoles(
  gateway: Gateway,
  method: string,
  segments: readonly string[],
  bodyOf: () => JsonObject,
): Answer | null {
  const [first, second, key = '', what, more] = segments;
  if (first !== 'rbac' || second !== 'users' || what !== 'roles' || more !== undefined) return null;
  const user = find(gateway, 'rbac_users', key);
  if (user === undefined) return notFound;
  const { roles: named } = bodyOf();
  const given = typeof named === 'string' ? named.split(',').map((name) => name.trim()) : [];
  const roles = given.map((name) => find(gateway, 'rbac_roles', name));
  if (method !== 'GET' && (roles.length === 0 || roles.includes(undefined))) {
    return envelope(2, 'roles must be roles that exist', { fields: { roles: 'must name roles that exist' } });
  }
  const held = () => gateway.store.childrenOf(link, 'user', user.id);
  const has = (role: Stored) => held().find((entry) => referenceId(entry['role']) === role.id);
  switch (method) {
    case 'POST':
      for (const role of roles) if (role !== undefined && has(role) === undefined) give(gateway, user, role);
      break;
    case 'DELETE':
      for (const role of roles) gateway.store.remove(link, (role === undefined ? undefined : has(role))?.id ?? '');
      return answer(204);
    case 'GET':
      break;
    default:
      return methodNotAllowed;
  }
  const shown = held().flatMap((entry) => gateway.store.get('rbac_roles', referenceId(entry['role']) ?? '') ?? []);
  return answer(method === 'POST' ? 201 : 200, { user, roles: shown });
}

function give(gateway: Gateway, user: Stored, role: Stored): void {
  const at = Math.floor(gateway.chance.now() / 1000);
  gateway.store.put(link, {
    id: newId(gateway.chance),
    user: { id: user.id },
    role: { id: role.id },
    created_at: at,
    updated_at: at,
  });
}

function find(gateway: Gateway, name: string, key: string): Stored | undefined {
  const collection = gateway.collections.get(name);
  const selected = collection === undefined ? undefined : select(gateway, collection, key);
  return selected !== undefined && 'found' in selected ? selected.found : undefined;
}
