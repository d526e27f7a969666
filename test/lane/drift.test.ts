import { describe, expect, test } from 'vitest';
import { type LogFields, silentLog } from '../../src/platform/log.ts';
import { Bench } from './bench.ts';

const one = { a: '1', b: '1', c: '1' };

/** A bench whose log is kept, with a revision in force. */
async function inForce(world: ConstructorParameters<typeof Bench>[1] = {}): Promise<{ bench: Bench; lines: string[] }> {
  const lines: string[] = [];
  const keep = (fields: LogFields, message: string) => {
    lines.push(`${message}: ${String(fields['what'] ?? '')}`);
  };
  const log = { ...silentLog, warn: keep, error: keep };
  const bench = new Bench({}, { log, ...world });
  await bench.offer(one);
  await bench.settle();
  return { bench, lines };
}

async function changed(bench: Bench, content: { readonly [name: string]: string }): Promise<void> {
  bench.sim.destination.drift(new Map(Object.entries(content)));
  await bench.clock.advance(300_000);
  await bench.settle();
}

describe('what another writer did', () => {
  test('is told before it is put right, and stays in the status', async () => {
    const { bench, lines } = await inForce();
    await changed(bench, { a: 'by hand', c: '1', x: 'foreign' });
    expect(bench.holds()).toEqual(one);
    expect(lines).toEqual([
      'another writer was here: service "x" was made; service "b" was deleted; service "a" was changed',
    ]);
    expect(bench.status).toMatchObject({
      state: 'applied',
      drift: [
        { did: 'made', entity: { kind: 'services', name: 'x' }, seenAt: 300_000, times: 1, outcome: 'corrected' },
        { did: 'deleted', entity: { name: 'b' } },
        { did: 'changed', entity: { name: 'a' } },
      ],
    });
  });

  test('is told as it is left under report', async () => {
    const { bench } = await inForce({ policy: { drift: 'report', driftIntervalMs: 300_000 } });
    await changed(bench, { ...one, a: 'by hand' });
    expect(bench.status).toMatchObject({
      state: 'drifted',
      detail: 'live state differs: 1 to update; service "a" was changed',
      drift: [{ outcome: 'reported' }],
    });
  });

  test('is forgotten with the next revision', async () => {
    const { bench } = await inForce();
    await changed(bench, { ...one, a: 'by hand' });
    await bench.offer({ ...one, a: '2' });
    await bench.settle();
    expect(bench.status.drift).toEqual([]);
  });
});

describe('another writer that keeps at it', () => {
  async function flapping(): Promise<{ bench: Bench; lines: string[] }> {
    const ready = await inForce();
    for (let times = 0; times < 3; times += 1) await changed(ready.bench, { ...one, a: `by hand ${times}` });
    expect(ready.bench.holds()).toEqual(one);
    return ready;
  }

  test('is not fought for ever, while all else is put right', async () => {
    const { bench } = await flapping();
    await changed(bench, { a: 'by hand again', c: '1' });
    expect(bench.holds()).toEqual({ ...one, a: 'by hand again' });
    expect(bench.status).toMatchObject({
      state: 'drifted',
      detail: 'another writer keeps changing the same, and it is left as it is: service "a" was changed',
      waitingFor: 'the other writer to stop, a newer revision, or sync',
      counts: { driftsCorrected: 4 },
    });
    const writes = bench.calls('write');
    await bench.clock.advance(3_000_000);
    await bench.settle();
    expect(bench.calls('write')).toBe(writes);
  });

  test('that stops is watched as before', async () => {
    const { bench } = await flapping();
    await changed(bench, { ...one, a: 'by hand again' });
    await changed(bench, one);
    expect(bench.status.state).toBe('applied');
    await changed(bench, { ...one, a: 'once more' });
    expect(bench.holds()).toEqual(one);
  });

  test('is overruled by sync and by a newer revision', async () => {
    const { bench } = await flapping();
    await changed(bench, { ...one, a: 'by hand again' });
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status.state).toBe('applied');
  });

  test('that deletes what others may depend on is reported', async () => {
    const { bench, lines } = await inForce();
    for (let times = 0; times < 4; times += 1) await changed(bench, { b: '1', c: '1' });
    expect(bench.status).toMatchObject({
      state: 'drifted',
      detail: expect.stringContaining('service "a" was deleted'),
    });
    expect(lines.at(-2)).toContain(
      'another writer keeps changing the same, and is left to it: service "a" was deleted',
    );
    expect(bench.holds()).toEqual({ b: '1', c: '1' });
  });

  test('now and then is put right each time', async () => {
    const { bench } = await inForce();
    for (let times = 0; times < 6; times += 1) {
      await changed(bench, { ...one, a: `by hand ${times}` });
      expect(bench.holds()).toEqual(one);
      for (let quiet = 0; quiet < 6; quiet += 1) {
        await bench.clock.advance(300_000);
        await bench.settle();
      }
    }
    expect(bench.status.state).toBe('applied');
  });
});
