import { describe, expect, it } from 'vitest';
import { CelError, celHolds } from '../../../src/dialect/kubernetes/crd/cel.ts';
import { checkFields, withDefaults } from '../../../src/dialect/kubernetes/crd/check-fields.ts';
import type { FieldSchema } from '../../../src/dialect/kubernetes/crd/field-schema.ts';
import { crds } from '../../../src/dialect/kubernetes/documents/crds.ts';
import type { Json } from '../../../src/model/json.ts';

describe('rules of custom resources', () => {
  const value: Json = { name: 'a', list: [1, 2, 2], map: { x: 1 }, text: 'a/b', none: null, time: '1m30s' };
  const cases: readonly (readonly [rule: string, holds: boolean])[] = [
    ['has(self.name) && !has(self.missing) && !has(self.none)', true],
    ['has(self.name) ? self.name == "a" : false', true],
    ["self.name in ['b', 'a']", true],
    ["'x' in self.map", true],
    ['self.list.all(i, i > 0) && self.list.exists(i, i == 2) && !self.list.exists_one(i, i == 2)', true],
    ['self.list.filter(i, i == 2).size() == 2', true],
    ['self.map.all(k, k.matches("^[a-z]$"))', true],
    ["self.text.split('/')[1] == 'b' && self.text.startsWith('a') && self.text.endsWith('b')", true],
    ["self.text.contains('/') && self.text.substring(2) == 'b'", true],
    ['size(self.list) + 1 - 2 <= 2 && size(self.text) >= 3 && self.list[0] < 2', true],
    ["duration(self.time) > duration('1m29s') && duration('0s') != duration('1s')", true],
    ['self.name.matches(r"""^(?i)A$""")', true],
    ["!isIP(self.name) && isIP('10.0.0.1') && isIP('::1')", true],
    ['self.text == "a\\/b" || self.name == \'a\'', true],
    ['false || self.missing == 1 || true', true],
    ['self.list == [1, 2, 2] && true != false', true],
  ];
  it.each(cases)('%s', (rule, holds) => {
    expect(celHolds(rule, value)).toBe(holds);
  });

  it('cannot be worked out where a field is not there', () => {
    expect(() => celHolds('self.missing == 1', value)).toThrow(CelError);
  });

  it('are all understood', () => {
    const rules = new Set<string>();
    const visit = (schema: unknown): void => {
      if (Array.isArray(schema)) schema.forEach(visit);
      else if (typeof schema === 'object' && schema !== null) {
        for (const [key, inner] of Object.entries(schema)) {
          if (key === 'x-kubernetes-validations') for (const rule of inner as string[]) rules.add(rule);
          else visit(inner);
        }
      }
    };
    visit(crds);
    expect(rules.size).toBeGreaterThan(90);
    for (const rule of rules) {
      try {
        celHolds(rule, { type: 'x', value: 'x' });
      } catch (error) {
        expect(error, rule).toBeInstanceOf(CelError);
      }
    }
  });
});

describe('fields of custom resources', () => {
  const schema: FieldSchema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' },
      size: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
      items: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: { type: 'object', properties: { key: { type: 'string', default: 'k' } } },
        'x-kubernetes-list-map-keys': ['key'],
      },
      either: { 'x-kubernetes-int-or-string': true },
      free: { type: 'object', additionalProperties: { type: 'boolean' } },
      one: { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    },
  };
  const told = (value: Json) => checkFields(value, schema).map(({ path, about }) => `${about} ${path.join('.')}`);

  it('are checked as an API server does', () => {
    expect(told({ name: 'ab' })).toEqual([]);
    expect(told({ name: 'A', size: 9, items: [] })).toEqual(['field name', 'field name', 'field size', 'field items']);
    expect(told({ size: 0.5, either: 1.5, free: { x: 'y' } })).toEqual([
      'field ',
      'field size',
      'field either',
      'field free.x',
    ]);
    expect(told({ name: 'abcd', items: [{ key: 'a' }, { key: 'a' }, { kye: 'b' }] })).toEqual([
      'field name',
      'field items',
      'unknown items.2.kye',
      'field items.1',
    ]);
    expect(told({ name: 'ab', one: { a: 1, b: 2 } })).toEqual(['field one']);
    expect(told({ name: 'ab', free: { x: null }, either: 'a' })).toEqual([]);
  });

  it('are filled in with their defaults', () => {
    expect(withDefaults({ name: 'ab', size: null, items: [{}, { key: 'x' }] }, schema)).toEqual({
      name: 'ab',
      size: 2,
      items: [{ key: 'k' }, { key: 'x' }],
    });
  });
});
