import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { checkRecord } from '../../src/schema/check.ts';
import { recordOf, told } from './schemas.ts';

function faultsOf(field: JsonObject, value: Json): readonly string[] {
  return told(checkRecord(recordOf([{ f: field }]), { f: value }));
}

describe('a value by its field', () => {
  const text = { type: 'string', required: true };
  it.each<[string, JsonObject, Json, readonly string[]]>([
    ['a whole number', { type: 'integer' }, 1, []],
    ['1.0', { type: 'integer' }, 1.0, []],
    ['a fraction for an integer', { type: 'integer' }, 0.5, ['f type']],
    ['digits in a text for an integer', { type: 'integer' }, '8080', ['f type']],
    ['a text for a number', { type: 'number' }, 'x', ['f type']],
    ['a number for a text', { type: 'string' }, 1, ['f type']],
    ['a text for a boolean', { type: 'boolean' }, 'true', ['f type']],
    ['a text for a list', { type: 'array', elements: text }, 'x', ['f type']],
    ['a list for a map', { type: 'map', values: text }, [], ['f type']],
    ['a text for a record', { type: 'record', fields: [] }, 'x', ['f type']],
    ['null where none is needed', { type: 'string' }, null, []],
    ['null where a value is required', { type: 'string', required: true, default: 'a' }, null, ['f required']],
    ['an empty text', { type: 'string' }, '', ['f length']],
    ['an empty text that is allowed', { type: 'string', len_min: 0 }, '', []],
    ['a text too long in bytes', { type: 'string', len_max: 3 }, 'éé', ['f length']],
    ['a text of the length asked for', { type: 'string', len_eq: 2 }, 'ab', []],
    ['one of a choice', { type: 'string', one_of: ['a', 'b'] }, 'b', []],
    ['none of a choice', { type: 'string', one_of: ['a', 'b'] }, 'c', ['f one-of']],
    ['one that is excluded', { type: 'string', not_one_of: ['a'] }, 'a', ['f one-of']],
    ['a number within', { type: 'integer', between: [0, 10] }, 10, []],
    ['a number beyond', { type: 'integer', between: [0, 10] }, 11, ['f between']],
    ['a number that is not above', { type: 'number', gt: 0 }, 0, ['f between']],
    ['a UUID', { type: 'string', uuid: true }, '6A7A3C28-0000-4000-8000-000000000000', []],
    ['no UUID', { type: 'string', uuid: true }, 'abc', ['f format']],
    ['a pattern', { type: 'string', match: '^%u+$' }, 'get', ['f pattern']],
    ['a forbidden pattern', { type: 'string', not_match: '^x' }, 'xy', ['f pattern']],
    ['all patterns', { type: 'string', match_all: [{ pattern: 'a' }, { pattern: 'b' }] }, 'a', ['f pattern']],
    ['no pattern', { type: 'string', match_none: [{ pattern: '//' }] }, 'a//b', ['f pattern']],
    ['any pattern', { type: 'string', match_any: { patterns: ['^/', '^~/'] } }, 'x', ['f pattern']],
    ['a start', { type: 'string', starts_with: '/' }, 'x', ['f pattern']],
    ['no regular expression', { type: 'string', is_regex: true }, '(a', ['f pattern']],
    ['a regular expression', { type: 'string', is_regex: true }, '^(?<x>[)]+)\\(a{2,3}?$', []],
    ['what must be null', { type: 'foreign', reference: 'consumers', eq: null }, { id: 'x' }, ['f not-allowed']],
    ['what must be one value', { type: 'boolean', eq: true }, false, ['f one-of']],
    ['an element', { type: 'set', elements: { type: 'string', one_of: ['a'] } }, ['a', 'b'], ['f/1 one-of']],
    ['an element that is null', { type: 'array', elements: text }, ['a', null], ['f/1 required']],
    ['what a list must contain', { type: 'array', contains: 'exp' }, ['nbf'], ['f contains']],
    [
      'a key of a map',
      { type: 'map', keys: { type: 'string', match_none: [{ pattern: '^host$' }] } },
      { host: 1 },
      ['f/host pattern'],
    ],
    ['a value of a map', { type: 'map', values: { type: 'array', elements: text } }, { a: '1' }, ['f/a type']],
    [
      'groups that exclude each other',
      { type: 'set', mutually_exclusive_subsets: [['a'], ['b', 'c']] },
      ['a', 'c'],
      ['f mutually-exclusive'],
    ],
    ['a field of a record', { type: 'record', fields: [{ g: { type: 'integer' } }] }, { g: 'x' }, ['f/g type']],
    ['a name for an entity', { type: 'foreign', reference: 'services' }, { name: 'a' }, []],
    ['a bare text for an entity', { type: 'foreign', reference: 'services' }, 'a', ['f/id required']],
    ['a reference to a vault', { type: 'string', referenceable: true, match: '^%d$' }, '{vault://env/x}', []],
    ['a reference where none may stand', { type: 'string', match: '^%d$' }, '{vault://env/x}', ['f pattern']],
    ['anything', { type: 'a type of a later Kong' }, { x: 1 }, []],
  ])('%s', (_name, field, value, expected) => {
    expect(faultsOf(field, value)).toEqual(expected);
  });

  it('stops at the first fault of a field, as Kong does', () => {
    expect(faultsOf({ type: 'string', one_of: ['a'], len_min: 5 }, 'b')).toEqual(['f one-of']);
  });

  it('puts nothing of a value into what it says', () => {
    const schema = recordOf([{ f: { type: 'string', match: '^%d$', len_max: 2 } }, { g: { type: 'integer' } }]);
    const said = JSON.stringify(checkRecord(schema, { f: 'hunter2', g: 'hunter2' }));
    expect(said).not.toContain('hunter2');
  });
});

describe('a record', () => {
  const schema = recordOf([
    { id: { type: 'string', auto: true, required: true } },
    { host: { type: 'string', required: true } },
    { port: { type: 'integer', required: true, default: 80 } },
    { deep: { type: 'record', required: true, fields: [{ name: { type: 'string', required: true } }] } },
    { maybe: { type: 'record', fields: [{ name: { type: 'string', required: true } }] } },
  ]);

  it('tells everything at once, with the nearest name for one that is unknown', () => {
    const faults = checkRecord(schema, { hots: 'x', deep: { nam: 1 } });
    expect(told(faults)).toEqual([
      'hots unknown-field',
      'host required',
      'deep/nam unknown-field',
      'deep/name required',
    ]);
    expect(faults[0]?.hint).toBe('Did you mean "host"?');
  });

  it('needs what is inside a record that is required, and nothing of one that is not', () => {
    expect(told(checkRecord(schema, { host: 'a' }))).toEqual(['deep/name required']);
    expect(told(checkRecord(schema, { host: 'a', deep: { name: 'x' }, maybe: {} }))).toEqual(['maybe/name required']);
  });

  it('misses nothing in a change, but takes no null for what is required', () => {
    expect(checkRecord(schema, { deep: {} }, { partial: true })).toEqual([]);
    expect(told(checkRecord(schema, { host: null }, { partial: true }))).toEqual(['host required']);
  });

  it('must be an object', () => {
    expect(told(checkRecord(schema, [1]))).toEqual(['type']);
  });

  it('leaves foreign keys alone where they are kept elsewhere', () => {
    const owned = recordOf([{ consumer: { type: 'foreign', reference: 'consumers', required: true } }]);
    expect(told(checkRecord(owned, {}))).toEqual(['consumer required']);
    expect(checkRecord(owned, {}, { skipForeign: true })).toEqual([]);
  });
});

describe('fields that were renamed', () => {
  const schema = recordOf(
    [
      {
        redis: {
          type: 'record',
          required: true,
          fields: [{ host: { type: 'string' } }, { port: { type: 'integer', between: [0, 9], default: 6 } }],
        },
      },
    ],
    {
      shorthand_fields: [
        { redis_host: { type: 'string', deprecation: { replaced_with: [{ path: ['redis', 'host'] }] } } },
        { redis_port: { type: 'integer', deprecation: { replaced_with: [{ path: ['redis', 'port'] }] } } },
      ],
    },
  );

  it('are accepted under their old names', () => {
    expect(checkRecord(schema, { redis_host: 'a', redis_port: 3 })).toEqual([]);
    expect(told(checkRecord(schema, { redis_host: 1 }))).toEqual(['redis_host type']);
  });

  it('are told of under the name that was written', () => {
    expect(told(checkRecord(schema, { redis_port: 99 }))).toEqual(['redis_port between']);
  });

  it('must not contradict their new names', () => {
    expect(told(checkRecord(schema, { redis_host: 'a', redis: { host: 'b' } }))).toEqual([
      'redis_host deprecated-conflict',
    ]);
    expect(checkRecord(schema, { redis_host: 'a', redis: { host: 'a' } })).toEqual([]);
    expect(checkRecord(schema, { redis_host: null, redis: { host: 'b' } })).toEqual([]);
  });

  it('are suggested like any other', () => {
    expect(checkRecord(schema, { redis_hst: 'a' })[0]?.hint).toBe('Did you mean "redis_host"?');
  });
});
