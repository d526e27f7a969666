import { expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import type { Configuration } from '../../src/config/settings.ts';

function load(destinations: string): Configuration {
  const sources = { env: () => undefined, readFile: () => `destinations:\n${destinations}` };
  return loadConfiguration(['/k.yaml'], noOverrides, sources);
}

function faults(destinations: string): readonly string[] {
  try {
    load(destinations).destination('b');
  } catch (thrown) {
    if (thrown instanceof ConfigurationError)
      return thrown.message.split('\n').map((line) => line.replace('/k.yaml:', ''));
    throw thrown;
  }
  return [];
}

const kong = 'kong: { url: "http://a:8001" }';
const [kongB, kongC] = ['b', 'c'].map((host) => `kong: { url: "http://${host}:8001" }`);

test('roll-out settings are read, with their defaults', () => {
  const configuration = load(`- { name: a, ${kong} }
- name: b
  ${kongB}
  after: [a]
  soak: 10m
  windows: [{ cron: "0 8 * * mon-fri", duration: 9h, timeZone: Europe/Berlin }]
  freeze: { until: 2027-01-02, reason: holidays }
  probes: [{ url: "https://shop.example.com/health" }, { url: "http://n:8100/status", expectStatus: 204, timeout: 1s, within: 2m }]
  updateInterval: 10s
  policy: { onUnhealthy: rollback, protect: [], driftIgnore: ["upstreams/*/tags", "consumers/ann"], driftReport: ["routes/*"] }
`);
  const { rollout, policy } = configuration.destination('b');
  expect(rollout).toMatchObject({
    after: ['a'],
    soakMs: 600_000,
    windows: [{ durationMs: 9 * 3_600_000, timeZone: 'Europe/Berlin' }],
    freeze: { until: Date.UTC(2027, 0, 2), reason: 'holidays' },
    probes: [
      { url: 'https://shop.example.com/health', expectStatus: 200, timeoutMs: 5000, withinMs: 30_000 },
      { url: 'http://n:8100/status', expectStatus: 204, timeoutMs: 1000, withinMs: 120_000 },
    ],
    updateIntervalMs: 10_000,
  });
  expect(policy).toMatchObject({
    onUnhealthy: 'rollback',
    protect: [],
    driftIgnore: ['upstreams/*/tags', 'consumers/ann'],
    driftReport: ['routes/*'],
  });
  expect(configuration.destination('a').policy).toMatchObject({ onUnhealthy: 'hold', protect: ['konverge-protected'] });
});

test('what waits for itself, or for nobody, is an error', () => {
  const circle = `- { name: a, ${kong}, after: [c] }\n- { name: b, ${kongB}, after: [a] }\n- { name: c, ${kongC}, after: [b, x] }\n`;
  expect(faults(circle)).toEqual([
    '2:54: destinations.a.after[0] leads back to `a`: a waits for c waits for b waits for a. Take one of them out, or no revision would ever go out',
    '3:54: destinations.b.after[0] leads back to `b`: b waits for a waits for c waits for b. Take one of them out, or no revision would ever go out',
    '4:54: destinations.c.after[0] leads back to `c`: c waits for b waits for a waits for c. Take one of them out, or no revision would ever go out',
    '4:57: destinations.c.after[1] is `x`, and there is no such destination. Name one of this file',
  ]);
  expect(faults(`- { name: b, ${kong}, after: [b] }\n`)[0]).toContain('leads back to `b`: b waits for b');
});

test('what cannot be read is told with its place', () => {
  const text = (extra: string) => faults(`- name: b\n  ${kong}\n  ${extra}\n`)[0];
  expect(text('windows: [{ cron: "0 8 * *", duration: 1h }]')).toContain('must be a cron expression of five fields');
  expect(text('windows: [{ cron: "0 0 30 2 *", duration: 1h }]')).toContain('would never open');
  expect(text('windows: [{ cron: "0 8 * * *", duration: 1h, timeZone: Mars }]')).toContain('name of a time zone');
  expect(text('freeze: { until: tomorrow }')).toContain('must be a date such as');
  expect(text('policy: { driftIgnore: [upstreams] }')).toContain('KIND/NAME');
  expect(text('policy: { driftReport: [upstreams] }')).toContain('KIND/NAME');
  expect(text('probes: [{ url: "ftp://x" }]')).toContain('must be an http or https URL');
});

test('what takes its configuration whole cannot leave anything alone', () => {
  const nodes = (exclude: string) => `- name: b\n  kong: { dns: "a:8001" }\n  exclude: { ${exclude} }\n`;
  const message = 'cannot be left alone with `dns`: a DB-less node takes its configuration whole';
  expect(faults(nodes('kinds: [consumers]'))[0]).toContain(`destinations.b.exclude.kinds ${message}`);
  expect(faults(nodes('tags: [x]'))[0]).toContain(`destinations.b.exclude.tags ${message}`);
  expect(faults(nodes('kinds: [consumers], tags: [x], prune: true'))).toEqual([]);
  expect(faults(nodes('files: ["x/**"]'))).toEqual([]);
});

test.each(['driftIgnore', 'driftReport'])('what is owned whole has no %s', (key) => {
  const nodes = `- name: b\n  kong: { nodes: ["http://a:8001"] }\n  policy: { ${key}: ["upstreams/*"] }\n`;
  expect(faults(nodes)[0]).toContain(`policy.${key} cannot be used with \`nodes\``);
});
