import type { Entity } from '../../model/entity.ts';
import type { KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import { compareLocations } from '../../model/location.ts';
import { textOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { isSecret } from '../secret.ts';

/** What kinds that people name are named by. */
const nameFields: { readonly [K in KindName]?: string } = {
  services: 'name',
  routes: 'name',
  upstreams: 'name',
  consumers: 'username',
  consumer_groups: 'name',
  key_sets: 'name',
  keys: 'name',
  vaults: 'prefix',
  partials: 'name',
  snis: 'name',
};

/** Names that people would take for one another are not used for two things. */
export const namesAlike: Rule = {
  name: 'names-alike',
  severity: 'warning',
  summary: 'No two names of a kind differ only by case, or by how a letter is encoded.',
  kinds: Object.keys(nameFields) as KindName[],
  check: (entity, context) => {
    const field = nameFields[entity.kind] ?? 'name';
    const others = alike(entity.kind, field, context).get(entity);
    if (others === undefined) return [];
    const name = textOf(entity, field) ?? '';
    const [first] = others;
    if (first === undefined) return [];
    const how = name.toLowerCase() === (textOf(first, field) ?? '').toLowerCase() ? 'case' : 'how letters are encoded';
    return [
      findingAt(
        entity,
        [field],
        `The ${kinds[entity.kind].label} ${shown(entity, field)} differs from ${shown(first, field)} only by ${how}; to Kong they are two.`,
        'If one thing is meant, write its name the same everywhere; otherwise give one a name that can be told apart.',
        others.map((other) => ({ entity: other, path: [field] })),
      ),
    ];
  },
  documentation: page({
    title: 'names-alike',
    what: `Compares the names of services, routes, upstreams, consumers (by username), consumer groups, keys, key sets, vaults
and SNIs without regard to case and after Unicode normalisation (NFKC), in which an accented letter is the same whether it is
one character or two.`,
    why: `Kong compares names byte by byte, so such entities exist side by side. They are nearly always one thing that was
written down twice, and references go to whichever spelling happened to be copied.`,
    bad: `
_format_version: "3.0"
services:
  - name: Orders
    host: orders.internal
  - name: orders
    host: orders-next.internal`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
  - name: orders-v2
    host: orders-next.internal`,
    fix: 'Merge the two, or rename one.',
  }),
};

function shown(entity: Entity, field: string): string {
  return isSecret(entity, [field]) ? 'of one name' : JSON.stringify(textOf(entity, field));
}

/** For the entity of each group that is last by its name, the others of it that have another spelling. */
function alike(kind: KindName, field: string, { memo, state }: RuleContext): ReadonlyMap<Entity, readonly Entity[]> {
  return memo(`alike ${kind}`, () => {
    const groups = new Map<string, Entity[]>();
    for (const entity of state.entities.get(kind) ?? []) {
      const name = textOf(entity, field);
      if (name === null) continue;
      const key = name.normalize('NFKC').toLowerCase();
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [entity]);
      else group.push(entity);
    }
    const found = new Map<Entity, readonly Entity[]>();
    for (const group of groups.values()) {
      if (new Set(group.map((entity) => textOf(entity, field))).size < 2) continue;
      const [last, ...others] = group.sort(lastNamedFirst);
      if (last === undefined) continue;
      found.set(
        last,
        others.filter((other) => textOf(other, field) !== textOf(last, field)),
      );
    }
    return found;
  });
}

/** By what they are called, so that the order of what is written changes nothing; by the place only if that is the same. */
function lastNamedFirst(a: Entity, b: Entity): number {
  if (a.identity !== b.identity) return a.identity < b.identity ? 1 : -1;
  const [first, second] = [a.source?.location, b.source?.location];
  return first === undefined || second === undefined ? 0 : compareLocations(second, first);
}
