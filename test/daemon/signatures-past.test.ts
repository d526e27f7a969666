import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { commitSigned } from '../support/signed-commit.ts';
import { sshSigner } from '../support/ssh-signer.ts';
import { RolloutWorld, service } from './rollout-world.ts';

const ada = sshSigner();
const sign = (payload: Uint8Array) => ada.sign(payload);
let keys: Folder;
let world: RolloutWorld;

beforeEach(async () => {
  keys = await temporaryFolder();
  await keys.write({ allowed_signers: `ada@example.com ${ada.publicKey}\n` });
  world = await RolloutWorld.open({
    emulators: { gateway: 'kong' },
    destinations: (url) => [`name: gateway, kong: { url: "${url('gateway')}" }`],
    repository: `verify: { keys: ["${join(keys.path, 'allowed_signers')}"] }`,
  });
});

afterEach(async () => {
  await world.close();
  await keys.remove();
});

const host = async (): Promise<string> => {
  const answer = await fetch(`${world.kong('gateway').url}/services/orders`);
  return ((await answer.json()) as { host: string }).host;
};
const refused = (revision: string) =>
  world.later(`${revision} to be refused`, () =>
    world.forge.statuses.some(
      ({ sha, context, state }) => sha === revision && context === 'konverge/validate' && state === 'failure',
    ),
  );

describe('the past of a branch whose commits have to be signed', () => {
  test('is searched for what is valid and accepted, and what is not signed is passed over', async () => {
    const good = await commitSigned(world.repository, { files: service('one.example.com') }, sign);
    await world.applied(good, 'gateway');
    await world.stop();
    await world.forget();
    await commitSigned(world.repository, { files: service('evil.example.com') }, null);
    await commitSigned(world.repository, { files: service('worse.example.com') }, () =>
      sshSigner().sign(Buffer.from('')),
    );
    const invalid = await commitSigned(world.repository, { files: service('two.example.com', '    port: x\n') }, sign);
    const writes = world.kong('gateway').counters().writes;
    await world.start();
    await refused(invalid);
    await world.applied(good, 'gateway');
    expect(await host()).toBe('one.example.com');
    expect(world.kong('gateway').counters().writes).toBe(writes);
  });

  test('is gone back to only where it is accepted', async () => {
    const first = await commitSigned(world.repository, { files: service('one.example.com') }, sign);
    await world.applied(first, 'gateway');
    const unsigned = await commitSigned(world.repository, { files: service('evil.example.com') }, null);
    await refused(unsigned);
    const third = await commitSigned(world.repository, { files: service('three.example.com') }, sign);
    await world.applied(third, 'gateway');
    const refusals = () => world.lines.filter((line) => line.includes('a revision is not accepted')).length;
    const before = refusals();
    await world.repository.setBranch('main', unsigned);
    await world.later('the rewind to be refused', () => refusals() > before);
    await world.repository.setBranch('main', first);
    await world.applied(first, 'gateway');
    expect(await host()).toBe('one.example.com');
  });

  test('does not tell that something was declared where nobody signed that', async () => {
    const { url } = world.kong('gateway');
    const first = await commitSigned(world.repository, { files: service('one.example.com') }, sign);
    await world.applied(first, 'gateway');
    await fetch(`${url}/services`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'foreign', host: 'f.example.com' }),
    });
    const claims = service('one.example.com', '  - { name: foreign, host: f.example.com }\n');
    await refused(await commitSigned(world.repository, { files: claims }, null));
    const next = await commitSigned(world.repository, { files: service('two.example.com') }, sign);
    // What is foreign is held as drift before, too.
    const isHeld = () => world.status('gateway').state === 'held' && world.status('gateway').revision === next;
    await world.later('a hold', isHeld);
    expect(world.status('gateway').plan?.held?.code).toBe('foreign-prune');
    expect((await fetch(`${url}/services/foreign`)).status).toBe(200);
  });
});
