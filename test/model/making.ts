import {
  type AssembleOptions,
  assemble,
  type RawEntity,
  type RawReference,
  type RawTarget,
} from '../../src/model/assemble.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { kinds } from '../../src/model/kinds.ts';
import type { State } from '../../src/model/state.ts';

/** A raw entity. References are given by their field. */
export function raw(
  kind: KindName,
  fields: JsonObject,
  references: Readonly<Record<string, RawTarget | readonly RawTarget[]>> = {},
  id: string | null = null,
): RawEntity {
  const list = Object.entries(references).flatMap(([field, to]): readonly RawReference[] =>
    Array.isArray(to)
      ? to.map((one: RawTarget, index) => ({ field, index, to: one }))
      : [{ field, index: null, to: to as RawTarget }],
  );
  return { kind, id, fields, references: list, made: {}, fromEnvironment: new Map(), source: null };
}

/** The state of raw entities, without a workspace or tags unless they are given. */
export function stateFrom(entities: readonly RawEntity[], options: Partial<AssembleOptions> = {}): State {
  return assemble(entities, { workspace: null, selectTags: [], ...options });
}

/** One entity of each kind, each with the entities that it needs, all with natural keys. */
export function oneOfEach(): readonly RawEntity[] {
  const name = (name: string) => ({ name });
  const fields: { readonly [K in KindName]: readonly [JsonObject, Readonly<Record<string, RawTarget>>] } = {
    services: [{ name: 's', host: 'h' }, {}],
    routes: [{ name: 'r' }, { service: name('s') }],
    consumers: [{ username: 'c' }, {}],
    consumer_groups: [{ name: 'g' }, {}],
    consumer_group_consumers: [{}, { consumer: name('c'), consumer_group: name('g') }],
    keyauth_credentials: [{ key: 'made-up' }, { consumer: name('c') }],
    basicauth_credentials: [{ username: 'u', password: 'made-up' }, { consumer: name('c') }],
    hmacauth_credentials: [{ username: 'u' }, { consumer: name('c') }],
    jwt_secrets: [{ key: 'k' }, { consumer: name('c') }],
    oauth2_credentials: [{ name: 'o', client_id: 'i' }, { consumer: name('c') }],
    acls: [{ group: 'buyers' }, { consumer: name('c') }],
    mtls_auth_credentials: [{ subject_name: 'x.example.com' }, { consumer: name('c') }],
    plugins: [{ name: 'cors' }, { route: name('r') }],
    upstreams: [{ name: 'u' }, {}],
    targets: [{ target: '192.0.2.1:80' }, { upstream: name('u') }],
    certificates: [{ cert: 'a certificate', key: 'a key' }, {}],
    snis: [{ name: 'x.example.com' }, { certificate: { entity: raw('certificates', {}) } }],
    ca_certificates: [{ cert: 'an authority' }, {}],
    vaults: [{ name: 'env', prefix: 'p' }, {}],
    keys: [{ name: 'k', kid: '1' }, { set: name('ks') }],
    key_sets: [{ name: 'ks' }, {}],
    filter_chains: [{ name: 'f' }, { service: name('s') }],
    partials: [{ name: 'p', type: 'redis-ce' }, {}],
    licenses: [{ payload: 'a license' }, {}],
    rbac_roles: [{ name: 'admins' }, {}],
    rbac_role_endpoints: [{ workspace: '*', endpoint: '/services' }, { role: name('admins') }],
    degraphql_routes: [{ uri: '/me', query: 'query { me }' }, { service: name('s') }],
    graphql_ratelimiting_cost_decorations: [{ type_path: 'Query.a' }, { service: name('s') }],
    custom_plugins: [{ name: 'mine' }, {}],
    cloned_plugins: [{ name: 'twin' }, {}],
    ai_models: [{ name: 'model' }, {}],
  };
  const made = new Map<KindName, RawEntity>();
  for (const kind of Object.values(kinds)) {
    const [own, references] = fields[kind.name];
    made.set(kind.name, raw(kind.name, own, references));
  }
  const certificate = made.get('certificates');
  if (certificate !== undefined)
    made.set('snis', raw('snis', { name: 'x.example.com' }, { certificate: { entity: certificate } }));
  return [...made.values()];
}
