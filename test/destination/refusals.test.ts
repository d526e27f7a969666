import { expect, test } from 'vitest';
import { isConflict, objections } from '../../src/destination/writing/objections.ts';
import { refusalDiagnostics } from '../../src/destination/writing/refusals.ts';
import { allEntities } from '../../src/model/state.ts';
import type { FailureFacts } from '../../src/platform/failure.ts';
import { bundledSchemas, offerOf } from '../contract/bench.ts';
import { deck } from '../contract/changing.ts';

function refusal(body: unknown, status = 400): FailureFacts {
  return {
    class: 'rejected',
    code: `http-${status}`,
    message: `PUT http://gateway/services/1 answered ${status}`,
    hint: '',
    method: 'PUT',
    url: 'http://gateway/services/1',
    status,
    retryAfterMs: null,
    body,
  };
}

function told(body: unknown, status?: number): readonly string[] {
  return objections(refusal(body, status)).map(({ path, words }) => `${path.join('.')}: ${words}`);
}

const taken = 'another entity already has this value';

test.each([
  [
    'fields',
    { code: 2, fields: { host: 'is required', config: { minute: 'no number' } } },
    ['host: is required', 'config.minute: no number'],
  ],
  ['lists with holes', { code: 2, fields: { paths: [null, 'no path'] } }, ['paths.1: no path']],
  ['the whole', { code: 2, fields: { '@entity': ['one of a, b', 'and c'] } }, [': one of a, b', ': and c']],
  ['a part as a whole', { code: 2, fields: { config: { '@entity': ['odd'] } } }, ['config: odd']],
  ['a taken value, without it', { code: 5, message: 'key="hidden"', fields: { key: 'hidden' } }, [`key: ${taken}`]],
  ['a taken scope', { code: 5, fields: { name: 'cors', route: null } }, [`name: ${taken}`]],
  ['a taken id', { code: 3, fields: { id: 'x' } }, ['id: another entity has this id']],
  ['a missing reference', { code: 4, fields: { service: { id: 'x' } } }, ['service: it refers to what is not there']],
  [
    'what is still needed',
    { code: 4, fields: { '@referenced_by': 'routes' } },
    [': entities of the kind routes still refer to it'],
  ],
  [
    'an unknown name',
    { code: 13, fields: { service: { name: 'nothing is called so' } } },
    ['service.name: nothing is called so'],
  ],
  ['an odd name', { code: 10, name: 'invalid unique name', message: 'hidden' }, [': invalid unique name']],
  ['what is referred to', { code: 19, message: 'is in use' }, [': is in use']],
  ['a message alone', { message: 'the body is odd' }, [': the body is odd']],
  ['a page of a proxy', '<html>no</html>', [': PUT http://gateway/services/1 answered 400']],
])('reads what Kong says of %s', (_, body, expected) => {
  expect(told(body)).toEqual(expected);
});

test.each([
  [
    'fields',
    {
      code: 3,
      message: 'validation error',
      details: [{ type: 'ERROR_TYPE_FIELD', field: 'config.limits[1]', messages: ['no number', 'odd'] }],
    },
    ['config.limits.1: no number', 'config.limits.1: odd'],
  ],
  ['the whole', { code: 3, details: [{ type: 'ERROR_TYPE_ENTITY', messages: ['one of a, b'] }] }, [': one of a, b']],
  [
    'a taken value, without it',
    {
      code: 3,
      message: 'data constraint error',
      details: [
        {
          type: 'ERROR_TYPE_REFERENCE',
          field: 'key',
          messages: ["key (type: unique) constraint failed for value 'hidden'"],
        },
      ],
    },
    [`key: ${taken}`],
  ],
  ['nothing', { code: 5, message: '', details: [] }, [': PUT http://gateway/services/1 answered 400']],
  [
    'parameters',
    {
      status: 400,
      title: 'Bad Request',
      detail: 'odd',
      invalid_parameters: [{ field: 'name', rule: 'required', reason: 'is too short' }],
    },
    ['name: is too short'],
  ],
  [
    'a problem',
    { status: 403, title: 'Forbidden', detail: 'not for this token', instance: 'kong:trace:1' },
    [': not for this token'],
  ],
  ['the gateway before it', { message: 'Unauthorized', status: 401 }, [': Unauthorized']],
])('reads what Konnect says of %s', (_, body, expected) => {
  expect(told(body)).toEqual(expected);
});

test('knows a conflict in every form that it comes in', () => {
  expect(isConflict(refusal(null, 409))).toBe(true);
  expect(isConflict(refusal({ code: 3, fields: { id: 'x' } }))).toBe(true);
  const unique = { type: 'ERROR_TYPE_REFERENCE', field: 'name', messages: ['(type: unique) constraint failed'] };
  expect(isConflict(refusal({ code: 3, message: 'data constraint error', details: [unique] }))).toBe(true);
  expect(isConflict(refusal({ code: 2, fields: { host: 'is required' } }))).toBe(false);
  expect(isConflict(refusal({ code: 3, message: 'validation error', details: [] }))).toBe(false);
});

test('repeats no secret of an entity: of its kind, of its schema, from the environment', async () => {
  const schemas = (await bundledSchemas()).enterprise;
  const transform = { add: { headers: ['authorization:Bearer header-of-plugin'] } };
  const files = deck({
    consumers: [
      {
        username: 'ann',
        keyauth_credentials: [{ key: 'key-of-ann' }],
        hmacauth_credentials: [{ username: 'h', secret: 'secret-of-ann' }],
      },
    ],
    vaults: [{ name: 'hcv', prefix: 'kept', config: { host: 'h.test', kv: 'v1', token: 'token-of-vault' } }],
    plugins: [
      {
        name: 'openid-connect',
        config: { issuer: 'https://i.test', client_id: ['client-of-plugin'], client_secret: ['secret-of-plugin'] },
      },
    ],
    services: [
      { name: 'a', plugins: [{ name: 'request-transformer', config: transform }], host: `\${{ env "DECK_SECRET" }}` },
    ],
  });
  const scope = {
    include: [],
    excludeFiles: [],
    excludeKinds: [],
    excludeTags: [],
    tags: [],
    workspace: null,
    controlPlane: null,
  };
  const { state } = offerOf(files, scope, schemas).build(null);
  const secrets = [
    'key-of-ann',
    'header-of-plugin',
    'secret-of-ann',
    'token-of-vault',
    'secret-of-plugin',
    'from-the-environment',
  ];
  const words = `expected something else than ${secrets.join(', ')}`;
  const refuser = { name: 'prod', schemas, connection: ['token-of-admin'], live: [] };
  for (const entity of allEntities(state)) {
    const [diagnostic] = refusalDiagnostics(refuser, state, entity, [{ path: [], words: `${words}, token-of-admin` }]);
    expect(diagnostic?.message + (diagnostic?.entities[0]?.name ?? '')).not.toContain('from-the-environment');
    // Of this entity and of all others, and what the server was reached with.
    expect(diagnostic?.message).toMatch(/expected something else than \*{3}(, \*{3}){6}$/);
  }
});
