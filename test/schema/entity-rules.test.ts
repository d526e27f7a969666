import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { checkRecord } from '../../src/schema/check.ts';
import { recordOf, told } from './schemas.ts';

const fields: readonly JsonObject[] = [
  { a: { type: 'string' } },
  { b: { type: 'string' } },
  { list: { type: 'array', elements: { type: 'string' } } },
  { mode: { type: 'string', one_of: ['x', 'y'], default: 'x' } },
  { n: { type: 'integer' } },
];

function by(check: JsonObject, value: JsonObject): readonly string[] {
  return told(checkRecord(recordOf(fields, { entity_checks: [check] }), value));
}

describe('checks between fields', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['at least one: none', { at_least_one_of: ['a', 'list'] }, { list: [] }, ['at-least-one-of @entity']],
    ['at least one: one', { at_least_one_of: ['a', 'b'] }, { b: 'x' }, []],
    ['at least one beside a fault', { at_least_one_of: ['a', 'b'] }, { a: 1 }, ['a type']],
    ['exactly one: two', { only_one_of: ['a', 'b'] }, { a: 'x', b: 'y' }, ['only-one-of @entity']],
    ['exactly one: none', { exactly_one_of: ['a', 'b'] }, {}, ['exactly-one-of @entity']],
    ['one at most: two', { mutually_exclusive: ['a', 'b'] }, { a: 'x', b: 'y' }, ['mutually-exclusive @entity']],
    ['one at most: none', { mutually_exclusive: ['a', 'b'] }, {}, []],
    ['all or none: one', { mutually_required: ['a', 'b'] }, { a: 'x' }, ['mutually-required @entity']],
    ['all or none: all', { mutually_required: ['a', 'b'] }, { a: 'x', b: 'y' }, []],
    ['different: equal', { distinct: ['a', 'b'] }, { a: 'x', b: 'x' }, ['distinct @entity']],
    ['different: both unset', { distinct: ['a', 'b'] }, {}, []],
    [
      'sets: both',
      { mutually_exclusive_sets: { set1: ['a'], set2: ['b'] } },
      { a: 'x', b: 'x' },
      ['mutually-exclusive-sets @entity'],
    ],
    ['a check that is not known', { from_a_later_kong: ['a'] }, {}, []],
  ])('%s', (_name, check, value, expected) => {
    expect(by(check, value)).toEqual(expected);
  });

  const needsA = {
    conditional: { if_field: 'mode', if_match: { eq: 'x' }, then_field: 'a', then_match: { required: true } },
  };

  it('hold where a condition does, the default counting as much as what was written', () => {
    expect(by(needsA, {})).toEqual(['a conditional']);
    expect(by(needsA, { a: 'v' })).toEqual([]);
    expect(by(needsA, { mode: 'y' })).toEqual([]);
    expect(by(needsA, { mode: 'z' })).toEqual(['mode one-of']);
  });

  it('forbid a field by asking for null', () => {
    const forbidsA = {
      conditional: { if_field: 'mode', if_match: { not_one_of: ['y'] }, then_field: 'a', then_match: { eq: null } },
    };
    expect(by(forbidsA, { a: 'v' })).toEqual(['a conditional']);
    expect(by(forbidsA, { a: 'v', mode: 'y' })).toEqual([]);
  });

  it('tell of the entity as well where a server speaks', () => {
    const schema = recordOf(fields, { entity_checks: [needsA] });
    expect(told(checkRecord(schema, {}, { asServer: true }))).toEqual(['a conditional', 'conditional @entity']);
    expect(checkRecord(schema, {})[0]?.message).toContain('when "mode" is "x"');
  });

  it('ask for one of several fields on a condition', () => {
    const check = {
      conditional_at_least_one_of: { if_field: 'mode', if_match: { one_of: ['y'] }, then_at_least_one_of: ['a', 'b'] },
    };
    expect(by(check, { mode: 'y' })).toEqual(['conditional-at-least-one-of @entity']);
    expect(by(check, { mode: 'y', b: 'x' })).toEqual([]);
    expect(by(check, {})).toEqual([]);
  });

  it('are left out of a change that does not name their fields', () => {
    const schema = recordOf(fields, { entity_checks: [{ at_least_one_of: ['a', 'b'] }] });
    expect(checkRecord(schema, { a: null }, { partial: true })).toEqual([]);
    expect(told(checkRecord(schema, { a: null, b: null }, { partial: true }))).toEqual(['at-least-one-of @entity']);
  });

  it('work inside records', () => {
    const schema = recordOf([{ r: { type: 'record', fields, entity_checks: [{ at_least_one_of: ['a', 'b'] }] } }]);
    expect(told(checkRecord(schema, { r: {} }))).toEqual(['r at-least-one-of @entity']);
    expect(checkRecord(schema, {})).toEqual([]);
  });
});
