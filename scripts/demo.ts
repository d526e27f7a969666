/**
 * The demo: a sample repository on a real Git server, emulators of a Kong with a database, two DB-less Kong nodes and a
 * Konnect control plane, a forge, and the daemon, all on loopback. Prints what happens as it happens; ends with exit
 * code 0 only if every step had the expected outcome. `--once` ends it after the last step.
 */
import { setMaxListeners } from 'node:events';
import { clash, clashMended, firstRevision, goodChange, limitOf } from './demo/files.ts';
import { expect, StepFailed, until } from './demo/until.ts';
import { type DemoWorld, openDemo } from './demo/world.ts';

setMaxListeners(1_000);
const once = process.argv.includes('--once');
const colour = process.stdout.isTTY === true && !process.env['NO_COLOR'];
const destinations = ['gateway', 'edge', 'konnect'] as const;
const changesWhileKonnectHangs = 10;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function heading(text: string): void {
  say(`\n${colour ? `\u001b[1m${text}\u001b[0m` : text}`);
}

const writesOf = (world: DemoWorld) =>
  [world.kong, ...world.nodes, world.konnect].reduce((sum, emulator) => sum + emulator.counters().writes, 0);

async function confirmed(world: DemoWorld, names: readonly string[], revision: string): Promise<void> {
  await until(`${names.join(', ')} to have ${revision.slice(0, 10)}`, () =>
    names.every((name) => world.lane(name).applied === revision && world.lane(name).state === 'applied'),
  );
}

async function posted(world: DemoWorld, revision: string, states: Readonly<Record<string, string>>): Promise<void> {
  await until(`the commit statuses of ${revision.slice(0, 10)}`, () =>
    Object.entries(states).every(([context, state]) => world.forge.newest(revision, context)?.state === state),
  );
  for (const context of Object.keys(states)) {
    const status = world.forge.newest(revision, context);
    say(`  ${revision.slice(0, 10)}  ${status?.state.padEnd(8)} ${context.padEnd(18)} ${status?.description}`);
  }
}

const everywhere = (state: string) => ({
  'konverge/validate': state,
  'konverge/gateway': state,
  'konverge/edge': state,
  'konverge/konnect': state,
  konverge: state,
});

async function steps(world: DemoWorld): Promise<void> {
  heading('1. The first revision is delivered to all three destinations');
  const first = await world.repository.commit({ files: firstRevision, message: 'Orders, catalogue and the shop' });
  await world.start(true);
  await confirmed(world, destinations, first);
  await posted(world, first, everywhere('success'));

  heading('2. A good change is delivered');
  const good = await world.repository.commit({ files: goodChange, message: 'A third target, a higher limit' });
  await confirmed(world, destinations, good);
  await posted(world, good, everywhere('success'));

  heading('3. A change with a clash is refused, with file and line; the last good revision stays in force');
  const before = writesOf(world);
  const bad = await world.repository.commit({ files: clash, message: 'A partner takes a key that is in use' });
  await until('the clash to be found', () => world.daemon().daemon.status.validation?.revision === bad);
  await posted(world, bad, everywhere('failure'));
  const found = world.daemon().daemon.status.validation?.diagnostics.find(({ rule }) => rule === 'unique-credential');
  expect('the clash names both files', (found?.locations.length ?? 0) >= 2);
  for (const place of found?.locations ?? []) say(`  ${place.file}:${place.line}:${place.column}`);
  expect(
    'every destination still has the good revision',
    destinations.every((name) => world.lane(name).applied === good),
  );
  expect('nothing was written for it', writesOf(world) === before);

  heading('4. Konnect hangs: the gateways carry on');
  const mended = await world.repository.commit({ files: clashMended, message: 'A key of its own for the partner' });
  await confirmed(world, destinations, mended);
  world.konnect.behaviour({ hang: true });
  let newest = mended;
  for (let change = 1; change <= changesWhileKonnectHangs; change += 1) {
    newest = await world.repository.commit({ files: limitOf(100 + change), message: `Limit ${100 + change}` });
    await confirmed(world, ['gateway', 'edge'], newest);
  }
  say(`  ${changesWhileKonnectHangs} changes are confirmed on the gateways`);
  await until('Konnect to be found unreachable', () => world.lane('konnect').state === 'unreachable');
  const waiting = world.lane('konnect');
  say(`  Konnect is "${waiting.state}": ${waiting.detail}; waits for ${waiting.waitingFor}`);
  expect('Konnect has none of them', waiting.applied === mended);
  const konnectWrites = world.konnect.counters().writes;
  world.konnect.behaviour({ hang: null });
  await confirmed(world, ['konnect'], newest);
  const caughtUp = world.konnect.counters().writes - konnectWrites;
  say(`  Konnect is back and has the newest change only: ${caughtUp} write`);
  expect('Konnect was written to once', caughtUp === 1);
  await posted(world, newest, everywhere('success'));

  heading('5. Drift is put right');
  const removed = world.kong.request('DELETE', `/plugins/${pluginId(world)}`);
  expect('another client deleted the rate limit', removed.status === 204);
  say('  another client deleted the rate limit of /orders on the gateway');
  await until('the rate limit to be back', () => hasPlugin(world) && world.lane('gateway').state === 'applied');
  say(`  it is back; drifts put right: ${world.lane('gateway').counts.driftsCorrected}`);

  heading('6. A restart, with an empty store, writes nothing');
  const writes = writesOf(world);
  await world.start(true);
  await confirmed(world, destinations, newest);
  say(`  writes since: ${writesOf(world) - writes}`);
  expect('a restart writes nothing', writesOf(world) === writes);
}

function plugins(world: DemoWorld): readonly { readonly id: string; readonly name: string }[] {
  const { body } = world.kong.request('GET', '/plugins');
  const answer: { readonly data: readonly { readonly id: string; readonly name: string }[] } =
    typeof body === 'string' ? JSON.parse(body) : JSON.parse(JSON.stringify(body));
  return answer.data;
}

const hasPlugin = (world: DemoWorld) => plugins(world).some(({ name }) => name === 'rate-limiting');
const pluginId = (world: DemoWorld) => plugins(world).find(({ name }) => name === 'rate-limiting')?.id ?? '';

async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    // The servers keep the process alive; the interval does where they are gone.
    const alive = setInterval(() => undefined, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve();
      });
    }
  });
}

const world = await openDemo(colour);
try {
  await steps(world);
  heading('Every step had the expected outcome.');
  if (!once) {
    say(`The status page: ${world.statusPage()}/\nIt stays up until Ctrl-C.`);
    await untilStopped();
  }
} catch (thrown) {
  process.exitCode = 1;
  if (thrown instanceof StepFailed) process.stderr.write(`\ndemo: ${thrown.message}\n`);
  else throw thrown;
} finally {
  await world.close();
}
