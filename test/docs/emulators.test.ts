import { afterAll, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { firstCells, read, shownCommands, words } from './pages.ts';

const page = read('docs/emulators.md');
const start = (flavour: 'kong' | 'dbless' | 'konnect') => startEmulator({ flavour, port: 0, controlPort: 0 });
const kong = await start('kong');
const dbless = await start('dbless');
const konnect = await start('konnect');
afterAll(() => Promise.all([kong, dbless, konnect].map((emulator: RunningEmulator) => emulator.close())));

/** Does what a curl command of the page does; the ports of the page stand for the running emulators. */
async function curl(line: string): Promise<Response> {
  const [, ...given] = words(line);
  const valuesAfter = (option: string) =>
    given.flatMap((word, index) => (word === option ? [given[index + 1] ?? ''] : []));
  const url = (given.find((word) => word.startsWith('http')) ?? '')
    .replace('http://127.0.0.1:8901', kong.controlUrl ?? '')
    .replace('http://127.0.0.1:8903', konnect.controlUrl ?? '')
    .replace('http://127.0.0.1:8001', kong.url)
    .replace('http://127.0.0.1:8002', dbless.url)
    .replace('http://127.0.0.1:8003', konnect.url);
  const parts = [...valuesAfter('-d'), ...valuesAfter('--data-binary')];
  const body = parts.length === 0 ? undefined : parts.join('&');
  const [method = body === undefined ? 'GET' : 'POST'] = valuesAfter('-X');
  const headers = valuesAfter('-H').map((header): [string, string] => {
    const [name = '', value = ''] = header.split(': ');
    return [name, value];
  });
  // What curl says of a body when it is told nothing else.
  if (body !== undefined && headers.length === 0) headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
}

const curls = shownCommands(page).filter((line) => line.startsWith('curl '));

describe('docs/emulators.md', () => {
  test.each(curls)('%s', async (line) => {
    const answer = await curl(line);
    // The page shows two refusals: what /schemas and /config find.
    const isRefused = line.includes('/validate') || line.includes('flatten_errors');
    expect(isRefused ? [400] : [200, 201]).toContain(answer.status);
    const otherWriter = JSON.stringify(await answer.json());
    if (line.includes('otherWriter')) expect(otherWriter).toContain('"status":201');
  });

  test('shows every switch of its table in use', () => {
    const switches = firstCells(page, 'switch');
    expect(switches.filter((name) => !curls.some((line) => line.includes(`"${name}"`)))).toEqual([]);
  });

  test('has every switch that there is', async () => {
    const answer = await fetch(`${kong.controlUrl}/behaviour`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(200);
    const keys = /const changes = z\.strictObject\(\{([\s\S]*?)\n\}\);/.exec(
      read('src/emulator/http/control-api.ts'),
    )?.[1];
    const names = [...(keys ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name);
    expect([...firstCells(page, 'switch')].sort()).toEqual(names.sort());
  });
});
