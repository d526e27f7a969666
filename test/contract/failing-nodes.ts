import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/server.ts';
import { renderDbless } from '../../src/model/dbless-form.ts';
import { isJsonObject } from '../../src/model/json.ts';
import { bundledSchemas, offerOf } from './bench.ts';
import { applied, deck, settled } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import type { Contract } from './destination.ts';
import { behave } from './faults.ts';

const shop = deck({ services: [{ name: 'a', host: 'a.test', routes: [{ name: 'r', paths: ['/r'] }] }] });

function hashOf(emulator: RunningEmulator): unknown {
  const { body } = emulator.request('GET', '/status');
  return isJsonObject(body) ? body['configuration_hash'] : null;
}

/** What only nodes without a database can do wrong. */
export function failingNodes({ survives, wish, edition }: Contract): void {
  survives('knows beforehand the hash that every node reports', async (bench) => {
    await applied(bench, shop);
    const schemas = await bundledSchemas();
    const { state } = offerOf(shop, bench.scope, schemas[edition]).build(null);
    const wanted = createHash('md5').update(renderDbless(state)).digest('hex');
    expect(bench.emulators.map(hashOf)).toEqual(bench.emulators.map(() => wanted));
  });

  survives('feeds a node that has lost its state, and only that one', async (bench) => {
    await applied(bench, shop);
    const [first] = bench.emulators;
    first?.restart(false);
    bench.forget();
    await applied(bench, shop);
    expect(bench.writes()).toBe(1);
    expect(bench.emulators.map(hashOf)).not.toContain('0'.repeat(32));
    await settled(bench, shop);
  });

  survives('writes nothing to a node that kept its state over a restart', async (bench) => {
    await applied(bench, shop);
    for (const emulator of bench.emulators) emulator.restart(true);
    await settled(bench, shop);
  });

  const yaml = `_format_version: "3.0"
services:
- name: a
  host: a.test
  routes:
  - name: r
    paths: [/r]
consumers:
- username: ann
  custom_id: same
- username: bob
  custom_id: same
`;

  survives('finds the place in the files of what a node refuses, told entity by entity', async (bench) => {
    const bad = yaml.replace('host: a.test', 'host: "not a host"').replace('custom_id: same\n-', 'custom_id: x\n-');
    const delivered = await deliver(bench, { 'a.yaml': bad }, { rules: { 'entity-schema': 'off' } });
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/^a\.yaml:4 .* service "a" at host: /);
    expect(bench.emulators.map(hashOf)).toEqual(bench.emulators.map(() => '0'.repeat(32)));
  });

  survives('finds the place in the files of what a node loses when it tells entity by entity', async (bench) => {
    const rules = { 'unique-value': 'off', 'unique-name': 'off' } as const;
    const delivered = await deliver(bench, { 'a.yaml': yaml }, { rules });
    expect(delivered.end, wordsOf(delivered)).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/^a\.yaml:(9|10|11|12) .* consumer "(ann|bob)"/);
  });

  survives('tells what a node says that is about no entity', async (bench) => {
    const fields = { error: 'failed to read it' };
    behave(bench, {
      fail: { status: 400, path: '/config', body: { code: 14, message: 'no', fields, flattened_errors: {} } },
    });
    const delivered = await deliver(bench, shop);
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/refuses the configuration at error: failed to read it/);
  });

  survives('says both sizes of a configuration that is too large', async (bench) => {
    const limits = { ...bench.settings.limits, configLimitBytes: 100 };
    const delivered = await deliver(bench, shop, { settings: { limits } });
    expect(delivered).toMatchObject({ end: 'rejected', failure: { code: 'config-too-large' } });
    expect(wordsOf(delivered)).toMatch(/ is \d{3} bytes, more than .* 100 bytes .*nginx_admin_client_max_body_size/);
    behave(bench, { fail: { status: 413, path: '/config' } });
    const refused = await deliver(bench, shop);
    expect(refused).toMatchObject({ end: 'rejected', failure: { code: 'config-too-large', status: 413 } });
    expect(wordsOf(refused)).toMatch(/ is \d{3} bytes, more than .* takes/);
  });

  if ((wish.nodes ?? 1) < 2) return;

  survives('is confirmed by the quorum, and feeds the rest when it is back', async (bench) => {
    const [, second] = bench.emulators;
    const { connection } = bench.settings;
    if (connection.type !== 'dbless') throw new Error('not a set of nodes');
    const wish = { settings: { connection: { ...connection, quorum: 1 } } };
    second?.behaviour({ refuse: true });
    const delivered = await applied(bench, shop, wish);
    expect(delivered.ended).toMatchObject({
      confirmation: { detail: expect.stringMatching(/^live on 1\/2 nodes; http/) },
    });
    second?.behaviour({ refuse: null });
    const later = await applied(bench, shop, wish);
    expect(later.ended).toMatchObject({ confirmation: { detail: 'live on 2/2 nodes' } });
  });

  survives('is not confirmed by all while one does not answer', async (bench) => {
    const [first, second] = bench.emulators;
    second?.behaviour({ refuse: true });
    const delivered = await deliver(bench, shop);
    expect(delivered).toMatchObject({ end: 'failed', failure: { class: 'unreachable' } });
    expect(first === undefined ? null : hashOf(first)).not.toBe('0'.repeat(32));
    second?.behaviour({ refuse: null });
    await applied(bench, shop);
    await settled(bench, shop);
  });

  survives('goes on with the other node for schemas when the first is gone', async (bench) => {
    const [first] = bench.emulators;
    const { connection } = bench.settings;
    if (connection.type !== 'dbless') throw new Error('not a set of nodes');
    const wish = { settings: { connection: { ...connection, quorum: 1 } } };
    const destination = bench.open(wish.settings);
    await applied(bench, shop, { ...wish, destination });
    first?.behaviour({ refuse: true });
    const plugged = deck({ plugins: [{ name: 'cors' }] });
    await applied(bench, plugged, { ...wish, destination });
    first?.behaviour({ refuse: null });
  });
}
