import { expect, test } from 'vitest';
import { startEmulator as startKong } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startAzure } from '../support/forges/azure.ts';
import { startBitbucketCloud } from '../support/forges/bitbucket-cloud.ts';
import { startBitbucketDataCenter } from '../support/forges/bitbucket-data-center.ts';
import { forgeToken } from '../support/forges/emulator.ts';
import { startGitea } from '../support/forges/gitea.ts';
import { startGitlab } from '../support/forges/gitlab.ts';
import { startGitServer } from '../support/git-server.ts';
import { answerJson, startServer } from '../support/http-server.ts';

test('one run tells every forge that is configured; one that refuses changes nothing, and no token is shown', async () => {
  const git = await startGitServer();
  const folder = await temporaryFolder();
  const kong = await startKong({ flavour: 'kong', port: 0, controlPort: null });
  const [gitlab, gitea, forgejo, cloud, dataCenter, azure] = await Promise.all([
    startGitlab('acme/gateway'),
    startGitea('acme/gateway'),
    startGitea('acme/gateway'),
    startBitbucketCloud('acme/gateway'),
    startBitbucketDataCenter('ACME/gateway'),
    startAzure('acme/gateway'),
  ]);
  const all = { gitlab, gitea, forgejo, cloud, dataCenter, azure };
  forgejo.trouble = 'revoked';
  const people = await startServer((_, response) => answerJson(response, 200, {}));
  try {
    const repository = await git.createRepository('gateway.git');
    const revision = await repository.commit({
      files: { 'a.yaml': '_format_version: "3.0"\nservices: [{ name: orders, host: a.example.com }]\n' },
    });
    const token = `\${FORGE_TOKEN}`;
    await folder.write({
      'konverge.yaml': `repository: { url: "${repository.url}", branch: main }
destinations: [{ name: edge, kong: { url: "${kong.url}" } }]
storage: { path: "${folder.path}/store" }
server: { publicUrl: "https://konverge.example.com" }
notify: [{ url: "${people.url}/hush-hush", on: [applied] }]
status:
  gitlab: { url: "${gitlab.url}", project: acme/gateway, token: "${token}", context: eu }
  gitea: { url: "${gitea.url}", repository: acme/gateway, token: "${token}" }
  forgejo: { url: "${forgejo.url}", repository: acme/gateway, token: "${token}" }
  bitbucket: { url: "${cloud.url}", repository: acme/gateway, token: "${token}" }
  bitbucketDataCenter: { url: "${dataCenter.url}", repository: ACME/gateway, token: "${token}" }
  azure: { url: "${azure.url}", repository: acme/gateway, token: "${token}" }
`,
    });
    const run = await konverge(['run', '--once', '--config', `${folder.path}/konverge.yaml`], folder.path, {
      FORGE_TOKEN: forgeToken,
    });
    expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
    const held = Object.entries(all).map(([name, server]) => [
      name,
      Object.entries(server.held(revision))
        .map(([context, { state }]) => `${context} ${state}`)
        .sort(),
    ]);
    const success = ['konverge success', 'konverge/edge success', 'konverge/validate success'];
    expect(Object.fromEntries(held)).toEqual({
      gitlab: success.map((text) => text.replace('konverge', 'eu')),
      gitea: success,
      forgejo: [],
      cloud: success,
      dataCenter: success,
      azure: success,
    });
    expect(azure.held(revision)['konverge']?.targetUrl).toBe(`https://konverge.example.com/revisions/${revision}`);
    expect(gitlab.jobs.every(({ ref }) => ref === 'main')).toBe(true);
    expect(people.got.map(({ url, body }) => [url, JSON.parse(body).notices])).toMatchObject([
      ['/hush-hush', [{ outcome: 'applied', destination: 'edge', revision }]],
    ]);
    const log = `${run.stdout}${run.stderr}`;
    expect(log).not.toContain('hush');
    expect(log).toContain('status.forgejo');
    const basic = Buffer.from(`:${forgeToken}`).toString('base64');
    expect([forgeToken, basic].filter((secret) => log.includes(secret))).toEqual([]);
  } finally {
    await Promise.all([
      git.close(),
      kong.close(),
      people.close(),
      ...Object.values(all).map((server) => server.close()),
    ]);
    await folder.remove();
  }
});
