import { describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Built } from '../../src/build/built.ts';
import { riskNotes } from '../../src/build/risk/risk-notes.ts';
import { forReview } from '../../src/build/stand-ins/for-review.ts';
import { digestOf } from '../../src/model/state.ts';
import { plan } from '../../src/plan/make-plan.ts';
import { reviewComment } from '../../src/review/comment.ts';
import type { Review } from '../../src/review/review.ts';
import { verdictOf } from '../../src/review/verdict.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { readOf, secretMarker } from './support.ts';

const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });

/** A file in which every secret is made by `secret` from a name of its own, at the places where secrets are. */
function corpus(secret: (name: string) => string): string {
  return `_format_version: "3.0"
services:
  - name: shop
    host: ${secret('HOST')}
    path: ${secret('PATH')}
    routes:
      - name: orders
        hosts: [${secret('ROUTE_HOST')}]
        paths: [/orders]
        tags: [${secret('TAG')}]
        headers: { x-team: [${secret('HEADER')}] }
consumers:
  - username: ${secret('USER')}
    custom_id: ${secret('CUSTOM')}
    keyauth_credentials: [{ key: ${secret('KEY_1')} }, { key: ${secret('KEY_2')} }]
    basicauth_credentials: [{ username: basic, password: ${secret('PASSWORD')} }]
    hmacauth_credentials: [{ username: hmac, secret: ${secret('HMAC')} }]
    jwt_secrets: [{ key: jwt, secret: ${secret('JWT')} }]
    oauth2_credentials: [{ name: app, client_id: client, client_secret: ${secret('OAUTH')}, redirect_uris: ["https://a.test"] }]
    acls: [{ group: ${secret('GROUP')} }]
plugins:
  - name: rate-limiting
    config: { minute: 5, policy: redis, redis: { host: ${secret('REDIS_HOST')}, password: ${secret('REDIS')} } }
  - name: openid-connect
    config: { issuer: "https://id.example.com", client_id: [app], client_secret: [${secret('OIDC')}], session_secret: ${secret('SESSION')} }
  - name: http-log
    config: { http_endpoint: "https://logs.example.com", headers: { Authorization: ${secret('LOG')} } }
upstreams:
  - name: up
    host_header: ${secret('UPSTREAM')}
    targets: [{ target: "10.0.0.1:80" }]
certificates:
  - cert: ${secret('CERT')}
    key: ${secret('CERT_KEY')}
    snis: [{ name: a.example.com }]
vaults:
  - name: hcv
    prefix: vault
    config: { host: vault.internal, token: ${secret('VAULT')} }
keys:
  - name: signing
    kid: one
    jwk: ${secret('JWK')}
`;
}

const fromEnvironment = (more: string) => corpus((name) => `'\${{ env "DECK_${name}${more}" }}'`);

/** Secrets that stand in the files themselves, at the places that are secret by their kind; elsewhere plain words. */
const secretByPlace = /^(?:KEY_\d|PASSWORD|HMAC|JWT|OAUTH|REDIS|OIDC|SESSION|LOG|CERT_KEY|VAULT|JWK)$/;
const inFiles = (more: string) =>
  corpus((name) => (secretByPlace.test(name) ? `${secretMarker}-${name}${more}` : `plain-${name.toLowerCase()}`));

const empty = '_format_version: "3.0"\nservices: [{ name: other, host: a.test }]\n';

function built(text: string, real: boolean): Built {
  const bytes = new TextEncoder().encode(text);
  return build(
    { revision: null, entries: new Map([['kong.yaml', { type: 'file', bytes, blob: null }]]) },
    {
      scope: null,
      schemas,
      rules: {},
      environment: (name) => `${secretMarker}-${name.toLowerCase()}`,
      standIns: !real,
      instant: 0,
    },
  );
}

function said(base: string, head: string, live: string): string {
  const [before, after] = [built(base, false), built(head, false)];
  const inForce = built(live, true).state;
  const sides = forReview(readOf(inForce, 0), before.state, after.state, inForce);
  const { plan: made } = plan({
    destination: 'prod',
    mode: 'database',
    revision: null,
    state: sides.state,
    digest: digestOf(sides.state),
    live: sides.live,
    schemas,
    policy: { prune: true, adopt: false, maxDelete: { share: 0.1, atLeast: 1 } },
    exclude: { kinds: [], tags: [], prune: false },
    declaredEarlier: () => false,
  });
  const risks = riskNotes(before.state, after.state, { schemas, instant: 0 });
  const review: Review = {
    head: 'a'.repeat(40),
    base: 'b'.repeat(40),
    conflicts: [],
    destinations: [
      {
        name: 'prod',
        base: before,
        head: after,
        plan: made,
        liveAt: 0,
        noPlan: null,
        risks,
        notCompared: sides.notCompared,
      },
    ],
    at: 0,
  };
  const verdict = verdictOf(review, { fail: ['danger', 'warning', 'notice'] });
  const options = { marker: '<!-- m -->', limit: 1_000_000, folds: true, fail: [], link: () => null };
  return `${verdict.description}\n${reviewComment(review, verdict, options).body}`;
}

const [one, other] = [fromEnvironment(''), fromEnvironment('_NEW')];
const [written, rewritten] = [inFiles(''), inFiles('-new')];

describe('no secret is in a comment or a verdict', () => {
  test.each([
    ['all is new', empty, one, empty],
    ['all is removed', one, empty, one],
    ['all is of other variables', one, other, one],
    ['nothing differs', one, one, one],
    ['nothing is live yet', one, one, empty],
    ['what was in files comes from the environment', written, one, written],
    ['what came from the environment is in files', one, written, one],
    ['all secrets of files are others', written, rewritten, written],
    ['secrets of files are removed', written, empty, written],
    ['secrets of files are new', empty, written, empty],
    ['what is live is not what the branch has', written, rewritten, one],
    ['the branch is empty and something is live', empty, empty, written],
  ])('where %s', (_, base, head, live) => {
    expect(said(base, head, live)).not.toContain(secretMarker);
  });

  test('though much is said', () => {
    expect(said(one, other, one).match(/secret\)/g)?.length).toBeGreaterThan(10);
    expect(said(one, one, one)).toContain('nothing to do');
  });
});
