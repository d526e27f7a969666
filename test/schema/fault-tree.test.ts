import { describe, expect, it } from 'vitest';
import { checkRecord } from '../../src/schema/check.ts';
import { faultTree } from '../../src/schema/fault-tree.ts';
import { recordOf } from './schemas.ts';

const schema = recordOf(
  [
    { name: { type: 'string', required: true } },
    { list: { type: 'array', elements: { type: 'integer' } } },
    { headers: { type: 'map', values: { type: 'array' } } },
    { owner: { type: 'foreign', reference: 'owners' } },
    {
      config: {
        type: 'record',
        fields: [{ a: { type: 'integer' } }, { b: { type: 'integer' } }],
        entity_checks: [{ distinct: ['a', 'b'] }],
      },
    },
    { redis: { type: 'record', fields: [{ host: { type: 'string' } }] } },
  ],
  {
    entity_checks: [{ at_least_one_of: ['name', 'list'] }, { mutually_required: ['name', 'headers'] }],
    shorthand_fields: [
      { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
    ],
  },
);

const treeOf = (value: Parameters<typeof checkRecord>[1]) => faultTree(schema, checkRecord(schema, value));
const aText = expect.any(String);

describe('faults in the form of Kong’s answers', () => {
  it('are a tree like the value, with holes in lists', () => {
    expect(treeOf({ name: 1, list: [1, 'x', 3, 'y'], config: { a: 'x', zz: 1 } })).toEqual({
      name: aText,
      list: [null, aText, null, aText],
      config: { a: aText, zz: aText },
    });
  });

  it('list what is wrong with a whole record', () => {
    expect(treeOf({ config: { a: 1, b: 1 } })).toEqual({
      name: aText,
      config: { '@entity': [aText] },
      '@entity': [aText],
    });
  });

  it('tell a map as a whole, and a reference by its key', () => {
    expect(treeOf({ name: 'x', headers: { a: 'x', b: 'y' }, owner: 'x' })).toEqual({
      headers: aText,
      owner: { id: aText },
    });
  });

  it('put the contradiction of a renamed field at the top', () => {
    const inside = recordOf([
      {
        config: {
          type: 'record',
          fields: [{ redis: { type: 'record', fields: [{ host: { type: 'string' } }] } }],
          shorthand_fields: [
            { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
          ],
        },
      },
    ]);
    const value = { config: { redis_host: 'a', redis: { host: 'b' } } };
    expect(faultTree(inside, checkRecord(inside, value))).toEqual({ redis_host: aText });
  });
});
