import { describe, expect, test } from 'vitest';
import { bareEntity, bareRecord } from '../../src/schema/bare.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { fillDefaults } from '../../src/schema/defaults.ts';
import { recordOf } from './schemas.ts';

const schema = recordOf(
  [
    { retries: { type: 'integer', default: 5 } },
    { path: { type: 'string' } },
    { methods: { type: 'set', elements: { type: 'string' }, default: ['GET', 'PUT'] } },
    {
      queue: {
        type: 'record',
        required: true,
        default: { size: 200 },
        fields: [{ size: { type: 'integer', default: 1 } }, { wait: { type: 'number', default: 3 } }],
      },
    },
    {
      redis: {
        type: 'record',
        required: true,
        fields: [{ host: { type: 'string' } }, { port: { type: 'integer', default: 6379 } }],
      },
    },
    { items: { type: 'array', elements: { type: 'record', fields: [{ n: { type: 'integer', default: 7 } }] } } },
  ],
  {
    shorthand_fields: [
      { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
    ],
  },
);

describe('what a server fills in by itself is left out', () => {
  test.each([
    [{ retries: 5, path: null, methods: ['PUT', 'GET'] }, {}],
    [
      { retries: null, path: '/', methods: ['GET'] },
      { retries: null, path: '/', methods: ['GET'] },
    ],
    [{ queue: { size: 200, wait: 3 }, redis: { host: null, port: 6379 }, redis_host: null }, {}],
    [{ redis: { host: 'cache', port: 6379 }, redis_host: 'cache' }, { redis: { host: 'cache' } }],
    [{ redis_host: 'cache' }, { redis: { host: 'cache' } }],
    // A record's own default counts only where there is no record at all.
    [{ queue: { size: 200, wait: 4 } }, { queue: { size: 200, wait: 4 } }],
    [{ queue: { size: 1, wait: 3 } }, { queue: { size: 1, wait: 3 } }],
    [
      { items: [{ n: 7 }, { n: 8 }], other: null },
      { items: [{ n: 7 }, { n: 8 }], other: null },
    ],
  ])('%j', (value, bare) => {
    expect(bareRecord(schema, value)).toEqual(bare);
    expect(fillDefaults(schema, bare)).toEqual({
      ...fillDefaults(schema, value),
      ...('methods' in value && value.methods?.[0] === 'PUT' ? { methods: ['GET', 'PUT'] } : {}),
    });
  });

  test('by the schemas of a Kong', async () => {
    const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
    const plugin = { name: 'rate-limiting', enabled: true, config: { minute: 5, redis_host: null, policy: 'local' } };
    expect(bareEntity(schemas, 'plugins', plugin)).toEqual({ name: 'rate-limiting', config: { minute: 5 } });
    expect(bareEntity(schemas, 'services', { host: 'a', port: 80, protocol: 'https', retries: 5 })).toEqual({
      host: 'a',
      protocol: 'https',
    });
    expect(bareEntity(schemas, 'plugins', { name: 'nobodys', config: { a: null } })).toEqual({
      name: 'nobodys',
      config: { a: null },
    });
  });
});
