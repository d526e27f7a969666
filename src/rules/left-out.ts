import { isUuid } from '../model/derived-id.ts';
import type { Entity } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import type { RuleContext } from './rule.ts';

/**
 * Whether something of a kind may be there that this state does not have: the kind is left out as such, or an entity of
 * it that matters is.
 */
export function mayBeLeftOut(
  { leftOut }: RuleContext,
  kind: KindName,
  matters: (entity: Pick<Entity, 'kind' | 'fields'>) => boolean = () => true,
): boolean {
  return leftOut.kinds.has(kind) || leftOut.entities.some((entity) => entity.kind === kind && matters(entity));
}

/** Whether a consumer goes by a name. Whoever goes by an id, or by nothing that was written, may be anybody. */
export function isNamed(name: string): (consumer: Pick<Entity, 'fields'>) => boolean {
  return ({ fields: { username, custom_id } }) => isUuid(name) || username === name || custom_id === name;
}
