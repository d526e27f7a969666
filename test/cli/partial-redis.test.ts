import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

const files = {
  'kong.yaml': `_format_version: "3.0"
partials:
  - { name: cache, type: redis-ce, config: { host: cache.example.com } }
  - { name: cache-ee, type: redis-ee, config: { host: cache.example.com } }
plugins:
  - name: rate-limiting
    config: { minute: 5, policy: redis }
    partials: [{ name: cache }]
  - name: response-ratelimiting
    config: { limits: { a: { minute: 1 } }, policy: redis }
    partials: [{ name: cache, path: config.redis }]
  - name: rate-limiting-advanced
    config: { limit: [5], window_size: [60], strategy: redis, sync_rate: 1, namespace: a }
    partials: [{ name: cache-ee }]
  - name: proxy-cache-advanced
    config: { strategy: redis }
    partials: [{ name: cache-ee }]
`,
};

const wanting = `_format_version: "3.0"
plugins:
  - name: rate-limiting
    config: { minute: 5, policy: redis }
`;

describe.each(['3.10', '3.14'])('what a plugin has from its partial is not missing, on Kong %s', (version) => {
  let folder: Folder;
  let kong: RunningEmulator;
  beforeEach(async () => {
    kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null, edition: 'enterprise', version });
    folder = await temporaryFolder(files);
  });
  afterEach(() => Promise.all([kong.close(), folder.remove()]));
  const assumed = ['--set', 'kong.edition=enterprise', '--set', `kong.version="${version}"`];
  const run = (...words: readonly string[]): Promise<Ran> => konverge(words, folder.path);

  test('offline, before it is written, and as it is written', async () => {
    expect(await run('validate', ...assumed, '.')).toMatchObject({ code: 0 });
    expect(await run('validate', '--kong', kong.url, '.')).toMatchObject({ code: 0 });
    expect(await run('apply', '--kong', kong.url, '.')).toMatchObject({ code: 0 });
    expect(await run('plan', '--kong', kong.url, '--exit-code', '.')).toMatchObject({ code: 0 });
  });

  test('and is missing without one', async () => {
    await folder.write({ 'kong.yaml': wanting });
    for (const words of [assumed, ['--kong', kong.url]]) {
      const { code, stdout } = await run('validate', ...words, '.');
      expect(code).toBe(1);
      expect(stdout).toContain('config.redis.host');
    }
  });
});
