import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LocalReviews } from '../../src/daemon/reviewing/local-reviews.ts';
import type { ReviewMaker } from '../../src/daemon/reviewing/review-maker.ts';
import { ThreadReviews } from '../../src/daemon/reviewing/thread-reviews.ts';
import { asFailure } from '../../src/platform/failure.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { startGitServer } from '../support/git-server.ts';
import { manyServices, reviewJob, reviewSetup, seenAs } from '../support/review-setup.ts';
import { createServedRepository, type ServedRepository } from '../support/served-repository.ts';

// Threads take their time to start where much else runs.
vi.setConfig({ testTimeout: 120_000 });

const never = new AbortController().signal;
let folder: Folder;
let repository: ServedRepository;

beforeAll(async () => {
  folder = await temporaryFolder();
  const path = join(folder.path, 'gateway.git');
  repository = await createServedRepository(path, path);
});
afterAll(() => folder.remove());

/** How often this thread has a turn while something goes on. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let going = true;
  const count = async () => {
    while (going) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const counted = count();
  try {
    const result = await work();
    return { result, turns };
  } finally {
    going = false;
    await counted;
  }
}

async function propose(host: string): Promise<{ readonly base: string; readonly head: string }> {
  const base = await repository.commit({ files: manyServices(400, 'one.example.com') });
  await repository.setBranch('topic', base);
  const head = await repository.commit({ branch: 'topic', files: manyServices(400, host) });
  return { base, head };
}

it('a big review leaves this thread free, and says what it would say here', async () => {
  const { base, head } = await propose('two.example.com');
  const setup = reviewSetup(repository.path, join(folder.path, 'store'));
  const seen = await seenAs(manyServices(400, 'one.example.com'));
  const review = async (reviews: ReviewMaker) => {
    const digest = await reviews.see('gateway', seen, never);
    return { digest, made: await reviews.make(reviewJob(base, head), never) };
  };
  const [local, thread] = [new LocalReviews(setup, silentLog), new ThreadReviews(setup, silentLog)];
  try {
    const there = await turnsDuring(() => review(thread));
    const here = await turnsDuring(() => review(local));
    expect(there.result).toEqual(here.result);
    expect(there.result.made.verdict).toEqual({
      state: 'success',
      description: '1 to update at 1 destination; 1 warning',
    });
    expect(there.turns).toBeGreaterThan(20 * here.turns);
    // What is known there is not sent again.
    const again = await turnsDuring(() => thread.see('gateway', { ...seen }, never));
    expect(again).toEqual({ result: there.result.digest, turns: 1 });
  } finally {
    await Promise.all([local.close(), thread.close()]);
  }
});

it('a commit that nobody has is a failure of its own, as it is here', async () => {
  const base = await repository.commit({ files: manyServices(1, 'one.example.com') });
  const setup = reviewSetup(repository.path, join(folder.path, 'store'));
  const codes = [new LocalReviews(setup, silentLog), new ThreadReviews(setup, silentLog)].map(async (reviews) => {
    try {
      const job = reviewJob(base, 'f'.repeat(40), { isFork: true, headRef: null });
      return await reviews.make(job, never);
    } catch (thrown) {
      const { class: kind, code, hint } = asFailure(thrown)?.facts ?? {};
      return { kind, code, hint };
    } finally {
      await reviews.close();
    }
  });
  const [here, there] = await Promise.all(codes);
  expect(here).toMatchObject({
    kind: 'rejected',
    code: 'head-missing',
    hint: expect.stringContaining('other repositories'),
  });
  expect(there).toEqual(here);
});

it('nor over HTTP is a commit that nobody has a trouble of the server', async () => {
  const git = await startGitServer();
  try {
    const served = await git.createRepository('gateway.git');
    const base = await served.commit({ files: manyServices(1, 'one.example.com') });
    const setup = reviewSetup(served.url, join(folder.path, 'http-store'));
    const reviews = new LocalReviews(setup, silentLog);
    const failed = await reviews
      .make(reviewJob(base, 'f'.repeat(40)), never)
      .catch((thrown: unknown) => asFailure(thrown));
    expect(failed).toMatchObject({ facts: { class: 'rejected', code: 'head-missing' } });
    // The next one is none the worse for it.
    expect((await reviews.make(reviewJob(base, base), never)).verdict.description).toContain('not read yet');
    await reviews.close();
  } finally {
    await git.close();
  }
});

it('who stops is told at once, and a thread that was closed answers nobody', async () => {
  const base = await repository.commit({ files: manyServices(1, 'one.example.com') });
  const reviews = new ThreadReviews(reviewSetup(repository.path, join(folder.path, 'store')), silentLog);
  const stop = new AbortController();
  const made = reviews.make(reviewJob(base, base), stop.signal);
  stop.abort(new Error('enough'));
  await expect(made).rejects.toThrow('enough');
  await reviews.close();
});

it('a thread that ends fails what was asked of it, and the next review has a new one', async () => {
  const base = await repository.commit({ files: manyServices(1, 'one.example.com') });
  const setup = reviewSetup(repository.path, join(folder.path, 'store'));
  const lines: string[] = [];
  const log = { ...silentLog, error: (_: object, message: string) => void lines.push(message) };
  // What cannot be opened there ends it, as too little memory would.
  const broken = {
    ...setup,
    get destinations(): never {
      return (isBroken ? null : setup.destinations) as never;
    },
  };
  let isBroken = true;
  const reviews = new ThreadReviews(broken, log);
  try {
    const failed = await reviews
      .make(reviewJob(base, base), never)
      .catch((thrown: unknown) => asFailure(thrown)?.facts);
    expect(failed).toMatchObject({ class: 'rejected', code: 'review-fault' });
    expect(lines).toEqual(['the thread of the reviews ended']);
    isBroken = false;
    const made = await reviews.make(reviewJob(base, base), never);
    expect(made.verdict.state).toBe('error');
  } finally {
    await reviews.close();
  }
});
