import { beforeAll, describe, expect, it } from 'vitest';
import { type Built, isDegraded, isDeliverable } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { hasRefused, refusalsOf, withoutRefused } from '../../src/build/quarantine-refusals.ts';
import { allEntities, type State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, type Files, stateOfGood } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
});

function built(files: Files): Built {
  const whole = Object.entries(files).map(([file, text]) => [file, `_format_version: "3.0"\n${text}`]);
  return builtOf(Object.fromEntries(whole), schemas);
}

const good = (files: Files): State => stateOfGood(built(files));

function names({ state }: { readonly state: State }): readonly string[] {
  return allEntities(state).map((entity) => `${entity.kind} ${entity.name}`);
}

function out(result: Built): readonly string[] {
  return (result.quarantine?.leftOut ?? []).map(({ entity, cause, keptLastGood }) =>
    [keptLastGood ? 'kept' : 'out', entity.kind, entity.name, ...(cause === null ? [] : ['<', cause.name])].join(' '),
  );
}

const sound = `
services:
- name: sound
  host: sound.test
  routes: [{ name: sound, paths: [/sound] }]
`;

const place = { file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 2, pointer: null };

const broken = (fields: string) => `
services:
- name: orders
  ${fields}
  routes:
  - name: orders
    paths: [/orders]
    plugins: [{ name: file-log, config: { path: /dev/stdout } }]
`;

describe('a broken entity', () => {
  it('is left out with all that depends on it, and the rest goes on', () => {
    const result = quarantined(built({ 'a.yaml': broken('port: 70000'), 'b.yaml': sound }), null);
    expect(isDeliverable(result)).toBe(true);
    expect(result.valid).toBe(false);
    expect(names(result)).toEqual(['services sound', 'routes sound']);
    expect(out(result)).toEqual([
      'out services orders',
      'out routes orders < orders',
      expect.stringContaining('out plugins file-log'),
    ]);
    expect(result.quarantine?.leftOut[0]?.location).toMatchObject({ file: 'a.yaml', line: 4 });
  });

  it('is kept in its last good version, and what hangs on it too', () => {
    const lastGood = good({ 'a.yaml': broken('host: old.test'), 'b.yaml': sound });
    const result = quarantined(
      built({
        'a.yaml': broken('port: 70000'),
        'b.yaml': sound.replace('/sound', '/new'),
      }),
      lastGood,
    );
    expect(names(result)).toEqual([
      'services orders',
      'services sound',
      'routes orders',
      'routes sound',
      expect.any(String),
    ]);
    expect(result.state.byIdentity('services', 'orders')?.fields).toEqual({ name: 'orders', host: 'old.test' });
    expect(result.state.byIdentity('routes', 'sound')?.fields['paths']).toEqual(['/new']);
    // What is the same in both is not worth a word.
    expect(out(result)).toEqual(['kept services orders']);
  });

  it('is told though its last good version reads the same', () => {
    const twice = (plugins: string) => `plugins:\n- { name: file-log, config: { path: /a }${plugins} }\n`;
    const last = good({ 'a.yaml': twice('') });
    const now = built({ 'a.yaml': twice('') });
    const error = {
      rule: 'some-rule',
      severity: 'error' as const,
      message: 'declared twice',
      hint: '',
      locations: [],
      entities: [{ kind: 'plugins' as const, name: 'file-log' }],
    };
    const result = quarantined({ ...now, diagnostics: [error], valid: false, recheck: () => [] }, last);
    expect(out(result)).toEqual(['kept plugins file-log']);
    expect(isDegraded(result)).toBe(true);
    const ofNothing = quarantined(
      {
        ...now,
        diagnostics: [{ ...error, entities: [], locations: [place] }],
        valid: false,
        partOf: () => () => false,
      },
      last,
    );
    expect(out(ofNothing)).toEqual([]);
    expect(isDegraded(ofNothing)).toBe(true);
    expect(isDegraded(now)).toBe(false);
  });

  it('gives the same bytes whatever was good before, where nothing is broken', () => {
    const now = built({ 'b.yaml': sound });
    expect(quarantined(now, good({ 'a.yaml': broken('host: old.test') }))).toBe(now);
  });

  it('is not kept where its last good version clashes with what the revision has', () => {
    const lastGood = good({
      'a.yaml':
        'consumers:\n- username: ann\n  keyauth_credentials: [{ id: 0b1e9d6c-0000-4000-8000-000000000001, key: one-and-only }]\n',
    });
    const result = quarantined(
      built({
        'a.yaml':
          'consumers:\n- username: ann\n  keyauth_credentials: [{ id: 0b1e9d6c-0000-4000-8000-000000000001, key: 7, ttl: nonsense }]\n- username: bob\n  keyauth_credentials: [{ key: one-and-only }]\n',
      }),
      lastGood,
    );
    expect(names(result)).toEqual(['consumers ann', 'consumers bob', expect.stringMatching(/bob\/key-auth/)]);
    expect(out(result)).toEqual([expect.stringMatching(/^out keyauth_credentials 0b1e9d6c/)]);
  });
});

describe('what clashes', () => {
  const team = (user: string) => `consumers:\n- username: ${user}\n  keyauth_credentials: [{ key: shared-by-two }]\n`;

  it('is all out where nothing says who was first', () => {
    const result = quarantined(built({ 'a.yaml': team('ann'), 'b.yaml': team('bob'), 'c.yaml': sound }), null);
    expect(names(result)).toEqual(['consumers ann', 'consumers bob', 'services sound', 'routes sound']);
    expect(out(result)).toEqual([expect.stringMatching(/^out keyauth/), expect.stringMatching(/^out keyauth/)]);
  });

  it('leaves the one that was there before', () => {
    const result = quarantined(
      built({ 'a.yaml': team('ann'), 'b.yaml': team('bob') }),
      good({ 'a.yaml': team('ann') }),
    );
    expect(names(result)).toEqual(['consumers ann', 'consumers bob', expect.stringMatching(/ann\/key-auth/)]);
    expect(out(result)).toEqual([expect.stringMatching(/^out keyauth_credentials bob/)]);
  });
});

const guarded = (plugins: string, path = '/orders') => `
services:
- name: orders
  host: orders.test
  routes:
  - name: orders
    paths: [${path}]
    plugins: [${plugins}]
  - name: open
    paths: [/open]
`;
const keyAuth = '{ name: key-auth }';
const brokenAuth = '{ name: key-auth, config: { key_names: 7 } }';
const brokenJwt = '{ name: jwt, config: { key_claim_name: [] } }';
const brokenLog = '{ name: file-log, config: { path: 7 } }';

describe('it fails closed: what a broken plugin protects', () => {
  it('is not served without it', () => {
    const result = quarantined(built({ 'a.yaml': guarded(brokenAuth) }), null);
    expect(names(result)).toEqual(['services orders', 'routes open']);
    expect(out(result)).toEqual([
      expect.stringMatching(/^out routes orders < key-auth/),
      expect.stringMatching(/^out plugins/),
    ]);
  });

  it('is not served without it where it was before', () => {
    const result = quarantined(built({ 'a.yaml': guarded(brokenAuth) }), good({ 'a.yaml': guarded('') }));
    expect(names(result)).toEqual(['services orders', 'routes open']);
  });

  it('is kept as it was, with the plugin as it was', () => {
    const result = quarantined(
      built({ 'a.yaml': guarded(brokenAuth, '/orders, /more') }),
      good({ 'a.yaml': guarded(keyAuth) }),
    );
    expect(names(result)).toEqual([
      'services orders',
      'routes open',
      'routes orders',
      expect.stringContaining('plugins'),
    ]);
    expect(result.state.byIdentity('routes', 'orders')?.fields['paths']).toEqual(['/orders']);
  });

  it('is out where its protection was replaced by one that is broken', () => {
    const result = quarantined(built({ 'a.yaml': guarded(brokenJwt) }), good({ 'a.yaml': guarded(keyAuth) }));
    expect(names(result)).toEqual(['services orders', 'routes open']);
  });

  it('stays where the plugin only watches', () => {
    const result = quarantined(built({ 'a.yaml': guarded(`${keyAuth}, ${brokenLog}`) }), null);
    expect(names(result)).toEqual([
      'services orders',
      'routes open',
      'routes orders',
      expect.stringContaining('plugins key-auth'),
    ]);
  });

  it('is out where the last good version of the plugin was switched off', () => {
    const result = quarantined(
      built({ 'a.yaml': guarded(brokenAuth) }),
      good({ 'a.yaml': guarded('{ name: key-auth, enabled: false }') }),
    );
    expect(names(result)).toEqual(['services orders', 'routes open']);
  });

  it('is everything where the plugin is for everything', () => {
    const now = built({ 'a.yaml': sound, 'b.yaml': `plugins: [${brokenAuth}]\n` });
    const result = quarantined(now, null);
    expect(isDeliverable(result)).toBe(false);
    expect(result.quarantine?.refused).toContain('is for everything');
    const kept = quarantined(now, good({ 'b.yaml': `plugins: [${keyAuth}]\n` }));
    expect(isDeliverable(kept)).toBe(true);
    expect(out(kept)).toEqual([expect.stringMatching(/^kept plugins/)]);
  });

  it('is a last good route: what the revision took away from it comes back with it', () => {
    const now = built({ 'a.yaml': guarded('', '7').replace('paths: [7]', 'paths: [orders-without-a-slash]') });
    const result = quarantined(now, good({ 'a.yaml': guarded(keyAuth) }));
    expect(names(result)).toContain('routes orders');
    expect(names(result).some((name) => name.startsWith('plugins key-auth'))).toBe(true);
  });

  it('is a last good route: what the revision adds to it stays', () => {
    const now = built({ 'a.yaml': guarded(keyAuth).replace('paths: [/orders]', 'paths: [orders-without-a-slash]') });
    const result = quarantined(now, good({ 'a.yaml': guarded('') }));
    expect(names(result)).toContain('routes orders');
    expect(names(result).some((name) => name.startsWith('plugins key-auth'))).toBe(true);
  });

  it('is a last good route: it is out where the protection of its service went', () => {
    const service = (plugins: string, path: string) =>
      `services:\n- name: orders\n  host: orders.test\n  plugins: [${plugins}]\n  routes: [{ name: orders, paths: [${path}] }]\n`;
    const result = quarantined(
      built({ 'a.yaml': service('', 'no-slash') }),
      good({ 'a.yaml': service(keyAuth, '/orders') }),
    );
    expect(names(result)).toEqual(['services orders']);
  });

  it('is not taken by an open route: the revision is refused rather', () => {
    const routes = (plugins: string, wide: string) =>
      `services:\n- name: s\n  host: s.test\n  routes:\n  - { name: admin, paths: [/admin], plugins: [${plugins}] }\n  - { name: all, ${wide} }\n`;
    const replaced = (wide: string) =>
      quarantined(built({ 'a.yaml': routes(brokenJwt, wide) }), good({ 'a.yaml': routes(keyAuth, wide) }));
    for (const wide of ['paths: [/]', 'paths: [/adm]', 'methods: [GET]']) {
      expect(replaced(wide).quarantine?.refused, wide).toBe(
        'route "admin" cannot be left out: its requests would reach route "all", which lacks key-auth',
      );
    }
    for (const wide of [
      'paths: [/other]',
      'paths: [/], plugins: [{ name: key-auth }]',
      'paths: [/], protocols: [tcp]',
    ]) {
      const result = replaced(wide.includes('tcp') ? 'protocols: [tcp], destinations: [{ port: 9 }]' : wide);
      expect(result.quarantine?.refused, wide).toBe(null);
      expect(names(result)).not.toContain('routes admin');
    }
  });

  it('is a consumer that a broken membership keeps within limits', () => {
    const files = (member: string) => ({
      'a.yaml': `consumer_groups: [{ name: gold, tags: [${member}] }]\nconsumers:\n- username: ann\n  groups: [{ name: gold }]\n- username: bob\n`,
    });
    const result = quarantined(built(files('"a,b"')), null);
    expect(names(result)).toEqual(['consumers bob']);
    expect(names(quarantined(built(files('"a,b"')), good(files('fine'))))).toContain('consumers ann');
  });
});

describe('what depends on a broken entity without a reference', () => {
  it.each([
    ['a service on its upstream', 'upstreams: [{ name: pool, slots: 1 }]\nservices: [{ name: s, host: pool }]\n', []],
    [
      'a plugin on its fallback consumer, and the route on the plugin',
      'consumers: [{ username: guest, tags: ["a,b"] }]\nservices:\n- name: s\n  host: h.test\n  routes: [{ name: r, paths: [/r], plugins: [{ name: key-auth, config: { anonymous: guest } }] }]\n',
      ['services s'],
    ],
    [
      'a plugin on its vault',
      'vaults: [{ prefix: my-vault, name: env, tags: ["a,b"] }]\nplugins: [{ name: http-log, config: { http_endpoint: "{vault://my-vault/url}" } }]\n',
      [],
    ],
  ])('%s', (_, text, remains) => {
    expect(names(quarantined(built({ 'a.yaml': text }), null))).toEqual(remains);
  });
});

describe('a file that cannot be read', () => {
  it('keeps all of its last good version', () => {
    const lastGood = good({ 'a.yaml': guarded(keyAuth), 'b.yaml': sound });
    const result = quarantined(
      built({
        'a.yaml': 'services: [',
        'b.yaml': `${sound}  path: /new\n`.replace('  path: /new\n', '').replace('host: sound.test', 'host: new.test'),
      }),
      lastGood,
    );
    expect(isDeliverable(result)).toBe(true);
    expect(names(result)).toContain('routes orders');
    expect(result.state.byIdentity('services', 'sound')?.fields['host']).toBe('new.test');
    expect(out(result).every((line) => line.startsWith('kept '))).toBe(true);
    expect(out(result)).toHaveLength(4);
  });

  it('refuses the revision where it has none', () => {
    const result = quarantined(built({ 'a.yaml': 'services: [', 'b.yaml': sound }), good({ 'b.yaml': sound }));
    expect(isDeliverable(result)).toBe(false);
    expect(result.quarantine?.refused).toContain('a.yaml cannot be read and has no last good version');
  });

  it('is led to by what names something in it', () => {
    const plugin = 'plugins: [{ name: key-auth, service: orders }]\n';
    const lastGood = good({ 'a.yaml': guarded('') });
    const result = quarantined(built({ 'a.yaml': 'services: [', 'b.yaml': plugin }), lastGood);
    const made = result.state.entities.get('plugins')?.[0]?.references[0];
    expect(made).toMatchObject({ resolved: true, id: result.state.byIdentity('services', 'orders')?.id });
  });

  it('is not missed by tags that only it had', () => {
    const tagged = `_info: { select_tags: [mine] }\n${guarded('')}`;
    const result = quarantined(
      built({ 'a.yaml': `${tagged}]`, 'b.yaml': sound }),
      good({ 'a.yaml': tagged, 'b.yaml': sound }),
    );
    expect(result.quarantine?.refused).toContain('other tags would bound what is owned');
  });
});

describe('what a destination refuses', () => {
  const refusal = (name: string) =>
    ({
      rule: 'refused-by-destination',
      severity: 'error',
      message: `no ${name}`,
      hint: '',
      locations: [],
      entities: [{ kind: 'routes', name }],
    }) as const;

  it('is broken like what a rule refuses', () => {
    const now = built({ 'a.yaml': sound });
    const refusals = refusalsOf(now.state, [refusal('sound')]) ?? [];
    const result = quarantined(now, null, refusals);
    expect(names(result)).toEqual(['services sound']);
    expect(result.diagnostics).toContainEqual(refusal('sound'));
    expect(out(result)).toEqual(['out routes sound']);
  });

  it('is not kept in its last good version where that was refused too', () => {
    const before = good({ 'a.yaml': sound });
    const now = built({ 'a.yaml': sound.replace('[/sound]', '[/new]') });
    const refusals = [...(refusalsOf(now.state, [refusal('sound')]) ?? [])];
    expect(out(quarantined(now, before, refusals))).toEqual(['kept routes sound']);
    refusals.push(...(refusalsOf(before, [refusal('sound')]) ?? []));
    expect(out(quarantined(now, before, refusals))).toEqual(['out routes sound']);
    const older = good({ 'a.yaml': sound.replace('[/sound]', '[/old]') });
    expect(hasRefused(before, refusals)).toBe(true);
    const kept = quarantined(now, withoutRefused(before, refusals, older), refusals);
    expect(kept.state.byIdentity('routes', 'sound')?.fields['paths']).toEqual(['/old']);
  });

  it('is taken again once it reads otherwise', () => {
    const refusals = refusalsOf(built({ 'a.yaml': sound }).state, [refusal('sound')]) ?? [];
    const now = built({ 'a.yaml': sound.replace('[/sound]', '[/new]') });
    expect(quarantined(now, null, refusals)).toBe(now);
  });

  it('is nothing that could be left out where it names nothing', () => {
    expect(refusalsOf(built({ 'a.yaml': sound }).state, [{ ...refusal('x'), entities: [] }])).toBe(null);
  });
});
