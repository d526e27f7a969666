import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import { openWorld } from '../../src/daemon/edge.ts';
import { LocalReviews } from '../../src/daemon/reviewing/local-reviews.ts';
import type { ReviewMaker } from '../../src/daemon/reviewing/review-maker.ts';
import { type StartedDaemon, startDaemon } from '../../src/daemon/start.ts';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import type { HttpClient } from '../../src/platform/http-client.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { PostBudgets } from '../../src/report/post-budgets.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startForge } from '../support/forge-server.ts';
import { createServedRepository } from '../support/served-repository.ts';

const second = 1_000;
const minute = 60 * second;
const branches = ['main', 'stage', 'dev'] as const;
const [commits, pulls] = [300, 40];
const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** A request to the forge: when, and how it was answered. */
interface Asked {
  readonly at: number;
  readonly method: string;
  status: number;
}

/** The most that happened in one span: the sum of what each is worth. */
function mostWithin(asked: readonly Asked[], span: number, worth: (one: Asked) => number): number {
  let [most, sum, from] = [0, 0, 0];
  for (const one of asked) {
    sum += worth(one);
    for (let first = asked[from]; first !== undefined && first.at <= one.at - span; first = asked[from]) {
      sum -= worth(first);
      from += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

const isWrite = ({ method }: Asked) => method !== 'GET';

it(`${commits} commits in ten minutes on three branches with ${pulls} open pull requests stay under GitHub’s secondary limits`, {
  timeout: 300_000,
}, async () => {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'gateway.git');
  const repository = await createServedRepository(path, path);
  const forge = await startForge('test/gateway', 'not-a-secret');
  const kongs = new Map<string, RunningEmulator>();
  const clock = new VirtualClock(Date.UTC(2031, 0, 1));
  const asked: Asked[] = [];
  const open = { all: 0, forge: 0, most: 0 };
  const real = await openWorld();
  /** Whatever asks somebody, so that time passes when nobody is asked; what the forge is asked is kept. */
  const counted = (client: HttpClient, isForge: boolean): HttpClient => ({
    request: async (request, signal) => {
      const one: Asked = { at: clock.monotonic(), method: request.method, status: 0 };
      open.all += 1;
      if (isForge) {
        asked.push(one);
        open.forge += 1;
        open.most = Math.max(open.most, open.forge);
      }
      try {
        const answer = await client.request(request, signal);
        one.status = answer.status;
        return answer;
      } finally {
        open.all -= 1;
        if (isForge) open.forge -= 1;
      }
    },
    close: () => client.close(),
  });
  /** Time passes when no review is being made, either. */
  const waitedFor = (reviews: ReviewMaker): ReviewMaker => ({
    see: (destination, seen, signal) => reviews.see(destination, seen, signal),
    make: async (job, signal) => {
      open.all += 1;
      try {
        return await reviews.make(job, signal);
      } finally {
        open.all -= 1;
      }
    },
    close: () => reviews.close(),
  });
  const settle = async () => {
    for (let quiet = 0; quiet < 2; quiet = open.all === 0 ? quiet + 1 : 0) await pause(3);
  };
  const pass = async (ms: number, step: number) => {
    for (let passed = 0; passed < ms; passed += step) {
      await clock.advance(step);
      await settle();
    }
  };

  // One process with three configurations, as `konverge run` starts them.
  const budgets = new PostBudgets();
  const stop = new AbortController();
  // Every request under way listens to it, as in the command.
  setMaxListeners(1_000, stop.signal);
  const daemons: StartedDaemon[] = [];
  for (const branch of branches) {
    const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
    kongs.set(branch, kong);
    await repository.commit({ branch, parents: [], files: { 'start.yaml': service('start') } });
    const store = join(folder.path, branch);
    mkdirSync(store);
    const text = `repository: { url: "${path}", branch: ${branch}, interval: 5s }
destinations: [{ name: kong-${branch}, kong: { url: "${kong.url}" } }]
status: { github: { url: "${forge.url}", repository: test/gateway, token: not-a-secret, context: "${branch}" } }
review: { interval: 30s, commands: true }
`;
    const configuration = loadConfiguration(['konverge.yaml'], noOverrides, {
      env: () => undefined,
      readFile: () => text,
    });
    daemons.push(
      await startDaemon(configuration, {
        ...real,
        createHttpClient: (options) => counted(real.createHttpClient(options), options.baseUrl === forge.url),
        clock,
        random: () => 0.5,
        log: silentLog,
        env: () => undefined,
        store,
        budgets,
        openReviews: (setup, log) => waitedFor(new LocalReviews(setup, log)),
        changed: () => undefined,
      }),
    );
  }
  const heads = new Map<number, string>();
  for (let at = 0; at < pulls; at += 1) {
    const base = branches[at % 3] ?? 'main';
    const source = `topic/${at}`;
    await repository.setBranch(source, (await repository.tip(base)) ?? '');
    const head = await repository.commit({ branch: source, files: { [`pull-${at}.yaml`]: service(`pull-${at}`) } });
    heads.set(forge.pulls.open({ head, source, base }).number, head);
  }
  const running = Promise.all(daemons.map((daemon) => daemon.run(stop.signal)));
  ends.push(async () => {
    stop.abort();
    await running;
    await Promise.all([...daemons, ...kongs.values(), forge].map((one) => one.close()));
    await folder.remove();
  });
  await pass(2 * minute, 5 * second);

  const tips = new Map<string, string>();
  for (let at = 0; at < commits; at += 1) {
    const branch = branches[at % 3] ?? 'main';
    tips.set(branch, await repository.commit({ branch, files: { [`s${at}.yaml`]: service(`s${at}`) } }));
    // Now and then somebody pushes to a pull request.
    if (at % 20 === 0) {
      const number = 1 + ((at / 20) % pulls);
      const head = await repository.commit({
        branch: `topic/${number - 1}`,
        files: { [`more-${at}.yaml`]: service(`more-${at}`) },
      });
      forge.pulls.push(number, head);
      heads.set(number, head);
    }
    await pass(2 * second, 2 * second);
  }
  await pass(60 * minute, 20 * second);

  expect(mostWithin(asked, minute, (one) => (isWrite(one) ? 1 : 0))).toBeLessThanOrEqual(80);
  expect(mostWithin(asked, 60 * minute, (one) => (isWrite(one) ? 1 : 0))).toBeLessThanOrEqual(500);
  expect(mostWithin(asked, minute, (one) => (isWrite(one) ? 5 : 1))).toBeLessThanOrEqual(900);
  expect(open.most).toBeLessThanOrEqual(100);
  // Of what is asked over and over nothing is sent twice.
  const lists = asked.filter((one) => !isWrite(one));
  const notModified = lists.filter(({ status }) => status === 304).length;
  expect(notModified).toBeGreaterThan(lists.length / 2);
  for (const [branch, tip] of tips) {
    expect(forge.newest(tip, branch)?.state).toBe('success');
  }
  for (const [number, head] of heads) {
    const branch = branches[(number - 1) % 3] ?? 'main';
    expect(forge.newest(head, `${branch}/plan`)).toMatchObject({ state: 'success' });
    const own = forge.pulls.comments.filter((one) => one.number === number);
    expect(own).toHaveLength(1);
    expect(own[0]?.body).toContain(`${head.slice(0, 7)} merged with ${tips.get(branch)?.slice(0, 7)}`);
    expect(own[0]?.body).toContain(
      `| kong-${branch} | ${forge.newest(head, `${branch}/plan`)?.description.split(' ')[0]} | 0 | 0 | 101 |`,
    );
  }
});

function service(name: string): string {
  return `_format_version: "3.0"\nservices: [{ name: ${name}, host: ${name}.example.com }]\n`;
}
