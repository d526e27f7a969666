import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/model/json.ts';
import { certificate, publicPair } from '../support/pem.ts';
import type { Bench } from './bench.ts';

/** Material that is made once and used by many tests: what it holds does not matter to them. */
export const material = {
  web: certificate({ commonName: 'web.test', names: ['web.test'] }),
  renewed: certificate({ commonName: 'web.test', names: ['web.test'] }),
  client: certificate({ commonName: 'client.test' }),
  authority: certificate({ commonName: 'an authority', authority: true }),
  other: certificate({ commonName: 'another authority', authority: true }),
  signing: publicPair(),
};

const [clientId, authorityId] = [randomUUID(), randomUUID()];

/** A repository with every kind that the destination takes. */
export function everyKind(bench: Pick<Bench, 'mode' | 'edition'>): JsonObject {
  const isKonnect = bench.mode === 'konnect';
  return {
    _format_version: '3.0',
    certificates: [
      { ...material.web, snis: [{ name: 'web.test' }, { name: 'www.web.test' }] },
      { id: clientId, ...material.client },
    ],
    ca_certificates: [{ id: authorityId, cert: material.authority.cert }],
    services: [
      {
        name: 'orders',
        url: 'https://orders.test:8443/api',
        retries: 3,
        client_certificate: { id: clientId },
        ca_certificates: [authorityId],
        tags: ['shop', 'v1'],
        routes: [
          {
            name: 'orders-read',
            paths: ['/orders', '~/orders/\\d+$'],
            methods: ['GET', 'HEAD'],
            headers: { 'x-version': ['1', '2'] },
            plugins: [{ name: 'rate-limiting', config: { minute: 5, policy: 'local' } }],
          },
          { paths: ['/nameless'] },
        ],
        plugins: [{ name: 'cors', config: { origins: ['https://shop.test'] } }],
      },
      { name: 'plain', host: 'pool.test', path: '/x' },
    ],
    routes: [{ name: 'alone', hosts: ['alone.test'], paths: ['/alone'] }],
    plugins: [
      { name: 'correlation-id', instance_name: 'everywhere', config: { header_name: 'x-request-id' } },
      {
        name: 'request-transformer',
        service: 'plain',
        consumer: 'ann',
        config: { add: { headers: ['x-a:1', 'x-b:2'] } },
      },
    ],
    upstreams: [
      {
        name: 'pool.test',
        algorithm: 'least-connections',
        healthchecks: { active: { http_path: '/health', healthy: { interval: 5 } } },
        targets: [{ target: '10.0.0.1:8080', weight: 10 }, { target: 'b.pool.test' }, { target: '[::1]:80' }],
      },
    ],
    consumers: [
      {
        username: 'ann',
        custom_id: 'a-1',
        tags: ['people'],
        keyauth_credentials: [{ key: 'ann-key-1' }, { key: 'ann-key-2' }],
        basicauth_credentials: [{ username: 'ann', password: 'first-password' }],
        hmacauth_credentials: [{ username: 'ann-hmac', secret: 'hmac-secret-1' }],
        jwt_secrets: [{ key: 'ann-jwt', secret: 'jwt-secret-1' }],
        acls: [{ group: 'readers' }, { group: 'writers' }],
        ...(isKonnect
          ? {}
          : {
              oauth2_credentials: [
                {
                  name: 'app',
                  client_id: 'ann-app',
                  client_secret: 'oauth-secret-1',
                  redirect_uris: ['https://app.test/back'],
                },
              ],
            }),
      },
      { custom_id: 'only-a-custom-id' },
    ],
    key_sets: [{ name: 'signing' }],
    keys: [
      {
        name: 'signing-1',
        kid: 'k1',
        set: { name: 'signing' },
        pem: { public_key: material.signing.publicKey, private_key: material.signing.key },
      },
    ],
    vaults: [{ name: 'env', prefix: 'app-env', config: { prefix: 'APP_' } }],
    ...(bench.edition === 'enterprise' ? enterpriseKinds : {}),
  };
}

const enterpriseKinds: JsonObject = {
  consumer_groups: [
    {
      name: 'gold',
      consumers: [{ username: 'ann' }],
      plugins: [{ name: 'rate-limiting', config: { minute: 50, policy: 'local' } }],
    },
  ],
  partials: [
    { name: 'redis', type: 'redis-ee', config: { host: 'redis.test', port: 6379, password: 'partial-password' } },
  ],
};
