import { describe, expect, test } from 'vitest';
import { assemble, type RawEntity } from '../../src/model/assemble.ts';
import { openedRoutes } from '../../src/rules/security/authentication.ts';
import { brief, diagnosticsOf, written } from './support.ts';

const service = written('services', 's.yaml:1', { name: 'ledger', host: 'ledger.internal' });
const route = (name: string, line: number, fields = {}) =>
  written('routes', `r.yaml:${line}`, { name, paths: [`/${name}`], ...fields }, { service: { name: 'ledger' } });
const plugin = (name: string, line: number, scope: { [field: string]: { name: string } }, fields = {}) =>
  written('plugins', `p.yaml:${line}`, { name, ...fields }, scope);

function stateOf(...raw: readonly RawEntity[]) {
  return assemble(raw, { workspace: null, selectTags: [] });
}

describe('what a change opens', () => {
  const routes = [route('one', 1), route('two', 2)];
  const names = (before: readonly RawEntity[], after: readonly RawEntity[]) =>
    openedRoutes(stateOf(service, ...routes, ...before), stateOf(service, ...routes, ...after)).map(({ name }) => name);

  test('is the routes that nothing authenticates any more', () => {
    const ofService = plugin('key-auth', 1, { service: { name: 'ledger' } });
    const ofOne = plugin('jwt', 2, { route: { name: 'one' } });
    const global = plugin('basic-auth', 3, {});
    expect(names([ofService], [])).toEqual(['one', 'two']);
    expect(names([ofService], [ofOne])).toEqual(['two']);
    expect(names([global], [ofService])).toEqual([]);
    expect(names([ofOne], [plugin('jwt', 2, { route: { name: 'one' } }, { enabled: false })])).toEqual(['one']);
    expect(names([], [ofOne])).toEqual([]);
  });

  test('is not a route that is new, and not what another kind of plugin does', () => {
    const before = stateOf(service, routes[0] ?? service, plugin('key-auth', 1, {}));
    const after = stateOf(service, ...routes, plugin('cors', 1, {}));
    expect(openedRoutes(before, after).map(({ name }) => name)).toEqual(['one']);
  });
});

describe('an open route', () => {
  const said = (...raw: readonly RawEntity[]) =>
    diagnosticsOf([service, ...raw])
      .filter(({ rule }) => rule === 'open-route')
      .map(brief);
  const lock = plugin('key-auth', 1, { route: { name: 'one' } });

  test('is one whose sibling is locked', () => {
    expect(said(route('one', 1), route('two', 2), lock)).toEqual(['open-route warning r.yaml:2/name r.yaml:1/name']);
  });

  test('is none where the service, or everything, is locked', () => {
    const both = [route('one', 1), route('two', 2), lock];
    expect(said(...both, plugin('jwt', 2, { service: { name: 'ledger' } }))).toEqual([]);
    expect(said(...both, plugin('jwt', 2, {}))).toEqual([]);
  });

  test('is still one where a lock is for one consumer, or off', () => {
    const consumer = written('consumers', 'c.yaml:1', { username: 'web' });
    const both = [route('one', 1), route('two', 2), lock, consumer];
    expect(said(...both, plugin('jwt', 2, { consumer: { name: 'web' } }))).toHaveLength(1);
    expect(said(...both, plugin('jwt', 2, {}, { enabled: false }))).toHaveLength(1);
  });

  test('is none on hosts inside, for preflights, or where others own plugins', () => {
    expect(said(route('one', 1), route('two', 2, { hosts: ['a.svc.cluster.local:8080'] }), lock)).toEqual([]);
    expect(said(route('one', 1), route('two', 2, { methods: ['OPTIONS'] }), lock)).toEqual([]);
    const found = diagnosticsOf([service, route('one', 1), route('two', 2), lock], {
      leftOut: { kinds: new Set(['plugins'] as const), entities: [] },
    });
    expect(found.filter(({ rule }) => rule === 'open-route')).toEqual([]);
  });
});
