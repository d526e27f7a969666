import { describe, expect, test } from 'vitest';
import type { ApiPaths } from '../../src/model/kind.ts';
import { deepestLevel, foreignKey, isKindName, kinds, kindsInOrder } from '../../src/model/kinds.ts';
import { allEntities } from '../../src/model/state.ts';
import { oneOfEach, stateFrom } from './making.ts';

describe('the registry', () => {
  test('is in order of levels, and each kind once', () => {
    const levels = kindsInOrder.map(({ level }) => level);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(deepestLevel).toBe(levels.at(-1));
    expect(new Set(kindsInOrder.map(({ name }) => name)).size).toBe(kindsInOrder.length);
    for (const [key, { name }] of Object.entries(kinds)) expect(name).toBe(key);
    expect([isKindName('services'), isKindName('toString'), isKindName('service')]).toEqual([true, false, false]);
  });

  test.each(['singular', 'label', 'idNamespace'] as const)('no two kinds have the same %s', (field) => {
    const values = kindsInOrder.map((kind) => kind[field]);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });

  test('has no two kinds at one path, and none at one key of a file', () => {
    const unique = (values: readonly (string | null)[]) => {
      const there = values.filter((value) => value !== null);
      expect(there.filter((value, index) => there.indexOf(value) !== index)).toEqual([]);
    };
    unique(kindsInOrder.map(({ admin }) => admin.flat));
    unique(kindsInOrder.map(({ konnect }) => konnect?.flat ?? null));
    unique(kindsInOrder.map(({ dbless }) => dbless));
    unique(kindsInOrder.map(({ deck }) => deck.topLevel));
    unique(kindsInOrder.flatMap(({ deck }) => deck.nested.map(({ parent, key }) => `${parent}.${key}`)));
  });
});

describe.each(kindsInOrder)('$name', (kind) => {
  test('names only kinds of lower levels, by fields of its own', () => {
    for (const { kind: named } of kind.foreign) expect(kinds[named].level).toBeLessThan(kind.level);
    const fields = kind.foreign.map(({ field }) => field);
    expect(new Set(fields).size).toBe(fields.length);
    for (const field of fields) expect(foreignKey(kind.name, field)?.field).toBe(field);
    expect(foreignKey(kind.name, 'no_such_field')).toBeUndefined();
  });

  test('belongs to a parent by a foreign key that it has', () => {
    if (kind.parent === null) return;
    const key = foreignKey(kind.name, kind.parent);
    expect(key).toBeDefined();
    expect(key?.list).toBe(false);
  });

  test('is nested in decK files under kinds that its foreign keys name', () => {
    for (const { parent, field } of kind.deck.nested) expect(foreignKey(kind.name, field)?.kind).toBe(parent);
    const isWritable = kind.deck.topLevel !== null || kind.deck.nested.length > 0;
    expect(isWritable).toBe(true);
  });

  test('has paths that can be written to and read from', () => {
    const check = (paths: ApiPaths) => {
      if (paths.write === 'flat') expect(paths.flat).not.toBeNull();
      else expect(paths.nested).not.toBeNull();
      if (paths.nested !== null) {
        expect(foreignKey(kind.name, paths.nested.parent)).toBeDefined();
        expect(paths.nested.path).toContain('{parent}');
      }
      for (const path of [paths.flat, paths.nested?.path ?? null]) expect(path ?? 'a').not.toMatch(/^\/|\/$/);
    };
    check(kind.admin);
    if (kind.konnect !== null) check(kind.konnect);
  });

  test('has pointers for secrets and sets, and says what its server makes', () => {
    for (const pointer of [...kind.secrets, ...kind.sets]) expect(pointer).toMatch(/^(?:\/[^/]+)+$/);
    expect(kind.sets.includes('/tags')).toBe(kind.tags);
    expect(new Set(kind.serverMade).size).toBe(kind.serverMade.length);
  });

  test('gives an identity and a shown name to what has its natural key, without a secret in the name', () => {
    const entity = allEntities(stateFrom(oneOfEach())).find((candidate) => candidate.kind === kind.name);
    expect(entity?.identity).toMatch(/^[^#]/);
    expect(entity?.name).not.toContain('made-up');
    expect(entity?.name).not.toBe('');
    expect(entity?.references.every(({ resolved }) => resolved)).toBe(true);
  });

  test('holds unique constraints over its fields', () => {
    for (const { fields } of kind.unique) expect(fields.length).toBeGreaterThan(0);
  });
});
