import { expect, it, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startForge } from '../support/forge-server.ts';
import { startGitServer } from '../support/git-server.ts';
import { until } from '../support/until.ts';

// Processes and threads take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 180_000 });

const service = (host: string) => ({
  'a.yaml': `_format_version: "3.0"\nservices: [{ name: orders, host: ${host} }]\n`,
});

it('a process reviews in a thread of its own, and its statuses lead to a page that shows the review', async () => {
  const git = await startGitServer();
  const folder = await temporaryFolder();
  const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  const forge = await startForge('acme/gateway', 'not-a-secret');
  const stop = new AbortController();
  let log = '';
  let running: ReturnType<typeof konverge> | null = null;
  try {
    const repository = await git.createRepository('gateway.git');
    const base = await repository.commit({ files: service('one.example.com') });
    await repository.setBranch('topic', base);
    const head = await repository.commit({ branch: 'topic', files: service('two.example.com') });
    forge.pulls.open({ head, source: 'topic' });
    await folder.write({
      'konverge.yaml': `repository: { url: "${repository.url}", branch: main, interval: 1s }
destinations: [{ name: edge, kong: { url: "${kong.url}" } }]
storage: { path: "${folder.path}/store" }
server: { listen: "127.0.0.1:0", publicUrl: "https://konverge.example.com" }
status: { github: { url: "${forge.url}", repository: acme/gateway, token: not-a-secret } }
review: { interval: 5s }
`,
    });
    running = konverge(['run', '--config', `${folder.path}/konverge.yaml`], folder.path, {}, stop.signal, (text) => {
      log += text;
    });
    await until('the review', () => forge.pulls.comments.length > 0, { limitMs: 120_000, shown: () => log });
    const status = forge.newest(head, 'konverge/plan');
    expect(status).toMatchObject({
      state: 'success',
      description: expect.stringContaining('1 to update at 1 destination'),
      target_url: `https://konverge.example.com/revisions/${head}`,
    });
    const [, url] = /"url":"(http:[^"]+)","message":"the status page is up"/.exec(log) ?? [];
    const page = await (await fetch(`${url}/revisions/${head}`)).text();
    expect(page).toContain('Proposed in #1: <span class="good">success</span>');
    expect(page).toContain('two.example.com');
    expect(await (await fetch(`${url}/revisions/${base}`)).text()).toContain('<td class="good">applied</td>');
    stop.abort();
    expect((await running).code).toBe(0);
  } finally {
    stop.abort();
    await running;
    await Promise.all([git.close(), kong.close(), forge.close()]);
    await folder.remove();
  }
});
