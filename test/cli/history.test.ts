import { expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';

const revision = 'b'.repeat(40);

function entry(destination: string, at: string, event: string, more: object = {}): object {
  return { at, destination, event, revision, detail: `detail of ${event}`, failure: null, plan: null, ...more };
}

const plan = {
  fingerprint: 'sha256:f',
  summary: { create: 1, update: 1, delete: 0, unchanged: 0 },
  changes: [
    { action: 'create', kind: 'routes', name: 'orders', fields: [] },
    { action: 'update', kind: 'keyauth_credentials', name: 'ann/key-auth', fields: ['/tags', '/ttl'] },
    { action: 'delete', kind: 'of-a-newer-version', name: 'x', fields: [] },
  ],
  more: 0,
};

const kept: { readonly [name: string]: readonly object[] } = {
  edge: [
    entry('edge', '2026-03-01T09:21:10.700Z', 'held', { plan }),
    entry('edge', '2026-03-01T09:25:00.000Z', 'approved', { detail: 'approved by ann: incident 42' }),
  ],
  'prod-eu': [
    entry('prod-eu', '2026-03-01T09:20:00.000Z', 'applied'),
    entry('prod-eu', '2026-03-01T09:22:00.000Z', 'refused', {
      revision: null,
      failure: { code: 'unknown-field', message: 'a.yaml:3 no' },
    }),
  ],
};

async function said(...words: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  const folder = await temporaryFolder({
    'konverge.yaml': `destinations:
  - { name: edge, kong: { url: "http://127.0.0.1:1" } }
  - { name: prod-eu, kong: { url: "http://127.0.0.1:2" } }
`,
  });
  const server = await startServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://localhost').searchParams.get('destination') ?? '';
    response.end(JSON.stringify({ entries: kept[name] ?? [] }));
  });
  try {
    return await konverge(['history', ...words, '--url', server.url], folder.path);
  } finally {
    await server.close();
    await folder.remove();
  }
}

test('tells what happened everywhere in order of time, with the destination, in words of people, and who approved', async () => {
  const { code, stdout } = await said();
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      '2026-03-01 09:20:00Z  prod-eu  applied  bbbbbbbbbb  detail of applied',
      '2026-03-01 09:21:10Z  edge     held  bbbbbbbbbb  detail of held',
      '    create route "orders"',
      '    update key-auth credential "ann/key-auth": /tags, /ttl',
      '    delete of-a-newer-version "x"',
      '2026-03-01 09:22:00Z  prod-eu  refused  none  detail of refused',
      '    unknown-field: a.yaml:3 no',
      '2026-03-01 09:25:00Z  edge     approved  bbbbbbbbbb  approved by ann: incident 42',
      '',
    ].join('\n'),
  );
});

test('tells the same as JSON, and of one destination alone', async () => {
  const all: { readonly entries: readonly { readonly destination: string }[] } = JSON.parse(
    (await said('--format', 'json')).stdout,
  );
  expect(all.entries.map(({ destination }) => destination)).toEqual(['prod-eu', 'edge', 'prod-eu', 'edge']);
  expect((await said('edge')).stdout).toMatch(/^2026-03-01 09:21:10Z {2}edge {2}held/);
});
