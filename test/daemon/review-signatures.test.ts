import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
    repository: `verify: { keys: ["${join(keys.path, 'allowed_*')}"] }`,
    review: 'interval: 30s',
  });
});

afterEach(async () => {
  await world.close();
  await keys.remove();
});

/** Opens a pull request for a commit that is on the branch, and takes the branch back; gives its number. */
async function propose(head: string, base: string): Promise<number> {
  await world.repository.setBranch('topic', head);
  await world.repository.setBranch('main', base);
  const { number } = world.forge.pulls.open({ head, source: 'topic' });
  await world.repository.git('update-ref', `refs/pull/${number}/head`, head);
  return number;
}

const comment = (number: number) => world.forge.pulls.comments.find((one) => one.number === number)?.body ?? '';
const status = (head: string) =>
  world.forge.statuses.findLast(({ sha, context }) => sha === head && context === 'konverge/plan');

test('a review is made of what is not signed, and says that it would not be accepted by itself', async () => {
  const base = await commitSigned(world.repository, { files: service('one.example.com') }, sign);
  await world.applied(base, 'gateway');
  await world.repository.setBranch('draft', base);
  const unsigned = await commitSigned(world.repository, { files: service('two.example.com') }, null);
  const first = await propose(unsigned, base);
  await world.later('a review', () => comment(first) !== '' && status(unsigned)?.state === 'success');
  expect(comment(first)).toContain('**This commit would not be accepted by itself:** the commit is not signed.');
  expect(status(unsigned)?.description).toBe(
    '1 to update at 1 destination; 1 warning; the commit itself is not signed by an accepted key',
  );
  const signed = await commitSigned(world.repository, { files: service('three.example.com') }, sign);
  const second = await propose(signed, base);
  await world.later('another review', () => comment(second) !== '' && status(signed)?.state === 'success');
  expect(comment(second)).not.toContain('accepted by itself');
  expect(status(signed)?.description).toBe('1 to update at 1 destination; 1 warning');
});
