import { dump } from 'js-yaml';
import { beforeAll, describe, expect, test } from 'vitest';
import { hiddenOf } from '../../src/build/shown/hidden-values.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../src/model/json.ts';
import { countEntities } from '../../src/model/state.ts';
import { renderDiagnosticsGitHub } from '../../src/render/diagnostics-github.ts';
import { renderDiagnosticsJson } from '../../src/render/diagnostics-json.ts';
import { renderDiagnosticsJUnit } from '../../src/render/diagnostics-junit.ts';
import { renderDiagnosticsSarif } from '../../src/render/diagnostics-sarif.ts';
import { renderDiagnosticsText } from '../../src/render/diagnostics-text.ts';
import { explain, rules } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { buildFiles } from '../rules/building.ts';

let schemas: Schemas;
beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
});

const marker = 'mArKeR';

/** Where a secret belongs, and what is next to it. */
const secret = `${marker}-that-nobody-may-see`;

const gateway: Json = {
  _format_version: '3.0',
  _plugin_configs: { shared: { secret, redis: { host: 'cache.example.com', password: secret } } },
  consumers: [
    {
      username: 'web',
      tags: ['a'],
      keyauth_credentials: [{ key: secret, ttl: 60, tags: ['a'] }],
      basicauth_credentials: [{ username: 'web', password: secret }],
      hmacauth_credentials: [{ username: 'web', secret }],
      jwt_secrets: [{ key: 'issuer', algorithm: 'HS256', secret }],
      oauth2_credentials: [
        { name: 'app', client_id: 'app', client_secret: secret, redirect_uris: ['https://a.example.com'] },
      ],
      plugins: [{ name: 'session', config: { secret, cookie_name: 'a' } }],
    },
  ],
  services: [
    {
      name: 'orders',
      host: 'orders.example.com',
      plugins: [
        {
          name: 'http-log',
          config: {
            http_endpoint: 'https://logs.example.com',
            headers: { authorization: secret },
            queue: { max_entries: 5 },
          },
        },
        {
          name: 'rate-limiting',
          config: { minute: 5, policy: 'redis', redis: { host: 'cache.example.com', port: 6379, password: secret } },
        },
      ],
    },
  ],
  certificates: [{ cert: 'none', key: secret, snis: [{ name: 'a.example.com' }] }],
  key_sets: [{ name: 'set' }],
  keys: [
    { name: 'pem', kid: 'pem', pem: { private_key: secret, public_key: 'none' } },
    { name: 'jwk', kid: 'jwk', jwk: secret },
  ],
  vaults: [{ name: 'hcv', prefix: 'hcv', config: { host: 'vault.example.com', port: 8200, token: secret } }],
  licenses: [{ payload: secret }],
  partials: [
    {
      name: 'cache',
      type: 'redis-ee',
      config: { host: 'cache.example.com', password: secret, sentinel_nodes: [{ host: 'a', port: 1 }] },
    },
  ],
  plugins: [{ name: 'session', config: { secret } }],
};

const manifests: readonly Json[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'web',
      labels: { 'konghq.com/credential': 'key-auth' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': secret },
    },
    stringData: { key: secret },
  },
  {
    apiVersion: 'configuration.konghq.com/v1',
    kind: 'KongPlugin',
    metadata: { name: 'session' },
    plugin: 'session',
    config: { secret, cookie_name: 'a' },
  },
  {
    apiVersion: 'configuration.konghq.com/v1',
    kind: 'KongConsumer',
    metadata: { name: 'web' },
    username: 'web',
    credentials: ['web'],
  },
  {
    apiVersion: 'configuration.konghq.com/v1alpha1',
    kind: 'KongVault',
    metadata: { name: 'hcv' },
    spec: { backend: 'hcv', prefix: 'hcv', config: { token: secret, port: 8200 } },
  },
  {
    apiVersion: 'configuration.konghq.com/v1alpha1',
    kind: 'KongLicense',
    metadata: { name: 'a' },
    rawLicenseString: secret,
  },
];

/** Every value of a document with its path. */
function values(value: Json, path: JsonPath = []): readonly (readonly [JsonPath, Json])[] {
  const inner = isJsonArray(value)
    ? value.flatMap((item, index) => values(item, [...path, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => values(item, [...path, key]))
      : [];
  return [[path, value], ...inner];
}

/** A document with its secrets made harmless but for what is put at a path; `key` renames the last step. */
function planted(document: Json, path: JsonPath, put: Json, key: string | null = null): Json {
  const change = (value: Json, at: JsonPath): Json => {
    if (at.length === path.length && at.every((step, index) => step === path[index])) return put;
    if (isJsonArray(value)) return value.map((item, index) => change(item, [...at, index]));
    if (isJsonObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => {
          const isRenamed = key !== null && at.length === path.length - 1 && name === path.at(-1) && isPrefix(at, path);
          return [isRenamed ? key : name, change(item, [...at, name])];
        }),
      );
    }
    return value === secret ? 'a-secret-that-is-made-up-and-long' : value;
  };
  return change(document, []);
}

function isPrefix(short: JsonPath, long: JsonPath): boolean {
  return short.every((step, index) => step === long[index]);
}

interface Variant {
  readonly name: string;
  readonly document: Json;
}

/** Names, and what else stands openly where it is a text: a text put there is no secret by any sign. */
const open =
  /(?:^|\/)(?:_[a-z_]+|name|username|host|kid|prefix|algorithm|client_id|cookie_name|policy|type|cert|public_key|http_endpoint|apiVersion|kind|plugin|backend|tags(?:\/\d+)?|redirect_uris\/\d+|credentials\/\d+|labels\/.*|jwt_secrets\/\d+\/key|snis\/\d+)$/;

function variantsOf(document: Json, isKept: (path: JsonPath) => boolean): readonly Variant[] {
  return values(document).flatMap(([path, value]): readonly Variant[] => {
    const at = path.join('/');
    if (path.length === 0 || isKept(path)) return [];
    const last = path.at(-1);
    const made: Variant[] = [];
    const add = (name: string, put: Json, key: string | null = null) =>
      made.push({ name: `${at} ${name}`, document: planted(document, path, put, key) });
    const isOpenText = /snis\/\d+$/.test(at) || (open.test(at) && typeof value === 'string');
    if (!isOpenText) add('as a text', secret);
    if (!at.endsWith('tags') && !at.includes('tags/')) {
      // A list of names may hold one more.
      if (!/(?:snis|redirect_uris|credentials)$/.test(at)) add('in a list', [secret]);
      add('in a mapping', { a: secret });
      add('deeper', [{ a: [secret] }]);
    }
    // A service has no secrets, so that a misspelt field of one is that field and nothing else.
    if (typeof last === 'string' && !/^services\/\d+\/(?:name|host)$/.test(at))
      add('misspelt', typeof value === 'object' ? [secret] : secret, `${last.slice(0, -1)}q`);
    return made;
  });
}

/** All that is printed of a text: of what is found in it, and of each of its lines as if something were. */
async function printed(file: string, text: string): Promise<{ readonly [form: string]: string }> {
  const files = new Map([[file, Buffer.from(text)]]);
  const built = await buildFiles(files, { edition: 'enterprise', rules: { 'plain-secret': 'error' } });
  const everywhere = text.split('\n').map((line, index): Diagnostic => {
    const place = { file, line: index + 1, column: 1, endLine: index + 1, endColumn: line.length + 1, pointer: '' };
    return { rule: 'any', severity: 'error', message: '', hint: '', locations: [place], entities: [] };
  });
  const { diagnostics } = built;
  const options = { sources: () => text, ...hiddenOf(() => text, built.state, schemas), color: false };
  return {
    text: renderDiagnosticsText(diagnostics, options),
    lines: renderDiagnosticsText(everywhere, options),
    json: renderDiagnosticsJson({ ...built, entities: countEntities(built.state) }),
    sarif: renderDiagnosticsSarif(diagnostics, { version: '0.1.0', rules, explain }),
    github: renderDiagnosticsGitHub(diagnostics),
    junit: renderDiagnosticsJUnit(diagnostics),
  };
}

const forms: readonly (readonly [string, (value: Json) => string])[] = [
  ['kong.yaml', (value) => dump(value)],
  ['kong.json', (value) => JSON.stringify(value, null, 2)],
  ['line.json', (value) => JSON.stringify(value)],
  ['flow.yaml', (value) => dump(value, { flowLevel: 3, lineWidth: -1 })],
];

async function leaks(variants: readonly Variant[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, document } of variants) {
    for (const [file, write] of forms) {
      for (const [form, output] of Object.entries(await printed(file, write(document)))) {
        if (output.includes(marker)) {
          const line = output.split('\n').find((candidate) => candidate.includes(marker)) ?? '';
          found.push(`${name} (${file}, ${form}): ${line.trim().slice(0, 200)}`);
        }
      }
    }
  }
  return found;
}

const parts = Object.entries(gateway as { readonly [key: string]: Json }).filter(([key]) => key !== '_format_version');

describe('a secret at any place where one may stand, in any shape, is never printed', () => {
  test.each(parts)('%s', async (key, value) => {
    const document = { _format_version: '3.0', [key]: value };
    expect(await leaks(variantsOf(document, (path) => path[0] === '_format_version'))).toEqual([]);
  });

  test.each(manifests.map((object) => [(object as { readonly kind: string }).kind, object] as const))(
    '%s',
    async (_, object) => {
      const isKept = (path: JsonPath) =>
        ['apiVersion', 'kind', 'metadata'].includes(String(path[0])) && !path.includes('annotations');
      expect(await leaks(variantsOf(object, isKept))).toEqual([]);
    },
  );
});

describe('a secret in a file that cannot be read is never printed', () => {
  const broken = [
    '*MARK',
    '&MARK MARK',
    '"MARK',
    "'MARK",
    '[MARK',
    '{MARK',
    '!MARK MARK',
    'MARK: MARK',
    '@MARK',
    '"\\qMARK"',
    '|MARK',
    '- MARK',
    '%MARK',
  ];

  test.each(parts)('%s', async (key, value) => {
    const document = { _format_version: '3.0', [key]: value };
    const found: string[] = [];
    for (const [path, inner] of values(document)) {
      if (inner !== secret) continue;
      const text = dump(planted(document, path, secret));
      for (const form of broken) {
        const torn = text.replace(secret, form.replaceAll('MARK', secret));
        for (const [output, shown] of Object.entries(await printed('kong.yaml', torn))) {
          if (shown.includes(marker)) {
            const line = shown.split('\n').find((candidate) => candidate.includes(marker)) ?? '';
            found.push(`${path.join('/')} ${form} (${output}): ${line.trim()}`);
          }
        }
      }
    }
    expect(found).toEqual([]);
  });

  test('whatever stands in its place', async () => {
    const texts = [
      `consumers:\n- username: web\n  keyauth_credentials: *${secret}\n`,
      `consumers:\n- username: web\n  keyauth_credentials: [*${secret}]\n`,
      `consumers:\n- username: web\n  keyauth_credentials:\n  - *${secret}\n`,
      `licenses: [${secret}\n`,
      `licenses:\n- payload: {${secret}\n`,
      `services:\n- name: a\n  url: htp://user:${secret}@host:port/\n\tx: 1\n`,
      `{"consumers": [{"username": "web", "keyauth_credentials" [{"key": "${secret}"}]}]}\n`,
      `{"consumers": [{"username": "web", "basicauth_credentials": [{"password" "${secret}"}]}]}\n`,
    ];
    for (const text of texts) {
      for (const [form, shown] of Object.entries(await printed('kong.yaml', text))) {
        expect(shown, `${form} of ${text}`).not.toContain(marker);
      }
    }
  });
});

test('an address with a user name and a password is not printed, whatever is wrong with it', async () => {
  const urls = [
    'http://u:MARK@h:port/',
    'htp://u:MARK@h',
    'http://u:MARK@',
    '//u:MARK@h',
    'u:MARK@h:80',
    'http:/u:MARK@h',
    'http://MARK:@h:99999',
  ];
  for (const url of urls) {
    for (const quoted of [url, JSON.stringify(url)].map((text) => text.replace('MARK', secret))) {
      const text = `_format_version: "3.0"\nservices:\n- name: a\n  url: ${quoted}\n  plugins:\n  - name: http-log\n    config:\n      http_endpoint: ${quoted}\n`;
      for (const [form, shown] of Object.entries(await printed('kong.yaml', text))) {
        expect(shown, `${form} of ${url}`).not.toContain(marker);
      }
    }
  }
});

test('what is known to be public is shown', async () => {
  const text = dump(gateway);
  const { lines = '' } = await printed('kong.yaml', text);
  for (const shown of [
    'username: web',
    'ttl: 60',
    'cookie_name: a',
    'max_entries: 5',
    'minute: 5',
    'client_id: app',
    'kid: pem',
    "_format_version: '3.0'",
  ]) {
    expect(lines).toContain(shown);
  }
});

describe('what is misspelt, or only another edition has,', () => {
  async function linesOf(text: string, edition: 'oss' | 'enterprise'): Promise<string> {
    const flavor = { version: '3.9', edition, router: 'traditional_compatible', editionSaid: false } as const;
    const other = await loadSchemas(flavor);
    const built = await buildFiles(new Map([['kong.yaml', Buffer.from(text)]]), { edition });
    const { diagnostics } = built;
    return renderDiagnosticsText(
      [
        ...diagnostics,
        ...text.split('\n').map((line, at): Diagnostic => {
          const place = { file: 'kong.yaml', line: at + 1, column: 1, endLine: at + 1, endColumn: line.length + 1 };
          const locations = [{ ...place, pointer: '' }];
          return { rule: 'any', severity: 'error', message: '', hint: '', locations, entities: [] };
        }),
      ],
      { sources: () => text, ...hiddenOf(() => text, built.state, other), color: false },
    );
  }

  test.each(['oss', 'enterprise'] as const)('is shown where it is public, with %s', async (edition) => {
    const lines = await linesOf(
      `_format_version: "3.0"
consumer_groups: [{ name: gold, tgas: [a] }]
partials: [{ name: cache, type: redis-ce, config: { host: cache.test, port: 6379 } }]
services: [{ name: a, hots: a.test, pth: /x, retrys: 3 }]
routes: [{ name: r, path: [/p] }]
upstreams: [{ nme: up, algoritm: round-robin }]
plugins:
- { name: key-auth, config: { key_name: [apikey], key_in_headers: true } }
- { name: canary, config: { percentage: 7, upstream_host: b.test } }
`,
      edition,
    );
    for (const shown of [
      '[{ name: gold, tgas: [a] }]',
      '{ name: cache, type: redis-ce, config: { host: cache.test, port: 6379 } }',
      '{ name: a, hots: a.test, pth: /x, retrys: 3 }',
      'path: [/p]',
      '{ nme: up, algoritm: round-robin }',
      'key_name: [apikey]',
      '{ percentage: 7, upstream_host: b.test }',
    ]) {
      expect(lines).toContain(shown);
    }
  });

  test.each(['oss', 'enterprise'] as const)('is not shown where it may be a secret, with %s', async (edition) => {
    const lines = await linesOf(
      `_format_version: "3.0"
partials: [{ name: cache, type: redis-ce, config: { host: cache.test, passwort: ${secret}, username: ${secret} } }]
services:
- { name: a, host: a.test, hots: "u:${secret}@a.test", plugin: ${secret}, password: ${secret}, x: ${secret} }
- { name: b, host: b.test, pluginss: [{ name: session, config: { secret: ${secret} } }] }
consumers: [{ usrename: ${secret} }]
plugins:
- { name: pre-function, config: { access: ["local k = '${secret}'"], log: ["f('${secret}')"] } }
- { name: http-log, config: { http_endpoint: "https://l.test", custom_fields_by_lua: { x: "return '${secret}'" } } }
- { name: key-auth, config: { key: ${secret}, passwrd: ${secret} } }
- { name: canary, config: { secrets: ${secret}, unheard_of: ${secret} } }
- { name: unheard-of, config: { secret: ${secret}, unheard_of: ${secret} } }
`,
      edition,
    );
    expect(lines.split('\n').filter((line) => line.includes(marker))).toEqual([]);
  });
});
