import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { commitSigned, pgpSignature, pgpSigner } from '../support/signed-commit.ts';
import { sshSigner } from '../support/ssh-signer.ts';
import { until } from '../support/until.ts';
import { DaemonWorld, everywhere, files, secrets } from './world.ts';

let world: DaemonWorld;
const ada = sshSigner();
const stranger = sshSigner();

beforeEach(async () => {
  world = await DaemonWorld.open();
  const written = await readFile(join(world.folder.path, 'konverge.yaml'), 'utf8');
  const verify = '  verify: { signatures: required, keys: [keys/*.asc, keys/allowed_signers] }\n';
  await world.folder.write({
    'konverge.yaml': written.replace('  interval: 1s\n', `  interval: 1s\n${verify}`),
    'keys/grace.asc': (await pgpSigner({ name: 'Grace' })).publicKey,
    'keys/allowed_signers': `ada@example.com ${ada.publicKey}\n`,
  });
});

afterEach(async () => {
  await world.close();
});

const bySsh = (signer: typeof ada) => (payload: Uint8Array) => signer.sign(payload);

/** Waits until the newest revision is refused with a code. */
async function refused(revision: string, code: string): Promise<void> {
  let last: unknown;
  await until(
    `${revision} to be refused`,
    async () => {
      const { validation } = await world.status();
      last = validation;
      return validation?.revision === revision && validation.diagnostics[0]?.rule === code;
    },
    { shown: () => last },
  );
}

/** So many consumers, one of whom is needed by nobody. */
const consumers = (count: number) => ({
  'gateway/people.yaml': `_format_version: "3.0"\nconsumers:\n${Array.from({ length: count }, (_, at) => `  - username: person-${at}\n`).join('')}`,
});

test('the trailer of a signed commit lets through what it deletes, and that of another commit nothing', async () => {
  const first = await commitSigned(world.repository, { files: { ...files(10), ...consumers(30) } }, bySsh(ada));
  await world.start();
  await world.applied(first);
  const letGo = (names: string) => `Let most people go\n\nThey have left.\n\nKonverge-Approve: ${names}\n`;
  const message = letGo('gateway, edge');
  const second = await commitSigned(world.repository, { files: consumers(1), message }, bySsh(ada));
  await world.applied(second, ['gateway', 'edge']);
  const history = JSON.parse(await world.ask('/api/v1/history?destination=gateway')).entries;
  expect(history).toContainEqual(
    expect.objectContaining({
      event: 'approved',
      revision: second,
      detail: `approved by the trailer Konverge-Approve of the commit, signed by ada@example.com ${ada.fingerprint}`,
    }),
  );
  const people = async () => (await (await fetch(`${world.kong.url}/consumers`)).text()).match(/"username"/g)?.length;
  expect(await people()).toBe(2);
  // The destination that it does not name is held, and so is what another commit takes away.
  await world.posted(second, { 'konverge/konnect': 'failure' });
  const third = await commitSigned(world.repository, { files: consumers(30) }, bySsh(ada));
  await world.applied(third, ['gateway', 'edge']);
  const fourth = await commitSigned(world.repository, { files: consumers(1) }, bySsh(ada));
  await world.posted(fourth, { 'konverge/gateway': 'failure', 'konverge/edge': 'failure' });
  expect(await people()).toBe(31);
});

test('a trailer does not count again for a copy of its commit, whose signature is written in another way', async () => {
  const first = await commitSigned(world.repository, { files: { ...files(10), ...consumers(30) } }, bySsh(ada));
  await world.start();
  await world.applied(first, ['gateway']);
  const message = 'Let most people go\n\nKonverge-Approve: gateway\n';
  const second = await commitSigned(world.repository, { files: consumers(1), message }, bySsh(ada));
  await world.applied(second, ['gateway']);
  const third = await commitSigned(world.repository, { files: consumers(30) }, bySsh(ada));
  await world.applied(third, ['gateway']);
  const object = await world.repository.git('cat-file', 'commit', second);
  const copy = (word: string) =>
    world.repository.hashObject('commit', Buffer.from(object.replace('\n\n', `\ngpgsig-sha256 ${word}\n\n`)));
  const isHeld = async (revision: string) => {
    await world.repository.setBranch('main', revision);
    await until('the copy to be held', async () => {
      const { state, revision: of } = await world.lane('gateway');
      return state === 'held' && of === revision;
    });
    expect((await world.lane('gateway')).waitingFor).toContain('it counts once');
  };
  await isHeld(await copy('one'));
  await world.stop('SIGKILL');
  await world.start();
  await isHeld(await copy('two'));
});

describe('where signatures are required', () => {
  test('only what is signed goes out, what was accepted last stays in force, and a restart looks for no other', async () => {
    const first = await commitSigned(world.repository, { files: files(10) }, bySsh(ada));
    await world.start();
    await world.applied(first);
    expect(JSON.parse(await world.ask('/api/v1/status')).repositories[0].signature).toEqual({
      accepted: true,
      by: `ada@example.com ${ada.fingerprint}`,
    });
    expect(await world.ask('/metrics')).toMatch(/^konverge_revision_accepted\{.*\} 1$/m);

    const unsigned = await commitSigned(world.repository, { files: files(20) }, null);
    await refused(unsigned, 'signature-missing');
    await world.posted(unsigned, everywhere('failure'));
    expect(world.forge.newest(unsigned, 'konverge/validate')?.description).toContain('the commit is not signed');
    expect(world.forge.newest(unsigned, 'konverge/edge')?.description).toContain('the commit is not signed');
    expect(await world.ask('/metrics')).toMatch(/^konverge_revision_accepted\{.*\} 0$/m);
    expect(await world.ask('/')).toContain('not accepted');
    expect(world.output).toContain('a revision is not accepted');
    await world.applied(first);

    // What was accepted goes on being corrected.
    const { url } = world.kong;
    await fetch(`${url}/services/orders`, { method: 'PATCH', body: new URLSearchParams({ host: 'evil.example.com' }) });
    await world.ask('/api/v1/destinations/gateway/sync', { method: 'POST' });
    await until('the drift to be corrected', async () => {
      const service = await (await fetch(`${url}/services/orders`)).json();
      return (service as { host?: string }).host === 'orders.example.com';
    });

    const foreign = await commitSigned(world.repository, { files: files(30) }, bySsh(stranger));
    await refused(foreign, 'signature-unknown-key');
    await world.stop();
    const before = world.writes();
    await world.start({ freshStore: true });
    await refused(foreign, 'signature-unknown-key');
    await world.applied(first);
    expect(world.writes()).toBe(before);

    const next = await commitSigned(world.repository, { files: files(40) }, bySsh(ada));
    await world.applied(next);
  });

  test('a key that is added or taken out counts from the next poll on, and one that cannot be read keeps all as it is', async () => {
    const first = await commitSigned(world.repository, { files: files(10) }, bySsh(ada));
    await world.start();
    await world.applied(first);
    const signer = await pgpSigner();
    const next = await commitSigned(world.repository, { files: files(20) }, (payload) => pgpSignature(signer, payload));
    await refused(next, 'signature-unknown-key');
    await world.applied(first);
    await world.folder.write({ 'keys/new.asc': signer.publicKey });
    await world.applied(next);
    await world.posted(next, everywhere('success'));

    await world.folder.write({ 'keys/allowed_signers': 'ada@example.com nothing\n' });
    await until('the keys to be missed', async () => (await world.status()).failure?.code === 'signing-keys');
    const third = await commitSigned(world.repository, { files: files(30) }, bySsh(ada));
    const later = async () => JSON.parse(await world.ask('/api/v1/status')).repositories[0].nextPollAt;
    const due = await later();
    await until('another poll', async () => (await later()) !== due);
    expect((await world.status()).revision).toBe(next);
    await world.folder.write({ 'keys/allowed_signers': `ada@example.com ${ada.publicKey}\n` });
    await world.applied(third);

    // Without the key, what it signed is told to be refused, and is left in force.
    await world.folder.write({ 'keys/allowed_signers': `grace@example.com ${stranger.publicKey}\n` });
    await refused(third, 'signature-unknown-key');
    expect((await world.lane('gateway')).revisionApplied).toBe(third);
    await world.stop();
    const before = world.writes();
    await world.start();
    await refused(third, 'signature-unknown-key');
    await until('the destinations to be left', async () => (await world.lane('edge')).detail.includes('left as it is'));
    expect(world.writes()).toBe(before);
  });

  test('what waits while its key is taken out does not go out', async () => {
    const first = await commitSigned(world.repository, { files: files(10) }, bySsh(ada));
    const keys = `ada@example.com ${ada.publicKey}\n`;
    await world.folder.write({ 'keys/allowed_signers': `${keys}mallory@example.com ${stranger.publicKey}\n` });
    await world.start();
    await world.applied(first);
    const steer = (word: string) => world.ask(`/api/v1/destinations/gateway/${word}`, { method: 'POST' });
    await steer('suspend');
    const second = await commitSigned(world.repository, { files: files(20) }, bySsh(stranger));
    await world.applied(second, ['edge', 'konnect']);
    const before = world.kong.counters().writes;
    // Not even where no poll has seen it yet.
    await world.folder.write({ 'keys/allowed_signers': keys });
    await steer('resume');
    await until('the destination to refuse it', async () => (await world.lane('gateway')).state === 'rejected');
    expect((await world.lane('gateway')).detail).toContain('is none of the accepted keys');
    await refused(second, 'signature-unknown-key');
    expect(world.kong.counters().writes).toBe(before);
    expect((await world.lane('gateway')).revisionApplied).toBe(first);
    await world.folder.write({ 'keys/allowed_signers': `${keys}mallory@example.com ${stranger.publicKey}\n` });
    await world.applied(second);
  });

  test('what is held says at once that its key was taken out', async () => {
    const first = await commitSigned(world.repository, { files: { ...files(10), ...consumers(30) } }, bySsh(ada));
    const keys = `ada@example.com ${ada.publicKey}\n`;
    await world.folder.write({ 'keys/allowed_signers': `${keys}mallory@example.com ${stranger.publicKey}\n` });
    await world.start();
    await world.applied(first, ['gateway']);
    const second = await commitSigned(world.repository, { files: consumers(1) }, bySsh(stranger));
    await until('the hold', async () => (await world.lane('gateway')).state === 'held');
    await world.folder.write({ 'keys/allowed_signers': keys });
    await refused(second, 'signature-unknown-key');
    await until('the destination to refuse it', async () => (await world.lane('gateway')).state === 'rejected');
    expect((await world.lane('gateway')).revisionApplied).toBe(first);
  });

  test('commands judge commits too, the doctor tells, and keys that are missing are an error of the configuration', async () => {
    const { folder } = world;
    const run = (...words: string[]) =>
      konverge([...words, '--config', `${folder.path}/konverge.yaml`], folder.path, secrets);
    const first = await commitSigned(world.repository, { files: files(10) }, bySsh(ada));
    const unsigned = await commitSigned(world.repository, { files: files(20) }, null);
    const at = (revision: string) => ['--repo', world.repository.url, '--revision', revision] as const;
    expect(await run('validate', ...at(first))).toMatchObject({ code: 0 });
    expect(await run('validate', ...at(unsigned))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the commit is not signed'),
    });
    expect(await run('plan', ...at(unsigned), '--to', 'gateway')).toMatchObject({ code: 1 });
    expect(await run('apply', ...at(unsigned), '--to', 'gateway')).toMatchObject({ code: 1 });
    expect(world.writes()).toBe(0);
    await folder.write(files(10));
    const onDisk = await run('validate');
    expect(onDisk).toMatchObject({ code: 0, stderr: expect.stringContaining('files on disk have no signature') });
    const doctor = await run('doctor');
    expect(doctor.stdout).toContain('1 OpenPGP and 1 SSH keys in 2 files');
    expect(doctor.stdout).toMatch(/FAILED {2}signature of .*the commit is not signed/);
    await world.repository.setBranch('main', first);
    expect((await run('doctor')).stdout).toContain(`by ada@example.com ${ada.fingerprint}`);
    await folder.write({ 'keys/allowed_signers': 'ada@example.com cert-authority ssh-ed25519 AAAA\n' });
    expect(await run('run', '--once')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/repository\.verify\.keys\[1\] names .*line 1 allows an authority of certificates/),
    });
    await folder.write({
      'konverge.yaml': (await readFile(join(folder.path, 'konverge.yaml'), 'utf8')).replace('*.asc', '*.none'),
    });
    expect(await run('run', '--once')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/repository\.verify\.keys\[0\] matches no file: .*none/),
    });
  });
});
