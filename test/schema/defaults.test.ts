import { describe, expect, it } from 'vitest';
import { answeredForm, fillDefaults } from '../../src/schema/defaults.ts';
import { recordOf } from './schemas.ts';

const schema = recordOf(
  [
    { id: { type: 'string', auto: true } },
    { retries: { type: 'integer', default: 5 } },
    { host: { type: 'string', required: true } },
    { path: { type: 'string' } },
    { tags: { type: 'set', elements: { type: 'string' } } },
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
    { extra: { type: 'record', fields: [{ a: { type: 'integer', default: 1 } }] } },
    { items: { type: 'array', elements: { type: 'record', fields: [{ n: { type: 'integer', default: 7 } }] } } },
    { limits: { type: 'map', values: { type: 'record', fields: [{ minute: { type: 'number' } }] } } },
  ],
  {
    shorthand_fields: [
      { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
    ],
  },
);

describe('defaults', () => {
  it('are filled in as a server does', () => {
    expect(fillDefaults(schema, { host: 'a' })).toEqual({
      retries: 5,
      host: 'a',
      path: null,
      tags: null,
      queue: { size: 200, wait: 3 },
      redis: { host: null, port: 6379 },
      extra: null,
      items: null,
      limits: null,
    });
  });

  it('do not stand in for a null that was written', () => {
    const filled = fillDefaults(schema, { host: 'a', retries: null, queue: { wait: null }, redis: null });
    expect(filled).toMatchObject({ retries: null, queue: { size: 1, wait: null }, redis: null });
  });

  it('reach into records wherever they are', () => {
    const filled = fillDefaults(schema, { extra: {}, items: [{}, { n: null }], limits: { sms: {} } });
    expect(filled).toMatchObject({
      extra: { a: 1 },
      items: [{ n: 7 }, { n: null }],
      limits: { sms: { minute: null } },
    });
  });

  it('leave what is required, what the server makes, and what is not known', () => {
    const filled = fillDefaults(schema, { unknown: 1 });
    expect(filled).toHaveProperty('unknown', 1);
    expect(filled).not.toHaveProperty('host');
    expect(filled).not.toHaveProperty('id');
  });

  it('take the duplicates out of sets', () => {
    expect(fillDefaults(schema, { tags: ['b', 'a', 'b'] })).toMatchObject({ tags: ['b', 'a'] });
  });

  it('move an old name to the new one, and answer both', () => {
    const filled = fillDefaults(schema, { redis_host: 'r' });
    expect(filled).toMatchObject({ redis: { host: 'r', port: 6379 } });
    expect(filled).not.toHaveProperty('redis_host');
    expect(answeredForm(schema, filled)).toMatchObject({ redis_host: 'r', redis: { host: 'r' } });
  });

  it('are the same when they are filled twice', () => {
    const once = fillDefaults(schema, { host: 'a', redis_host: 'r', items: [{}] });
    expect(fillDefaults(schema, once)).toEqual(once);
  });
});
