import { describe, expect, it } from 'vitest';
import { readText } from './support.ts';

function told(metadata: string, head = 'apiVersion: configuration.konghq.com/v1\nkind: KongPlugin'): readonly string[] {
  const text = `${head}\nmetadata: ${metadata}\n${head.includes('KongPlugin') ? 'plugin: cors\n' : ''}`;
  return readText(text)
    .found.filter(({ rule }) => rule === 'kubernetes-field' || rule === 'kubernetes-unknown-field')
    .map(({ severity, locations }) => `${severity} ${locations[0]?.pointer}`);
}

const word = (length: number) => 'a'.repeat(length);
const service = 'apiVersion: v1\nkind: Service';

describe('metadata that an API server refuses', () => {
  it.each(['A_b', 'a_b', 'Abc', '-a', 'a-', 'a..b', '.a', 'a.', '"a b"', 'ä', word(254)])('the name %s', (name) => {
    expect(told(`{ name: ${name} }`)).toEqual(['error /metadata/name']);
  });

  it.each(['a.b', 'A', word(64)])('the name %s of a Service, which is one label', (name) => {
    expect(told(`{ name: ${name} }`, service)).toEqual(['error /metadata/name']);
  });

  it.each(['Shop', 'a.b', 'a_b', word(64)])('the namespace %s', (namespace) => {
    expect(told(`{ name: a, namespace: ${namespace} }`)).toEqual(['error /metadata/namespace']);
  });

  it.each([
    ['labels', '{ "a b": x }', '/a b'],
    ['labels', '{ Example.com/a: x }', '/Example.com~1a'],
    ['labels', '{ a/b/c: x }', '/a~1b~1c'],
    ['labels', '{ "/a": x }', '/~1a'],
    ['labels', '{ a/: x }', '/a~1'],
    ['labels', `{ ${word(64)}: x }`, `/${word(64)}`],
    ['labels', '{ a: "x y" }', '/a'],
    ['labels', '{ a: x/y }', '/a'],
    ['labels', '{ a: -x }', '/a'],
    ['labels', `{ a: ${word(64)} }`, '/a'],
    ['labels', '{ a: 1 }', '/a'],
    ['annotations', '{ "a b": x }', '/a b'],
    ['annotations', '{ a_b.example/c: x }', '/a_b.example~1c'],
    ['annotations', '{ a: true }', '/a'],
  ])('%s: %s', (field, pairs, pointer) => {
    expect(told(`{ name: a, ${field}: ${pairs} }`)).toEqual([`error /metadata/${field}${pointer}`]);
  });

  it.each(['annotation', 'Annotations', 'anotations', 'lables', 'nameSpace'])('the field %s', (field) => {
    expect(told(`{ name: a, ${field}: {} }`)).toEqual([`error /metadata/${field}`]);
  });
});

describe('metadata that an API server takes', () => {
  it.each([
    '{ name: a }',
    '{ name: 1a.b-c.d, namespace: shop-1 }',
    `{ name: ${word(253)} }`,
    '{ name: a, labels: { a: "", b.example/C_d.e: X_y.z-1, B: "1" } }',
    '{ name: a, annotations: { Konghq.example/A: "any text / at all", b_c: "" } }',
    '{ name: a, uid: x, creationTimestamp: null, managedFields: [], finalizers: [], ownerReferences: [] }',
  ])('%s', (metadata) => {
    expect(told(metadata)).toEqual([]);
  });

  it('is warned of where it has no effect', () => {
    expect(told('{ name: a, colour: red }')).toEqual(['warning /metadata/colour']);
  });
});
