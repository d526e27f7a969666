import { describe, expect, it } from 'vitest';
import { readDeck } from '../../src/dialect/deck/read-deck.ts';
import type { Document } from '../../src/manifest/document.ts';
import { parseFile } from '../../src/manifest/parse.ts';
import type { RawEntity } from '../../src/model/assemble.ts';
import type { JsonPath } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';

const text = `_format_version: "3.0"
_plugin_configs:
  limits:
    minute: 5
    redis: {host: cache.internal}
_info:
  defaults:
    service:
      retries: 3
services:
- name: orders
  url: https://orders.internal/api
  plugins:
  - name: rate-limiting
    _config: limits
    config:
      policy: redis
      redis: {port: 1}
certificates:
- cert: c
  key: k
  snis: [a.example]
custom_entities:
- type: degraphql_routes
  fields: {uri: /x, service: {name: orders}}
consumers:
- username: mobile
  groups:
  - {tags: [x], name: gold}
`;

function documentsOf(fromEnvironment: ReadonlyMap<string, string>): readonly Document[] {
  return parseFile('kong.yaml', Buffer.from(text)).documents.map((document) => ({
    file: document.file,
    index: document.index,
    value: document.value,
    at: (path, part) => document.at(path, part),
    fromEnvironment,
  }));
}

function only(kind: KindName, fromEnvironment: ReadonlyMap<string, string> = new Map()): RawEntity {
  const { raw } = readDeck(documentsOf(fromEnvironment), { forAnyKong: false });
  const [entity] = raw.filter((candidate) => candidate.kind === kind);
  if (entity === undefined) throw new Error(`no ${kind}`);
  return entity;
}

function lineOf(entity: RawEntity, path: JsonPath, part?: 'value' | 'key'): string {
  const place = entity.source?.at(path, part);
  return `${place?.line}:${place?.column}`;
}

describe('the place of a field', () => {
  it('is where the entity says it', () => {
    expect(lineOf(only('services'), ['name'])).toBe('11:9');
    expect(lineOf(only('services'), ['name'], 'key')).toBe('11:3');
    expect(only('services').source?.location.line).toBe(11);
  });

  it('is the url, for what a url stands for', () => {
    for (const field of ['host', 'port', 'protocol', 'path']) {
      expect(lineOf(only('services'), [field])).toBe('12:8');
      expect(lineOf(only('services'), [field], 'key')).toBe('12:3');
    }
  });

  it('is the shared configuration, for what comes from there', () => {
    const plugin = only('plugins');
    expect(lineOf(plugin, ['config', 'minute'])).toBe('4:13');
    expect(lineOf(plugin, ['config', 'redis', 'host'])).toBe('5:19');
    expect(lineOf(plugin, ['config', 'redis', 'port'])).toBe('18:21');
    expect(lineOf(plugin, ['config', 'policy'])).toBe('17:15');
  });

  it('is the default, for what comes from _info', () => {
    expect(lineOf(only('services'), ['retries'])).toBe('9:16');
  });

  it('is the text itself, for an SNI that is one', () => {
    expect(lineOf(only('snis'), ['name'])).toBe('22:10');
  });

  it('is below fields, for a custom entity', () => {
    expect(lineOf(only('degraphql_routes'), ['uri'])).toBe('25:17');
    expect(lineOf(only('degraphql_routes'), ['service'])).toBe('25:30');
  });

  it('is the name of the group, for a membership', () => {
    expect(lineOf(only('consumer_group_consumers'), ['consumer_group'])).toBe('29:23');
  });
});

describe('values from the environment', () => {
  it('are marked in every field that holds one', () => {
    const variables = new Map([
      ['/services/0/url', 'DECK_URL'],
      ['/_plugin_configs/limits/redis/host', 'DECK_HOST'],
      ['/_plugin_configs/limits/minute', 'DECK_MINUTE'],
      ['/services/0/plugins/0/config/redis/port', 'DECK_PORT'],
      ['/consumers/0/username', 'DECK_USER'],
      ['/custom_entities/0/fields/uri', 'DECK_URI'],
      ['/certificates/0/snis/0', 'DECK_SNI'],
    ]);
    const marked = (kind: KindName) => Object.fromEntries(only(kind, variables).fromEnvironment);
    expect(marked('services')).toEqual({
      '/protocol': 'DECK_URL',
      '/host': 'DECK_URL',
      '/port': 'DECK_URL',
      '/path': 'DECK_URL',
    });
    expect(marked('plugins')).toEqual({
      '/config/redis/host': 'DECK_HOST',
      '/config/minute': 'DECK_MINUTE',
      '/config/redis/port': 'DECK_PORT',
    });
    expect(marked('consumers')).toEqual({ '/username': 'DECK_USER' });
    expect(marked('degraphql_routes')).toEqual({ '/uri': 'DECK_URI' });
    expect(marked('snis')).toEqual({ '/name': 'DECK_SNI' });
  });

  it('are not marked where the entity says something else', () => {
    const variables = new Map([['/_plugin_configs/limits/policy', 'DECK_POLICY']]);
    expect(only('plugins', variables).fromEnvironment.size).toBe(0);
  });

  it('are not quoted in a finding', () => {
    const files = 'plugins:\n- name: acl\n  _config: s3cret\n';
    const documents = parseFile('a.yaml', Buffer.from(files)).documents.map((document) => ({
      file: document.file,
      index: document.index,
      value: document.value,
      at: document.at.bind(document),
      fromEnvironment: new Map([['/plugins/0/_config', 'DECK_NAME']]),
    }));
    const { diagnostics } = readDeck(documents, { forAnyKong: true });
    expect(diagnostics.map((found) => found.rule)).toContain('unknown-shared-config');
    expect(JSON.stringify(diagnostics)).not.toContain('s3cret');
  });
});

describe('old formats', () => {
  it('are a warning where any Kong may be meant', () => {
    const { documents } = parseFile('a.yaml', Buffer.from('_format_version: "1.1"\n'));
    const severities = (forAnyKong: boolean) =>
      readDeck(documents, { forAnyKong }).diagnostics.map((found) => found.severity);
    expect(severities(false)).toEqual(['error']);
    expect(severities(true)).toEqual(['warning']);
  });
});
