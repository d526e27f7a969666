import fc from 'fast-check';
import type { RawEntity, RawTarget } from '../../src/model/assemble.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { kinds } from '../../src/model/kinds.ts';
import { allEntities } from '../../src/model/state.ts';
import { uniqueValues } from '../../src/plan/unique-values.ts';
import { raw, stateFrom, uuid } from './support.ts';

interface Wish {
  readonly kind: KindName;
  readonly name: number;
  readonly id: number;
  readonly first: number;
  readonly second: number;
  readonly value: number;
}

const made: readonly KindName[] = [
  'certificates',
  'ca_certificates',
  'snis',
  'services',
  'upstreams',
  'targets',
  'routes',
  'consumers',
  'consumer_groups',
  'consumer_group_consumers',
  'keyauth_credentials',
  'basicauth_credentials',
  'acls',
  'key_sets',
  'keys',
  'vaults',
  'plugins',
  'plugins',
];

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom(...made),
  name: fc.nat(3),
  id: fc.nat(6),
  first: fc.nat(3),
  second: fc.nat(5),
  value: fc.nat(2),
});

/** What becomes of a wish in the second of two worlds. */
const fate = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({ name: fc.nat(3) }),
      fc.record({ id: fc.nat(6) }),
      fc.record({ first: fc.nat(3) }),
      fc.record({ second: fc.nat(5) }),
      fc.record({ value: fc.nat(2) }),
    ),
  },
);

/**
 * Two worlds, the second made from the first by changes to some of its parts. There are few names and few ids, so that
 * they meet in many of them: moves, swaps, renames, changed ids.
 */
export const twoWorlds: fc.Arbitrary<readonly [readonly RawEntity[], readonly RawEntity[]]> = fc
  .array(fc.record({ wish, fate }), { maxLength: 40, size: 'max' })
  .map((parts) => {
    const sorted = [...parts].sort((a, b) => made.indexOf(a.wish.kind) - made.indexOf(b.wish.kind));
    const after = sorted.flatMap(({ wish: one, fate: change }) => (change === null ? [] : [{ ...one, ...change }]));
    return [consistent(sorted.map(({ wish: one }) => one)), consistent(after)];
  });

/** Leaves out what would clash with an entity that came before it. */
function consistent(wishes: readonly Wish[]): readonly RawEntity[] {
  const entities: RawEntity[] = [];
  const taken = new Set<string>();
  for (const one of wishes) {
    const entity = build(one, (kind, number) => {
      const all = entities.filter((other) => other.kind === kind);
      return all[number % Math.max(1, all.length)];
    });
    const keys = entity === undefined ? [] : keysOf(entity);
    if (entity === undefined || keys.some((key) => taken.has(key))) continue;
    entities.push(entity);
    for (const key of keys) taken.add(key);
  }
  return entities;
}

/** All that no two entities may share. */
function keysOf(one: RawEntity): readonly string[] {
  const entity = allEntities(stateFrom(withAncestors(one))).find(({ fields }) => fields === one.fields);
  if (entity === undefined) return [];
  const unique = uniqueValues(entity, entity.fields, ({ id }) => id).map(({ key }) => key);
  return [`${entity.kind} id ${entity.id}`, `${entity.kind} identity ${entity.identity}`, ...unique];
}

function withAncestors(entity: RawEntity): readonly RawEntity[] {
  const parents = entity.references.flatMap(({ to }) => ('entity' in to ? withAncestors(to.entity) : []));
  return [...new Set([entity, ...parents])];
}

type Pick = (kind: KindName, number: number) => RawEntity | undefined;

function build({ kind, name, id, first, second, value }: Wish, pick: Pick): RawEntity | undefined {
  const letter = 'abcd'.charAt(name);
  const more = id < 4 && kinds[kind].admin.verb !== 'membership' ? { id: uuid(id) } : {};
  const entity = (fields: JsonObject, to: { [field: string]: RawEntity | RawTarget | undefined } = {}) =>
    raw(kind, fields, { ...more, to: Object.fromEntries(Object.entries(to).flatMap(present)) });
  const under = (parent: KindName, field: string, fields: JsonObject) => {
    const owner = pick(parent, first);
    return owner === undefined ? undefined : entity(fields, { [field]: owner });
  };
  switch (kind) {
    case 'certificates':
      return entity({ cert: pem('CERTIFICATE', name), key: pem('PRIVATE KEY', value) });
    case 'ca_certificates':
      return entity({ cert: pem('CERTIFICATE', name), ...(value === 0 ? {} : { tags: [`t${value}`] }) });
    case 'snis':
      return under('certificates', 'certificate', { name: `${letter}.test` });
    case 'services': {
      const secure = { client_certificate: second > 2 ? pick('certificates', second) : undefined };
      const ca = pick('ca_certificates', first);
      const service = entity({ name: letter, host: `h${value}.test`, protocol: 'https' }, secure);
      if (ca === undefined || second % 2 === 0) return service;
      return {
        ...service,
        references: [...service.references, { field: 'ca_certificates', index: 0, to: { entity: ca } }],
      };
    }
    case 'upstreams':
      return entity({ name: `${letter}.up`, ...(value === 0 ? {} : { slots: 100 + value }) });
    case 'targets':
      return under('upstreams', 'upstream', { target: `10.0.0.${name}`, ...(value === 0 ? {} : { weight: value }) });
    case 'routes': {
      const service = second === 0 ? undefined : pick('services', first);
      return entity({ ...(second === 5 ? {} : { name: letter }), paths: [`/${value}`, `/${name}`] }, { service });
    }
    case 'consumers':
      return entity({
        ...(second === 1 ? {} : { username: letter }),
        ...(second === 0 ? {} : { custom_id: `c${first}` }),
      });
    case 'consumer_groups':
      return entity({ name: letter });
    case 'consumer_group_consumers': {
      const [group, consumer] = [pick('consumer_groups', first), pick('consumers', second)];
      if (group === undefined || consumer === undefined) return undefined;
      return entity({}, { consumer_group: group, consumer });
    }
    case 'keyauth_credentials':
      return under('consumers', 'consumer', { key: `key-${name}` });
    case 'basicauth_credentials':
      return under('consumers', 'consumer', { username: `user-${name}`, password: `pass-${value}` });
    case 'acls':
      return under('consumers', 'consumer', { group: `g${name}` });
    case 'key_sets':
      return entity({ name: letter });
    case 'keys':
      return entity({ name: letter, kid: `k${value}`, jwk: `{"kid":"k${value}"}` }, { set: pick('key_sets', second) });
    case 'vaults':
      return entity({ name: 'env', prefix: `${letter}-vault`, config: { prefix: `p${value}_` } });
    case 'plugins': {
      const scope = [
        {},
        { service: pick('services', first) },
        { route: pick('routes', first) },
        { consumer: pick('consumers', first) },
      ];
      const config = name % 2 === 0 ? { add: { headers: [`x:${value}`] } } : { minute: 5 + value, policy: 'local' };
      const fields = { name: name % 2 === 0 ? 'request-transformer' : 'rate-limiting', config };
      return entity(
        { ...fields, ...(second < 3 ? { instance_name: `i${second}` } : {}) },
        scope[value + (second % 2)] ?? {},
      );
    }
    default:
      return undefined;
  }
}

function present<T>([field, value]: [string, T | undefined]): [string, T][] {
  return value === undefined ? [] : [[field, value]];
}

function pem(label: string, number: number): string {
  return `-----BEGIN ${label}-----\nQUFB${number}\n-----END ${label}-----\n`;
}
