import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { blocks, firstCells, read, shownCommands, words } from './pages.ts';

const page = read('docs/kubernetes.md');
const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
const folder = mkdtempSync(join(tmpdir(), 'konverge-kubernetes-'));
afterAll(async () => {
  await kong.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text.replaceAll('http://kong-admin:8001', kong.url));
}

/** The files that the page shows, by the paths in their first lines. */
const shown = blocks(page, 'yaml').flatMap((text) => {
  const [, path] = /^# (\S+)\n/.exec(text) ?? [];
  return path === undefined ? [] : [{ path, text }];
});

const slice = `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: orders-1, namespace: shop, labels: { kubernetes.io/service-name: orders } }
addressType: IPv4
ports: [{ name: http, port: 8080, protocol: TCP }]
endpoints: [{ addresses: [10.1.2.3], conditions: { ready: true } }]
`;

const key = { DECK_ALICE_KEY: '3f9c1a7be52d48060d1e' };

async function run(line: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const [, variables = '', rest = ''] = /^((?:[A-Z_]+=\S+ )*)konverge (.*)$/.exec(line) ?? [];
  const env = Object.fromEntries(
    variables
      .trim()
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => one.split('=') as [string, string]),
  );
  return konverge(words(rest), folder, env);
}

const commands = shownCommands(page);
const outputs = new Map<string, string>();

describe('the commands of docs/kubernetes.md', () => {
  beforeAll(async () => {
    for (const { path, text } of shown) write(path, text);
    // What the controller has delivered: with the addresses of pods.
    const manifests = shown.find(({ path }) => path === 'k8s/shop.yaml')?.text ?? '';
    write('cluster.yaml', (manifests + slice).replace(/'\$\{\{.*\}\}'/, key.DECK_ALICE_KEY));
    const fed = await konverge(['apply', 'cluster.yaml', '--set', 'kubernetes.targets=endpoints'], folder);
    expect([fed.code, fed.stdout]).toEqual([0, expect.stringContaining('created')]);
  });

  test.each(commands.filter((line) => !line.endsWith(' run')))('%s', async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    outputs.set(line.replace(/^.*?konverge /, ''), stdout);
  });

  test('show what the page says of them', () => {
    expect(outputs.get('render k8s --format deck')).toContain('shop.orders.orders.api.example.com.http');
    expect(JSON.parse(outputs.get('validate k8s --format json') ?? '').objects).toHaveLength(3);
    expect(outputs.get('plan cluster.yaml --set kubernetes.targets=endpoints')).toContain('no changes');
    const plan = outputs.get('plan k8s') ?? '';
    expect(plan).toContain('orders.shop.svc:80');
    expect(plan).toMatch(/1 to create, (?:none|\d+) to update, 1 to delete/);
    expect(outputs.get('render apps --format deck')).toMatch(
      /name: httproute\.shop\.orders\.0\.0[\s\S]*api\.example\.com/,
    );
    expect(outputs.get('render apps --format deck')).toContain('api.example.com');
  });
});

test('docs/kubernetes.md names every kind that is read', () => {
  const kinds = [...read('src/dialect/kubernetes/objects/kinds.ts').matchAll(/\b([A-Z]\w+): \['v/g)].map(
    ([, kind = '']) => kind,
  );
  const named = firstCells(page, 'kind').flatMap((cell) => cell.split(', '));
  expect([...named].sort()).toEqual([...new Set(kinds)].sort());
});
