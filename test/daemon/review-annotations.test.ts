import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Answers } from '../../src/daemon/reviewing/answers.ts';
import { LocalReviews } from '../../src/daemon/reviewing/local-reviews.ts';
import { PullRecords } from '../../src/daemon/reviewing/pull-records.ts';
import { Telling } from '../../src/daemon/reviewing/telling.ts';
import { github } from '../../src/forge/github.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { PostBudget } from '../../src/report/post-budget.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startForge } from '../support/forge-server.ts';
import { reviewJob, reviewSetup } from '../support/review-setup.ts';
import { createServedRepository } from '../support/served-repository.ts';

it('a GitHub App shows what a review found at the lines of the proposed files, from the root of the repository', async () => {
  const never = new AbortController().signal;
  const folder = await temporaryFolder();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const known = { id: '7', installation: 11, publicKey };
  const server = await startForge('acme/gateway', 'no-token', known);
  const path = join(folder.path, 'gateway.git');
  const repository = await createServedRepository(path, path);
  const clock = new VirtualClock(Date.now());
  const forge = github({
    url: server.url,
    repository: 'acme/gateway',
    context: 'konverge',
    clock,
    createHttpClient,
    app: { id: known.id, installation: known.installation, key: privateKey },
  });
  const base = await repository.commit({ files: { 'deploy/kong.yaml': '_format_version: "3.0"\n' } });
  await repository.setBranch('topic', base);
  const wrong = '_format_version: "3.0"\nservices:\n  - { name: a, host: a.example.com, prot: 80 }\n';
  const head = await repository.commit({ branch: 'topic', files: { 'deploy/kong.yaml': wrong } });
  const plain = reviewSetup(path, join(folder.path, 'store'));
  const reviews = new LocalReviews({ ...plain, repository: { ...plain.repository, path: 'deploy' } }, silentLog);
  const answers = await Answers.open(join(folder.path, 'answers.json'), silentLog);
  try {
    if (forge.pullRequests === undefined) throw new TypeError('GitHub has pull requests');
    const telling = new Telling({
      forge: { ...forge, pullRequests: forge.pullRequests },
      place: 'here',
      settings: { comment: true },
      context: 'konverge',
      answers,
      publicUrl: 'https://konverge.example.com/',
      budget: new PostBudget(),
      clock,
      random: () => 0.5,
      log: silentLog,
    });
    const { number } = server.pulls.open({ head });
    const [pullRequest] = await forge.pullRequests.listOpen('main', never);
    if (pullRequest === undefined) throw new TypeError('there is one');
    const record = new PullRecords().of(number);
    record.made = await reviews.make(reviewJob(base, head), never);
    await telling.tell(pullRequest, record, 'status', never);
    await telling.tell(pullRequest, record, 'comment', never);
    expect(server.checks?.runs).toMatchObject([
      {
        sha: head,
        name: 'konverge/plan',
        conclusion: 'failure',
        details_url: `https://konverge.example.com/revisions/${head}`,
        annotations: [{ path: 'deploy/kong.yaml', start_line: 3, annotation_level: 'failure' }],
      },
    ]);
    expect(server.pulls.comments).toHaveLength(1);
  } finally {
    await Promise.all([reviews.close(), answers.close(), forge.close(), server.close()]);
    await folder.remove();
  }
});
