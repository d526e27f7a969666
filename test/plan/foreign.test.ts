import { describe, expect, test } from 'vitest';
import type { RawEntity } from '../../src/model/assemble.ts';
import { declaredName, declaredNames } from '../../src/model/declared-names.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import type { State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { planFrom, raw, stateFrom } from './support.ts';

const enterprise = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
const policy = { prune: true, adopt: false, maxDelete: { share: 1, atLeast: 0 } };

/** Why a plan is held, after a branch that once declared the given states; null where it is not. */
function held(live: State, target: State, ...past: readonly State[]): string | null {
  const names = new Set(past.flatMap(declaredNames));
  const { plan } = planFrom(live, target, {
    policy,
    schemas: enterprise,
    declaredEarlier: ({ kind, identity }) => names.has(declaredName(kind, identity)),
    namesEarlier: names,
  });
  return plan.held?.message ?? null;
}

const service = raw('services', { name: 'shop', host: 'shop.test' });
const consumer = raw('consumers', { username: 'web' });
const other = raw('consumers', { username: 'other' });
const all = (...entities: readonly RawEntity[]) => stateFrom([service, consumer, other, ...entities]);
const key = (value: string, to = consumer) => raw('keyauth_credentials', { key: value }, { to: { consumer: to } });
const envKey = (value: string, to = consumer) =>
  raw('keyauth_credentials', { key: value }, { to: { consumer: to }, env: ['/key'] });

interface Known {
  readonly kind: KindName;
  readonly field: string;
  readonly more?: JsonObject;
  readonly to?: { readonly [field: string]: RawEntity };
}

const upstream = raw('upstreams', { name: 'up' });
const kindsKnown: readonly Known[] = [
  { kind: 'keyauth_credentials', field: 'key', to: { consumer } },
  { kind: 'jwt_secrets', field: 'key', to: { consumer } },
  { kind: 'oauth2_credentials', field: 'client_id', more: { name: 'app' }, to: { consumer } },
  { kind: 'basicauth_credentials', field: 'username', more: { password: 'p' }, to: { consumer } },
  { kind: 'hmacauth_credentials', field: 'username', to: { consumer } },
  { kind: 'mtls_auth_credentials', field: 'subject_name', to: { consumer } },
  { kind: 'acls', field: 'group', to: { consumer } },
  { kind: 'vaults', field: 'prefix', more: { name: 'env' } },
  { kind: 'certificates', field: 'cert', more: { key: 'k' } },
  { kind: 'ca_certificates', field: 'cert' },
  { kind: 'consumers', field: 'username' },
  { kind: 'consumers', field: 'custom_id' },
  { kind: 'services', field: 'name', more: { host: 'h.test' } },
  { kind: 'routes', field: 'name', more: { paths: ['/x'] }, to: { service } },
  { kind: 'upstreams', field: 'name' },
  { kind: 'targets', field: 'target', to: { upstream } },
  { kind: 'consumer_groups', field: 'name' },
];

describe.each(kindsKnown)('what is known by $field of $kind from the environment', ({ kind, field, more, to }) => {
  const one = (value: string, env: boolean) =>
    raw(
      kind,
      { ...more, [field]: value },
      { ...(to === undefined ? {} : { to }), ...(env ? { env: [`/${field}`] } : {}) },
    );
  const state = (...entities: readonly RawEntity[]) => all(upstream, ...entities);

  test('may have another value', () => {
    expect(held(state(one('old.test', false)), state(one('new.test', true)))).toBeNull();
  });

  test('may go together with its variable', () => {
    const past = state(one('not-set.test', true));
    expect(held(state(one('old.test', false)), state(), past)).toBeNull();
    expect(held(state(one('old.test', false)), state())).toMatch(/^1 entity that no revision/);
  });

  test('does not make another one beside it ours', () => {
    const live = state(one('same.test', false), one('foreign.test', false));
    expect(held(live, state(one('same.test', true)), state(one('same.test', true)))).toMatch(/^1 entity that no/);
    expect(held(state(one('old.test', false), one('foreign.test', false)), state(one('new.test', true)))).toMatch(
      /^1 entity that no revision of the branch declared would be deleted \(which of these cannot be told, .*: .*, /,
    );
  });
});

describe('a credential with a value of the environment', () => {
  test('makes none of another consumer, and none that is written, ours', () => {
    const live = all(key('old', other));
    expect(held(live, all(envKey('new')))).toMatch(/^1 entity/);
    expect(held(all(key('old')), all(key('new')), all(key('newer')))).toMatch(/^1 entity/);
  });

  test('may go, when it is still set, and is then no room for another', () => {
    const past = all(envKey('old'));
    expect(held(all(key('old')), all(), past)).toBeNull();
    expect(held(all(key('old'), key('foreign')), all(), past)).toMatch(/^1 entity that .* deleted: key-auth/);
  });

  test('goes with another that is written', () => {
    const past = all(key('literal'), envKey('not set'));
    expect(held(all(key('literal'), key('old')), all(), past)).toBeNull();
  });

  test('goes where several were, as many as one revision had', () => {
    const past = [all(envKey('a')), all(envKey('b'), envKey('c'))];
    expect(held(all(key('x'), key('y')), all(), ...past)).toBeNull();
    expect(held(all(key('x'), key('y'), key('z')), all(), ...past)).toMatch(/^1 entity that no/);
  });
});

test('what belongs to a consumer with a name of the environment goes with it', () => {
  const named = (username: string) => raw('consumers', { username }, { env: ['/username'] });
  const withParts = (one: RawEntity) =>
    stateFrom([
      service,
      one,
      raw('acls', { group: 'gold' }, { to: { consumer: one } }),
      key('literal', one),
      raw('plugins', { name: 'rate-limiting', config: { minute: 5 } }, { to: { consumer: one } }),
    ]);
  const live = withParts(raw('consumers', { username: 'old' }));
  expect(held(live, withParts(named('new')))).toBeNull();
  expect(held(live, stateFrom([service]), withParts(named('not set')))).toBeNull();
  expect(held(live, stateFrom([service]))).toMatch(/^4 entities that no revision/);
});
