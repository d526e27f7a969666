import { expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { applied, deck, settled } from './changing.ts';
import type { Contract } from './destination.ts';
import { material } from './full.ts';

const ids = ['0a1b2c3d-0000-4000-8000-00000000000a', '0a1b2c3d-0000-4000-8000-00000000000b'] as const;

/** An entity of each kind that others name, under an id or none, with all that names it. */
function named(kind: KindName, id: string | null): JsonObject {
  const own = id === null ? {} : { id };
  const key = { name: 'k', kid: 'k', pem: { public_key: material.signing.publicKey } };
  const service = (more: JsonObject): JsonObject => ({ name: 'a', host: 'a.test', ...more });
  switch (kind) {
    case 'partials':
      return {
        partials: [{ ...own, name: 'p', type: 'redis-ee', config: { host: 'redis.test' } }],
        plugins: [
          {
            name: 'rate-limiting-advanced',
            partials: [{ name: 'p', path: 'config.redis' }],
            config: { limit: [5], window_size: [30], sync_rate: 0 },
          },
        ],
      };
    case 'consumer_groups':
      return {
        consumers: [{ username: 'ann' }],
        consumer_groups: [
          {
            ...own,
            name: 'gold',
            consumers: [{ username: 'ann' }],
            plugins: [{ name: 'rate-limiting', config: { minute: 5, policy: 'local' } }],
          },
        ],
      };
    case 'key_sets':
      return { key_sets: [{ ...own, name: 's' }], keys: [{ ...key, set: { name: 's' } }] };
    case 'keys':
      return { key_sets: [{ name: 's' }], keys: [{ ...own, ...key, set: { name: 's' } }] };
    case 'vaults':
      return { vaults: [{ ...own, name: 'env', prefix: 'my-env', config: { prefix: 'V_' } }] };
    case 'certificates':
      return {
        certificates: [{ ...own, ...material.web, snis: [{ name: 'web.test' }, { name: 'www.web.test' }] }],
        services: [service(id === null ? {} : { protocol: 'https', client_certificate: { id } })],
      };
    case 'ca_certificates':
      return {
        ca_certificates: [{ ...own, cert: material.authority.cert }],
        services: [service(id === null ? {} : { protocol: 'https', ca_certificates: [id] })],
      };
    case 'upstreams':
      return { upstreams: [{ ...own, name: 'u.test', targets: [{ target: '10.0.0.1:80' }] }] };
    case 'consumers':
      return {
        consumers: [
          {
            ...own,
            username: 'ann',
            custom_id: 'c-1',
            keyauth_credentials: [{ key: 'ann-key-1' }],
            acls: [{ group: 'g' }],
            basicauth_credentials: [{ username: 'ann', password: 'a-password' }],
          },
        ],
      };
    case 'routes':
      return {
        services: [service({ routes: [{ ...own, name: 'r', paths: ['/r'], plugins: [{ name: 'key-auth' }] }] })],
      };
    default:
      return {
        services: [
          service({
            ...own,
            plugins: [{ name: 'cors' }],
            routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'key-auth' }] }],
          }),
        ],
      };
  }
}

const everywhere = [
  'services',
  'routes',
  'consumers',
  'upstreams',
  'certificates',
  'ca_certificates',
  'key_sets',
  'keys',
  'vaults',
] as const;

/** Ids that are given for the first time, changed, and left out again. */
export function givenIds({ holds, mode, edition }: Contract): void {
  const kinds: readonly KindName[] =
    edition === 'enterprise' ? [...everywhere, 'consumer_groups', 'partials'] : everywhere;
  if (edition === 'enterprise' && mode !== 'dbless') {
    holds('links a partial that others own, and leaves it to them', async (bench) => {
      const id = ids[0];
      const theirs = { name: 'p', type: 'redis-ee', config: { host: 'redis.test' }, tags: ['theirs'] };
      await bench.ask('PUT', `/partials/${id}`, theirs);
      const config = { limit: [5], window_size: [30], sync_rate: 0 };
      const files = deck({ plugins: [{ name: 'rate-limiting-advanced', partials: [{ id }], config }] });
      await applied(bench, files, { tags: ['ours'] });
      expect(await bench.list('plugins')).toMatchObject([{ partials: [{ id }] }]);
      await settled(bench, files, { tags: ['ours'] });
      expect(await bench.list('partials')).toMatchObject([theirs]);
    });
  }
  for (const kind of kinds) {
    holds(`gives ${kind} another id, with all that names them`, async (bench) => {
      // Without an id, a live entity keeps the one that it has.
      for (const id of [null, ids[0], ids[1], null]) {
        const files = deck(named(kind, id));
        await applied(bench, files);
        const found = await bench.list(kind);
        expect(found).toHaveLength(1);
        if (id !== null) expect(found[0]).toMatchObject({ id });
        else if (mode !== 'dbless') await settled(bench, files);
      }
    });
  }
}
