import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { edit, type Walk } from './walk/edits.ts';
import { type Held, held, leastWrites } from './walk/oracle.ts';
import { Chance } from './walk/random.ts';
import { asDeck } from './walk/repository.ts';

function state(parts: { readonly [K in KindName]?: readonly JsonObject[] }): Held {
  return new Map(Object.entries(parts).flatMap(([kind, list]) => [...held(kind as KindName, list)]));
}

const service = (id: string, name: string): JsonObject => ({ id, name });
const route = (id: string, name: string, to: string): JsonObject => ({ id, name, service: { id: to } });

test.each([
  ['nothing', { services: [service('1', 'a')] }, { services: [service('1', 'a')] }, 0],
  ['a name that is free', { services: [service('1', 'a')] }, { services: [service('1', 'b')] }, 1],
  [
    'a swap of names: one of them steps aside first',
    { services: [service('1', 'a'), service('2', 'b')] },
    { services: [service('1', 'b'), service('2', 'a')] },
    3,
  ],
  [
    'a name that passes on along a chain',
    { services: [service('1', 'a'), service('2', 'b')] },
    { services: [service('1', 'b'), service('2', 'c')] },
    2,
  ],
  [
    'an entity that gives its name to one that takes its place',
    { services: [service('1', 'a')] },
    { services: [service('2', 'a')] },
    2,
  ],
  [
    'the same, with a route that moves along: it cannot be let go of without a name to spare',
    { services: [service('1', 'a')], routes: [route('3', 'r', '1')] },
    { services: [service('2', 'a')], routes: [route('3', 'r', '2')] },
    4,
  ],
  [
    'circles that meet in two live routes, neither of which is taken off its service for a moment',
    { services: [service('1', 'a'), service('4', 'b')], routes: [route('3', 'r', '1'), route('5', 's', '4')] },
    { services: [service('2', 'a'), service('6', 'b')], routes: [route('3', 's', '2'), route('5', 'r', '6')] },
    9,
  ],
  [
    'children that a server takes away with their parent',
    { consumers: [{ id: '1', username: 'ann' }], keyauth_credentials: [{ id: '2', key: 'k', consumer: { id: '1' } }] },
    {},
    1,
  ],
  [
    'a value of a child that goes with its owner, and that another one takes',
    { consumers: [{ id: '1', username: 'a' }], keyauth_credentials: [{ id: '2', key: 'k', consumer: { id: '1' } }] },
    { consumers: [{ id: '3', username: 'b' }], keyauth_credentials: [{ id: '4', key: 'k', consumer: { id: '3' } }] },
    3,
  ],
  ['children that it does not take away', { services: [service('1', 'a')], routes: [route('2', 'r', '1')] }, {}, 2],
] as const)('the least number of writes for %s', (_, before, after, writes) => {
  expect(leastWrites(state(before), state(after)).writes).toBe(writes);
});

test('the same seed makes the same walk, another one another', () => {
  const walked = (seed: number) => {
    const walk: Walk = { chance: new Chance(seed), things: [], next: 1 };
    const said = Array.from({ length: 50 }, () => edit(walk));
    return { said, file: asDeck(walk.things) };
  };
  expect(walked(1)).toEqual(walked(1));
  expect(walked(1).said).not.toEqual(walked(2).said);
});
