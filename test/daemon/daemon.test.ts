import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Build, Scope } from '../../src/build/built.ts';
import { Daemon, type DaemonStatus } from '../../src/daemon/daemon.ts';
import { gitFailure } from '../../src/git/git-failure.ts';
import type { Repository } from '../../src/git/repository.ts';
import { Lane } from '../../src/lane/lane.ts';
import { alone } from '../../src/lane/lease.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

let assumed: Schemas;
beforeAll(async () => {
  assumed = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

const pollMs = 60_000;

const scope: Scope = {
  include: [],
  excludeFiles: [],
  excludeKinds: [],
  excludeTags: [],
  tags: [],
  workspace: null,
  controlPlane: null,
};

/** A branch of commits `r0`, `r1`, …, whose history or remote may be out of reach. */
class Branch implements Repository {
  readonly commits: string[] = [];
  lost: 'nothing' | 'history' | 'remote' = 'nothing';
  looks = 0;

  async resolve() {
    if (this.lost === 'remote') throw unreachable();
    return { found: true, revision: `r${this.commits.length - 1}` } as const;
  }

  async fetch(): Promise<void> {}

  async read(revision: string): Promise<Snapshot> {
    const text = `_format_version: "3.0"\n${this.commits[Number(revision.slice(1))] ?? ''}`;
    const file = { type: 'file', bytes: Buffer.from(text), blob: null } as const;
    return { revision, entries: new Map([['a.yaml', file]]) };
  }

  async ancestors(revision: string, limit: number): Promise<readonly string[]> {
    this.looks += 1;
    if (this.lost !== 'nothing') throw unreachable();
    const at = Number(revision.slice(1));
    return Array.from({ length: Math.min(at, limit) }, (_, back) => `r${at - back - 1}`);
  }

  async text() {
    return { message: '', signature: null };
  }

  async describe() {
    return { title: '', author: '', at: 0 };
  }

  async close(): Promise<void> {}
}

const unreachable = () =>
  gitFailure({ class: 'unreachable', code: 'timeout', message: 'The remote does not answer.', hint: '' });

const good = 'services: [{ name: orders, host: orders.example.com }]\n';
const bad = 'services: [{ name: orders, host: orders.example.com, port: 70000 }]\n';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A daemon whose destinations never answer, on a clock that stands still. */
function follow(commits: readonly string[], names: readonly string[] = ['edge'], builder: Build = build) {
  const clock = new VirtualClock(0);
  const branch = new Branch();
  branch.commits.push(...commits);
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const shared = { clock, random: () => 0, log: silentLog };
  const lanes = names.map((name) => ({
    lane: new Lane({
      destination: {
        name,
        identify: never,
        schemas: (_, signal) => never(signal),
        read: (_, signal) => never(signal),
        preflight: async () => [],
        apply: (_state, _delivery, signal) => never(signal),
        inPlace: () => ({ confirmed: false, detail: '', incomplete: false, unread: [] }),
        close: async () => undefined,
      },
      plan: () => {
        throw new TypeError('nothing is planned');
      },
      policy: { drift: 'correct', driftIntervalMs: 1_000 },
      lease: alone,
      report: () => undefined,
      ...shared,
    }),
    // The builder is told by its tags for whom it builds.
    scope: { ...scope, tags: [name] },
  }));
  let last: DaemonStatus | null = null;
  let broken = false;
  const daemon = new Daemon({
    repository: branch,
    branch: 'main',
    intervalMs: pollMs,
    history: 500,
    lanes,
    builds: { build: builder, assumed, now: () => 0, settings: { rules: {}, environment: () => undefined } },
    changed: (status) => {
      last = status;
      if (broken) throw new Error('whoever listens broke');
    },
    ...shared,
  });
  const stop = new AbortController();
  const ended = daemon.run(stop.signal);
  stops.push(async () => {
    stop.abort(new Error('the test is over'));
    await ended;
    clock.assertIdle();
  });
  const settle = async () => {
    for (let turns = 0; turns < 20; turns += 1) await clock.settle();
  };
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await settle();
  };
  return {
    branch,
    daemon,
    clock,
    settle,
    pass,
    told: () => last,
    breakListener: () => {
      broken = true;
    },
    lane: (name = 'edge') => daemon.status.lanes.find(({ destination }) => destination === name),
  };
}

describe('the search for the last good revision', () => {
  test('is repeated after a growing wait where the history is out of reach, and says so', async () => {
    const { branch, settle, pass, lane, told } = follow([good, bad]);
    branch.lost = 'history';
    await settle();
    expect(lane()).toMatchObject({
      state: 'pending',
      detail: expect.stringContaining('The remote does not answer.'),
      waitingFor: expect.stringContaining('the next poll'),
      nextTryAt: 500,
      failure: { code: 'timeout' },
    });
    expect(told()?.lanes[0]?.waitingFor).toBe(lane()?.waitingFor);
    await pass(499);
    expect(branch.looks).toBe(1);
    await pass(1);
    expect(branch.looks).toBe(2);
    expect(lane()?.nextTryAt).toBe(1_500);
    branch.lost = 'nothing';
    await pass(1_000);
    expect(lane()).toMatchObject({ state: 'delivering', revision: 'r0', failure: null });
    expect(branch.looks).toBe(3);
  });

  test('is repeated as soon as the remote has answered again', async () => {
    const { branch, settle, pass, lane, clock } = follow([good, bad]);
    branch.lost = 'history';
    await settle();
    // Failing for long, so that the next try is far away.
    for (let polls = 0; polls < 12; polls += 1) {
      branch.lost = 'remote';
      await pass(pollMs);
    }
    const nextTry = lane()?.nextTryAt ?? 0;
    expect(nextTry - clock.now()).toBeGreaterThan(pollMs);
    branch.lost = 'nothing';
    await pass(pollMs);
    expect(lane()).toMatchObject({ state: 'delivering', revision: 'r0' });
  });

  test('ends with a newer revision, good or bad', async () => {
    const { branch, settle, pass, lane } = follow([good, bad]);
    branch.lost = 'history';
    await settle();
    branch.commits.push(bad);
    await pass(pollMs);
    expect(lane()).toMatchObject({ state: 'pending', failure: { code: 'timeout' } });
    branch.commits.push(good);
    await pass(pollMs);
    expect(lane()).toMatchObject({ state: 'delivering', revision: 'r3', failure: null });
    const { looks } = branch;
    await pass(pollMs * 10);
    expect(branch.looks).toBe(looks);
  });

  test('that finds none says that it waits for a valid revision', async () => {
    const { settle, lane } = follow([bad, bad]);
    await settle();
    expect(lane()).toMatchObject({ state: 'pending', waitingFor: 'a valid revision', failure: null });
  });
});

describe('a fault of Konverge itself while a revision is taken up', () => {
  /** Builds, but for the destinations in the set. */
  const failing =
    (names: ReadonlySet<string>): Build =>
    (snapshot, settings) => {
      if (settings.scope?.tags.some((tag) => names.has(tag))) throw new TypeError('cannot be built');
      return build(snapshot, settings);
    };

  test('is said, and the revision is taken up again at the next poll', async () => {
    const broken = new Set(['edge']);
    const { daemon, settle, pass, lane } = follow([good], ['edge'], failing(broken));
    await settle();
    expect(daemon.status.watcher).toMatchObject({ revision: null, failure: { code: 'internal-fault' } });
    await pass(pollMs);
    expect(daemon.status.watcher.failure).not.toBeNull();
    broken.clear();
    await pass(pollMs);
    expect(daemon.status.watcher).toMatchObject({ revision: 'r0', failure: null });
    expect(lane()).toMatchObject({ state: 'delivering', revision: 'r0' });
  });

  test('with one destination keeps the revision from no other, and offers it to each once', async () => {
    const broken = new Set(['edge']);
    const { daemon, settle, pass, lane } = follow([good], ['edge', 'core'], failing(broken));
    await settle();
    expect(lane('core')).toMatchObject({ state: 'delivering', revision: 'r0' });
    expect(lane('edge')).toMatchObject({ state: 'pending' });
    expect(daemon.status).toMatchObject({ validation: null, watcher: { failure: { code: 'internal-fault' } } });
    const { generation } = lane('core') ?? {};
    await pass(pollMs);
    broken.clear();
    await pass(pollMs);
    expect(lane('edge')).toMatchObject({ state: 'delivering', revision: 'r0' });
    expect(lane('core')?.generation).toBe(generation);
    expect(daemon.status).toMatchObject({ validation: { valid: true }, watcher: { failure: null } });
  });

  test('is none where only who listens has one', async () => {
    const { daemon, breakListener, lane, settle } = follow([good]);
    breakListener();
    await settle();
    expect(lane()).toMatchObject({ revision: 'r0' });
    expect(daemon.status.watcher).toMatchObject({ revision: 'r0', failure: null });
  });
});

test('more findings than a call takes arguments are no fault', async () => {
  const many: Build = (snapshot, settings) => {
    const built = build(snapshot, settings);
    const finding = { rule: 'a', severity: 'warning', hint: '', locations: [], entities: [] } as const;
    return { ...built, diagnostics: Array.from({ length: 250_000 }, (_, at) => ({ ...finding, message: `${at}` })) };
  };
  const { daemon, settle } = follow([good], ['edge'], many);
  await settle();
  expect(daemon.status.watcher).toMatchObject({ revision: 'r0', failure: null });
  expect(daemon.status.validation?.diagnostics).toHaveLength(250_000);
});
