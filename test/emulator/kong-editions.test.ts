import { describe, expect, it } from 'vitest';
import { id, plays, text, wrong } from './plays.ts';

describe('a DB-less node', () => {
  const config = (parts: object) => ({ _format_version: '3.0', ...parts });

  it('refuses what needs a database where Kong does', () =>
    plays(
      [
        [
          'POST',
          '/config',
          config({ plugins: [{ name: 'acme', config: { account_email: 'a@b.test', storage: 'kong' } }] }),
          400,
          { fields: { plugins: [{ '@entity': [text] }] } },
        ],
        [
          'POST',
          '/config',
          config({ plugins: [{ name: 'rate-limiting', config: { minute: 1, policy: 'cluster' } }] }),
          400,
          { fields: { plugins: [{ config: { policy: text } }] } },
        ],
        [
          'POST',
          '/schemas/plugins/validate',
          { name: 'rate-limiting', config: { minute: 1, policy: 'cluster' } },
          400,
          wrong({ config: { policy: text } }),
        ],
      ],
      { flavour: 'dbless' },
    ));

  it('takes a text as configuration, and fails on what it cannot hash', () =>
    plays(
      [
        ['POST', '/config', { config: '' }, 400, { code: 14, fields: { error: text } }],
        ['POST', '/config', { config: 5 }, 400, { code: 14, fields: { error: text } }],
        ['POST', '/config', { config: { _format_version: '3.0' } }, 500],
        ['POST', '/config', { config: null }, 500],
        ['PUT', '/config', {}, 405],
        ['POST', '/config', config({ services: {} }), 201],
        ['POST', '/config', config({ oauth2_tokens: [] }), 201],
        ['POST', '/config', config({ parameters: [] }), 400, { fields: { parameters: text } }],
      ],
      { flavour: 'dbless' },
    ));

  it('refuses every write of every kind, after it has looked at the body', () =>
    plays(
      [
        [
          'POST',
          '/config',
          config({
            upstreams: [{ name: 'u.test', targets: [{ target: 'a.test:1' }] }],
            consumers: [{ username: 'c', keyauth_credentials: [{ key: 'k' }] }],
          }),
          201,
        ],
        ['POST', '/upstreams/u.test/targets', { target: 'b.test' }, 405, { code: 12 }],
        ['POST', '/upstreams/u.test/targets', {}, 400, wrong({ target: text })],
        ['PUT', '/upstreams/u.test/targets/a.test:1', { weight: 1 }, 405, { code: 12 }],
        ['DELETE', '/upstreams/u.test/targets/a.test:1', undefined, 405, { code: 12 }],
        ['PUT', '/consumers/c/key-auth/k', {}, 405, { code: 12 }],
        ['DELETE', '/consumers/c/key-auth/k', undefined, 405, { code: 12 }],
        ['DELETE', '/consumers/c/key-auth/none', undefined, 404],
        ['DELETE', '/upstreams/none', undefined, 204],
        ['PUT', '/key-sets/x', {}, 405, { code: 12 }],
        ['PUT', '/debug/cluster/log-level/debug', {}, 405],
        ['PUT', '/upstreams/u.test/targets/a.test:1/healthy', undefined, 204],
      ],
      { flavour: 'dbless' },
    ));
});

describe('an Enterprise gateway', () => {
  const enterprise = { edition: 'enterprise', version: '3.11' } as const;

  it('says its version as it does, also within a workspace', () =>
    plays(
      [
        ['GET', '/', undefined, 200, { version: '3.11.0.0-enterprise-edition', edition: 'enterprise' }],
        ['PUT', '/workspaces/w', { comment: 'a' }, 200, { comment: 'a' }],
        ['PATCH', '/workspaces/w', { comment: 'b' }, 200, { comment: 'b' }],
        ['POST', '/workspaces', { name: 'a b' }, 400, wrong({ name: text })],
        ['GET', '/w/kong', undefined, 200, { edition: 'enterprise' }],
        ['PUT', '/w/services/s', { host: 'a.test' }, 200],
        ['GET', '/workspaces/w/meta', undefined, 200, { counts: { services: 1 } }],
        ['GET', '/services/s', undefined, 404],
        ['GET', '/license/report', undefined, 200, { kong_version: text }],
      ],
      enterprise,
    ));

  it('keeps users and what they may do', () =>
    plays(
      [
        ['PUT', '/rbac/roles/reader', {}, 200],
        [
          'POST',
          '/rbac/roles/reader/endpoints',
          { endpoint: '/services', actions: 'read' },
          201,
          { actions: ['read'] },
        ],
        ['POST', '/rbac/roles/reader/entities', { entity_id: '*', entity_type: 'services', actions: 'read' }, 201],
        [
          'POST',
          '/rbac/users',
          { name: 'u', user_token: 'plain' },
          201,
          { enabled: true, user_token: expect.not.stringContaining('plain') },
        ],
        ['POST', '/rbac/users/u/roles', { roles: 'nope' }, 400],
        ['POST', '/rbac/users/u/roles', { roles: 'reader' }, 201, { roles: [{ name: 'reader' }] }],
        ['DELETE', '/rbac/users/u/roles', { roles: 'reader' }, 204],
        ['GET', '/rbac/users/u/roles', undefined, 200, { roles: [] }],
      ],
      enterprise,
    ));

  it('knows which plugins use a partial, and keeps it as long as one does', () =>
    plays(
      [
        ['POST', '/partials', { id: id(1), name: 'p', type: 'redis-ee', config: { host: 'r.test' } }, 201],
        [
          'POST',
          '/plugins',
          { name: 'rate-limiting-advanced', config: { limit: [1], window_size: [1] }, partials: [{ id: id(9) }] },
          400,
          { code: 4 },
        ],
        [
          'POST',
          '/plugins',
          {
            id: id(2),
            name: 'rate-limiting-advanced',
            config: { limit: [1], window_size: [1] },
            partials: [{ id: id(1) }],
          },
          201,
        ],
        ['GET', '/partials/p/links', undefined, 200, { count: 1, data: [{ id: id(2) }] }],
        ['DELETE', '/partials/p', undefined, 400, { code: 19 }],
        ['DELETE', `/plugins/${id(2)}`, undefined, 204],
        ['DELETE', '/partials/p', undefined, 204],
      ],
      enterprise,
    ));

  it.each([
    ['3.9', 404, 404],
    ['3.10', 200, 404],
    ['3.15', 200, 200],
  ])('of %s has what came with it', (version, partials, custom) =>
    plays(
      [
        ['GET', '/partials', undefined, partials],
        ['GET', '/custom-plugins', undefined, custom],
        ['GET', '/ai-models', undefined, 404],
      ],
      { edition: 'enterprise', version },
    ),
  );
});
