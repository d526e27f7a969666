// What a review of a large repository costs the process that delivers: npx tsx bench/reviews.ts [ROUTES]. The same change
// is reviewed in the thread of the deliveries and in a thread of its own; measured is how long the former was not free.
// Ends with exit code 1 when a review in a thread of its own keeps it for more than a twentieth of that.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalReviews } from '../src/daemon/reviewing/local-reviews.ts';
import type { ReviewMaker } from '../src/daemon/reviewing/review-maker.ts';
import { ThreadReviews } from '../src/daemon/reviewing/thread-reviews.ts';
import { silentLog } from '../src/platform/log.ts';
import { manyServices, reviewJob, reviewSetup, seenAs } from '../test/support/review-setup.ts';
import { createServedRepository } from '../test/support/served-repository.ts';

const routes = Number(process.argv[2] ?? 10_000);
const mostShare = 1 / 20;
const never = new AbortController().signal;

/** The longest time that this thread had no turn, in milliseconds. */
async function keptDuring(work: () => Promise<unknown>): Promise<number> {
  let [longest, going] = [0, true];
  const watching = (async () => {
    for (let before = performance.now(); going; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
    }
  })();
  await work();
  going = false;
  await watching;
  return longest;
}

const folder = await mkdtemp(join(tmpdir(), 'konverge-reviews-'));
try {
  const path = join(folder, 'gateway.git');
  const repository = await createServedRepository(path, path);
  const files = manyServices(routes / 2, 'one.example.com');
  const base = await repository.commit({ files });
  await repository.setBranch('topic', base);
  const head = await repository.commit({ branch: 'topic', files: manyServices(routes / 2, 'two.example.com') });
  const setup = reviewSetup(path, join(folder, 'store'));
  const seen = await seenAs(files);
  const review = async (reviews: ReviewMaker) => {
    await reviews.see('gateway', seen, never);
    await reviews.make(reviewJob(base, head), never);
    await reviews.close();
  };
  const here = await keptDuring(() => review(new LocalReviews(setup, silentLog)));
  const there = await keptDuring(() => review(new ThreadReviews(setup, silentLog)));
  process.stdout.write(`| one review, ${routes} routes | longest without a turn |
| --- | ---: |
| in the thread of the deliveries | ${Math.round(here)} ms |
| in a thread of its own | ${Math.round(there)} ms |
`);
  process.exitCode = there <= here * mostShare ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
