import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { badInputs } from '../support/bad-input.ts';
import { until } from '../support/until.ts';
import { DaemonWorld, everywhere, files } from './world.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
let good = '';
beforeAll(async () => {
  world = await DaemonWorld.open();
});
afterAll(() => world.close());

test('an empty repository is said, and its first commit is taken up', async () => {
  await world.start();
  await until('the missing branch to be found', async () => (await world.status()).failure?.code === 'branch-missing');
  expect(world.writes()).toBe(0);
  good = await world.repository.commit({ files: files(1) });
  await world.applied(good);
});

/** A forge takes so many statuses at once (src/report/post-budget.ts); a process that starts anew has them all again. */
async function startAnew(): Promise<void> {
  await world.stop();
  await world.start();
  await world.applied(good);
}

const cases = badInputs.map((one, index) => ({ ...one, anew: index % 4 === 3 }));

describe.each(cases)('$name', ({ name, files: bad, rule, file, anew }) => {
  test('fails the commit and leaves the last good revision in force', async () => {
    if (anew) await startAnew();
    const writes = world.writes();
    const revision = await world.repository.commit({ files: bad(), message: name });
    await world.posted(revision, everywhere('failure'));
    expect(world.forge.newest(revision, 'konverge/validate')?.description).toContain(file);
    const { validation, destinations } = await world.status();
    expect(validation).toMatchObject({ revision, valid: false });
    expect(validation?.diagnostics.map((found) => [found.rule, found.locations[0]?.file])).toContainEqual([rule, file]);
    expect(destinations.map(({ state, revisionApplied }) => [state, revisionApplied])).toEqual(
      destinations.map(() => ['applied', good]),
    );
    expect(world.writes()).toBe(writes);
    const gone = Object.fromEntries(Object.keys(bad()).map((path) => [path, null]));
    good = await world.repository.commit({ files: gone, message: `without ${name}` });
    await world.applied(good);
    expect(world.writes()).toBe(writes);
  });
});

test('a path that is gone fails the commit, and empties nothing', async () => {
  await startAnew();
  const writes = world.writes();
  const paths = Object.keys(files(1));
  const revision = await world.repository.commit({ files: Object.fromEntries(paths.map((path) => [path, null])) });
  await world.posted(revision, everywhere('failure'));
  expect((await world.status()).validation?.diagnostics).toMatchObject([{ rule: 'path-missing' }]);
  expect(world.writes()).toBe(writes);
});

test('a path without anything in it is held, and empties nothing', async () => {
  const writes = world.writes();
  const revision = await world.repository.commit({ files: { 'gateway/readme.md': 'nothing yet\n' } });
  await until('the destinations to be held', async () =>
    (await world.status()).destinations.every(({ state, revision: of }) => state === 'held' && of === revision),
  );
  await world.posted(revision, { 'konverge/gateway': 'failure', 'konverge/edge': 'failure', konverge: 'failure' });
  expect(world.writes()).toBe(writes);
  const back = await world.repository.commit({ files: files(1) });
  await world.applied(back);
  expect(world.writes()).toBe(writes);
});
