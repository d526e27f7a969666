import { describe, expect, it } from 'vitest';
import { formatOf, upgradeFile } from '../../src/dialect/deck/upgrade/upgrade.ts';
import type { FieldMoves } from '../../src/dialect/deck/upgrade/upgrade-parts.ts';
import { parseFile } from '../../src/manifest/parse.ts';

const moves: FieldMoves = (plugin, field) =>
  plugin === 'rate-limiting' && field.startsWith('redis_') ? ['redis', field.slice('redis_'.length)] : null;

function upgraded(text: string) {
  const { documents } = parseFile('kong.yaml', Buffer.from(text));
  const { text: result, notes } = upgradeFile(documents, text, formatOf(documents), moves);
  return {
    text: result,
    notes: notes.map(({ location, message, byHand }) => `${location.line} ${byHand ? 'by hand: ' : ''}${message}`),
  };
}

const header = '_format_version: "3.0"\n';

describe('files of Kong 2.x', () => {
  it('are rewritten where something changed, and nowhere else', () => {
    const text = `# our gateway
_format_version: '1.1' # old
routes:
- name: a
  paths: ["/v1/(?<id>\\\\d+)$", '/plain', /x.*  ] # mixed
services:
  - name:   s
    routes:
      - paths:
          - /users/\\d+$   # ids
          - ~/is/one
          - /plain-_.~%20/
        name: r
`;
    const { text: result, notes } = upgraded(text);
    expect(result).toBe(
      text.replace("'1.1'", '"3.0"').replace('"/v1', '"~/v1').replace('/x.*', '~/x.*').replace('- /users', '- ~/users'),
    );
    expect(notes).toEqual([
      '2 _format_version is now "3.0"',
      '5 a path that is a regular expression begins with ~',
      '5 a path that is a regular expression begins with ~',
      '10 a path that is a regular expression begins with ~',
    ]);
    expect(upgraded(result)).toEqual({ text: result, notes: [] });
  });

  it('get a format where none has one', () => {
    expect(upgraded('# remark\nservices: []\n').text).toBe('# remark\n_format_version: "3.0"\nservices: []\n');
    expect(upgraded('{"services": []}').text).toBe('{"_format_version": "3.0", "services": []}');
    expect(upgraded('services: []\r\n').text).toBe('_format_version: "3.0"\r\nservices: []\r\n');
  });

  it('keep paths that variables bring, and say so', () => {
    const text = `_format_version: "1.1"\nroutes:\n- paths: ["$\{{ env "DECK_PATH" }}"]\n`;
    expect(upgraded(text)).toEqual({
      text: text.replace('1.1', '3.0'),
      notes: ['1 _format_version is now "3.0"', '3 by hand: a path that is a regular expression begins with ~'],
    });
  });
});

describe('fields of plugins', () => {
  it('are renamed in their own quotes, or taken out', () => {
    const text = `${header}plugins:
- name: acl
  run_on: first
  config: {"whitelist": [a], 'blacklist': [b]}
- name: pre-function
  config:
    functions: # what runs
    - return
- name: aws-lambda
  config:
    # old
    proxy_scheme: http
    function_name: f
- name: key-auth
  config: {whitelist: [kept]}
`;
    expect(upgraded(text).text).toBe(
      text
        .replace('  run_on: first\n', '')
        .replace('"whitelist"', '"allow"')
        .replace("'blacklist'", "'deny'")
        .replace('functions:', 'access:')
        .replace('    proxy_scheme: http\n', ''),
    );
  });

  it('are moved into a record, there already or not, with the remarks behind them', () => {
    const text = `${header}services:
- name: s
  plugins:
  - name: rate-limiting
    config:
      minute: 1
      redis_host: r # host
      policy: redis
      redis_port: 6379
  - name: rate-limiting
    config:
      redis:
        # own
        host: r
      redis_port: 1
`;
    expect(upgraded(text).text).toBe(`${header}services:
- name: s
  plugins:
  - name: rate-limiting
    config:
      minute: 1
      redis:
        host: r # host
        port: 6379
      policy: redis
  - name: rate-limiting
    config:
      redis:
        # own
        port: 1
        host: r
`);
  });

  it('are left to a person where that is not safe', () => {
    const text = `${header}plugins:
- name: acl
  config: {whitelist: [a], allow: [b]}
- name: rate-limiting
  config: {redis_host: r}
- run_on: first
  name: cors
`;
    expect(upgraded(text)).toEqual({
      text,
      notes: [
        '4 by hand: whitelist is now allow, which is there as well',
        '6 by hand: redis_host is now redis.host',
        '7 by hand: run_on is no longer there',
      ],
    });
  });

  it('that several places share are rewritten once', () => {
    const text = `${header}plugins:\n- name: acl\n  config: &c\n    whitelist: [a]\n- name: ip-restriction\n  config: *c\n`;
    expect(upgraded(text)).toEqual({ text: text.replace('whitelist', 'allow'), notes: ['5 whitelist is now allow'] });
  });
});
