import { describe, expect, it } from 'vitest';
import { kindsInOrder } from '../../src/model/kinds.ts';
import { parseServedSchema, serveSchema } from '../../src/schema/served.ts';
import { oss } from './schemas.ts';

describe('schemas as Kong serves them', () => {
  it('are read with what is known of them, and no more', () => {
    const schema = parseServedSchema(
      {
        fields: [
          {
            a: {
              type: 'string',
              required: true,
              description: 'words',
              err: 'words',
              from_later: { x: 1 },
              len_min: 'no number',
            },
          },
          { b: { type: 'from_later' } },
          'nonsense',
          {
            r: {
              type: 'record',
              fields: [{ c: { type: 'integer', default: 1 } }],
              entity_checks: [{ distinct: ['c'] }],
            },
          },
        ],
        entity_checks: [{ at_least_one_of: ['a'] }, 'nonsense'],
      },
      'things',
    );
    expect(schema).toEqual({
      fields: {
        a: { type: 'string', required: true },
        b: { type: 'any' },
        r: {
          type: 'record',
          fields: { c: { type: 'integer', default: 1 } },
          entity_checks: [{ distinct: ['c'] }],
          shorthand_fields: [],
        },
      },
      entity_checks: [{ at_least_one_of: ['a'] }],
      shorthand_fields: [],
    });
  });

  it.each([null, [], 'x', {}])('are not read from %j', (document) => {
    expect(parseServedSchema(document, 'things')).toBeUndefined();
  });

  it('say where a renamed field went, or it is known', () => {
    const schema = parseServedSchema(
      {
        fields: [
          { remember: { type: 'boolean' } },
          { redis: { type: 'record', fields: [{ host: { type: 'string' } }, { port: { type: 'integer' } }] } },
        ],
        shorthand_fields: [
          { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
          { redis_port: { type: 'integer', translate_backwards: ['redis', 'port'] } },
          { cookie_persistent: { type: 'boolean' } },
          { gone: { type: 'string' } },
        ],
      },
      'things',
    );
    expect(schema?.shorthand_fields.map(({ name, paths, answered }) => [name, paths, answered ?? false])).toEqual([
      ['redis_host', [['redis', 'host']], true],
      ['redis_port', [['redis', 'port']], true],
      ['cookie_persistent', [['remember']], false],
      ['gone', [], false],
    ]);
  });

  it('are served as they were read', () => {
    const all = [
      ...kindsInOrder
        .filter((kind) => kind.edition === 'oss')
        .map((kind) => [kind.name, oss.entity(kind.name)] as const),
      ...oss.pluginNames.map((name) => [name, oss.plugin(name)] as const),
    ];
    for (const [name, schema] of all) {
      if (schema === undefined) throw new Error(`no schema of ${name}`);
      expect(parseServedSchema(serveSchema(schema), name), name).toEqual(schema);
    }
  });
});
