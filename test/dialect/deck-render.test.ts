import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderDeck, renderDeckYaml } from '../../src/dialect/deck/render.ts';
import { renderDbless } from '../../src/model/dbless-form.ts';
import { allEntities, digestOf } from '../../src/model/state.ts';
import { readFiles } from './support.ts';

const root = new URL('../cases/deck/', import.meta.url);

function caseFiles(name: string): readonly (readonly [string, string])[] {
  const folder = new URL(`${name}/`, root);
  return readdirSync(folder)
    .filter((file) => file !== 'expected.json' && file !== 'settings.json')
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const);
}

const whole = ['nested', 'reference-forms', 'dbless-form', 'shared-config', 'defaults', 'nulls', 'lookup-tags'];

describe('a state as decK text', () => {
  for (const name of [...whole, 'groups-from-both-sides', 'several-documents', 'every-kind']) {
    it(`${name}: reads back as an equal state, and renders to itself`, () => {
      const { state, info } = readFiles(caseFiles(name));
      const workspace = info.workspace?.value ?? null;
      for (const ids of [false, true]) {
        const text = renderDeckYaml(state, { ids, workspace });
        const again = readFiles([['kong.yaml', text]]);
        expect(again.diagnostics.filter((found) => found.severity === 'error')).toEqual([]);
        expect(renderDeckYaml(again.state, { ids, workspace })).toBe(text);
        if (!ids) expect(digestOf(again.state)).toBe(digestOf(state));
        expect(allEntities(again.state).map((entity) => entity.id)).toEqual(allEntities(state).map(({ id }) => id));
      }
    });
  }

  it('nests as people write it', () => {
    const { state } = readFiles(caseFiles('nested'));
    expect(renderDeck(state, { ids: false })['services']).toEqual([
      {
        name: 'orders',
        host: 'orders.internal',
        filter_chains: [{ name: 'chain', filters: [{ name: 'rewrite' }] }],
        plugins: [{ name: 'cors' }],
        routes: [{ name: 'orders-v1', paths: ['/v1/orders'] }, { hosts: ['orders.example'] }],
      },
    ]);
  });

  it('writes the workspace, and a name where only an id would not do', () => {
    const text = `_format_version: "3.0"
services:
- host: a.internal
  plugins:
  - name: acl
    consumer: mobile
consumers:
- username: mobile
`;
    const { state } = readFiles([['a.yaml', text]]);
    expect(renderDeck(state, { ids: false, workspace: 'retail' })).toEqual({
      _format_version: '3.0',
      _workspace: 'retail',
      services: [{ host: 'a.internal', plugins: [{ name: 'acl', consumer: 'mobile' }] }],
      consumers: [{ username: 'mobile' }],
    });
  });

  it('keeps texts that YAML would take for something else', () => {
    const tricky = fc.constantFrom(
      'yes',
      '1e3',
      '0o17',
      '1_000',
      'null',
      '~',
      '2024-01-01',
      '12:30',
      ' x ',
      "'",
      '"a\n',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(tricky, fc.string()), { maxLength: 5 }), (values) => {
        const file = JSON.stringify({ _format_version: '3.0', plugins: [{ name: 'p', config: { values } }] });
        const { state } = readFiles([['a.json', file]]);
        const again = readFiles([['b.yaml', renderDeckYaml(state, { ids: false })]]);
        expect(again.diagnostics).toEqual([]);
        expect(digestOf(again.state)).toBe(digestOf(state));
      }),
    );
  });
});

describe('a state as DB-less text', () => {
  it('is flat, with explicit ids and bare references', () => {
    const text = `_format_version: "3.0"
_info: {select_tags: [team-a]}
services:
- name: orders
  host: orders.internal
  routes:
  - name: r
    paths: [/r]
certificates:
- id: 11111111-2222-4333-8444-555555555501
  cert: c
  key: k
  snis:
  - name: a.example
partials:
- name: shared
  type: redis-ee
plugins:
- name: acl
  partials:
  - {name: shared, path: config.redis}
`;
    const { state } = readFiles([['a.yaml', text]]);
    const id = (kind: Parameters<typeof state.byIdentity>[0], identity: string) => state.byIdentity(kind, identity)?.id;
    expect(JSON.parse(renderDbless(state))).toEqual({
      _format_version: '3.0',
      services: [{ id: id('services', 'orders'), name: 'orders', host: 'orders.internal', tags: ['team-a'] }],
      routes: [
        { id: id('routes', 'r'), name: 'r', paths: ['/r'], service: id('services', 'orders'), tags: ['team-a'] },
      ],
      certificates: [{ id: '11111111-2222-4333-8444-555555555501', cert: 'c', key: 'k', tags: ['team-a'] }],
      snis: [
        {
          id: id('snis', 'a.example'),
          name: 'a.example',
          certificate: '11111111-2222-4333-8444-555555555501',
          tags: ['team-a'],
        },
      ],
      partials: [{ id: id('partials', 'shared'), name: 'shared', type: 'redis-ee', tags: ['team-a'] }],
      plugins: [{ id: id('plugins', 'acl'), name: 'acl', tags: ['team-a'] }],
      plugins_partials: [{ plugin: id('plugins', 'acl'), partial: id('partials', 'shared'), path: 'config.redis' }],
    });
  });

  it('is the same bytes on every machine and in any order of files', () => {
    const files = caseFiles('shared-config');
    const text = renderDbless(readFiles(files).state);
    expect(renderDbless(readFiles([...files].reverse()).state)).toBe(text);
    expect(createHash('md5').update(text).digest('hex')).toBe('5ef438bdcd661430244ab09faef63cd2');
  });

  it('reads back as the same entities', () => {
    for (const name of whole) {
      const { state } = readFiles(caseFiles(name));
      const again = readFiles([['a.json', renderDbless(state)]]);
      const shown = (from: typeof state) =>
        allEntities(from)
          .filter((entity) => !entity.kind.startsWith('rbac'))
          .map((entity) => [entity.kind, entity.id, entity.identity]);
      expect(shown(again.state)).toEqual(shown(state));
    }
  });
});
