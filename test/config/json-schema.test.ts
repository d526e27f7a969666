import { expect, test } from 'vitest';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { isMapping } from '../../src/config/tree.ts';

/** Every schema inside a schema that stands for a key, with the key's path. */
function* keysOf(schema: unknown, path: string): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (!isMapping(schema)) return;
  if (isMapping(schema['properties'])) {
    for (const [key, inner] of Object.entries(schema['properties'])) {
      if (isMapping(inner)) yield [`${path}.${key}`, inner];
      yield* keysOf(inner, `${path}.${key}`);
    }
  }
  yield* keysOf(schema['items'], `${path}[]`);
}

test('every key is described, and unknown keys are refused at every level', () => {
  const schema = jsonSchema();
  const keys = [...keysOf(schema, '')];
  expect(keys.length).toBeGreaterThan(60);
  for (const [key, inner] of keys) {
    expect(inner['description'], key).toMatch(/\S/);
    if (isMapping(inner['properties'])) expect(inner['additionalProperties'], key).toBe(false);
  }
  expect(schema['additionalProperties']).toBe(false);
});

test('where a form is asked for, a text with a placeholder fits too', () => {
  for (const [key, inner] of keysOf(jsonSchema(), '')) {
    const pattern = inner['pattern'];
    if (typeof pattern === 'string') expect(new RegExp(pattern, 'u').test(`x$\{NAME}`), key).toBe(true);
    expect(inner['enum'], key).toBeUndefined();
  }
});
