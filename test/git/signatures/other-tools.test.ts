import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSigningKeys } from '../../../src/git/signatures/signing-keys.ts';
import { verdictOn } from '../../../src/git/signatures/verdict-on.ts';
import { gitEnvironment } from '../../support/served-repository.ts';
import { commitObject, committedAt, pgpSignature, pgpSigner, withSignature } from '../../support/signed-commit.ts';
import { signerTypes, sshSigner } from '../../support/ssh-signer.ts';

const has = (tool: string, option: string) => spawnSync(tool, [option], { stdio: 'ignore' }).error === undefined;
const hasSsh = has('git', '--version') && has('ssh-keygen', '-?');
const hasGpg = has('git', '--version') && has('gpg', '--version');

const folder = mkdtempSync(join(tmpdir(), 'sig-'));
const gnupg = join(folder, 'g');
const environment = { ...gitEnvironment(), GNUPGHOME: gnupg };
const run = (tool: string, args: readonly string[], input?: Uint8Array): Buffer =>
  execFileSync(tool, args, { cwd: folder, env: environment, input, stdio: ['pipe', 'pipe', 'pipe'] });
const repository = join(folder, 'repository.git');

if (hasSsh || hasGpg) run('git', ['init', '--quiet', '--bare', repository]);
const git = (args: readonly string[], input?: Uint8Array) => run('git', ['-C', repository, ...args], input);
const emptyTree = () => git(['mktree'], Buffer.alloc(0)).toString().trim();

afterAll(() => {
  if (hasGpg) spawnSync('gpgconf', ['--kill', 'all'], { env: environment });
  rmSync(folder, { recursive: true, force: true });
});

/** Whether Git takes the signature of a commit object too. */
function gitTakes(raw: Uint8Array, ...options: readonly string[]): boolean {
  const id = git(['hash-object', '-t', 'commit', '-w', '--stdin'], raw).toString().trim();
  const ended = spawnSync('git', ['-C', repository, ...options, 'verify-commit', id], { env: environment });
  return ended.status === 0;
}

describe.skipIf(!hasSsh)('beside git and ssh-keygen', () => {
  it.each([['ed25519', []] as const, ['rsa', ['-b', '2048']] as const, ['ecdsa', ['-b', '384']] as const])(
    'a commit that git signs by a key of the type %s is accepted',
    async (type, more) => {
      const file = join(folder, `id_${type}`);
      run('ssh-keygen', ['-q', '-t', type, ...more, '-N', '', '-C', 'ada', '-f', file]);
      const options = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
      const id = git([...options, 'commit-tree', '-S', '-m', 'One', emptyTree()])
        .toString()
        .trim();
      const raw = git(['cat-file', 'commit', id]);
      const publicKey = readFileSync(`${file}.pub`, 'utf8');
      const keys = await readSigningKeys('allowed_signers', Buffer.from(`ada@example.com ${publicKey}`));
      const verdict = await verdictOn(raw, keys, Date.now());
      const fingerprint = run('ssh-keygen', ['-l', '-f', `${file}.pub`])
        .toString()
        .split(' ')[1];
      expect(verdict).toEqual({ accepted: true, by: `ada@example.com ${fingerprint}` });
      expect(await verdictOn(raw, await readSigningKeys('id.pub', Buffer.from(publicKey)), 0)).toMatchObject({
        accepted: true,
      });
    },
  );

  it.each(signerTypes)('the same is accepted and refused of a key of the type %s', async (type) => {
    const signer = sshSigner(type);
    const payload = commitObject('One\n', committedAt, emptyTree());
    const file = join(folder, `allowed-${type.replace('@', '-')}`);
    const options = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${file}`];
    const lines = [
      '',
      'namespaces="git" ',
      'namespaces="file" ',
      'valid-after="20260501115959Z" ',
      'valid-before="20260501115959Z" ',
      'valid-before="202605011200Z" ',
    ];
    for (const line of lines) {
      const text = `"Ada L" ${line}${signer.publicKey} comment\n`;
      writeFileSync(file, text);
      const keys = await readSigningKeys('allowed_signers', Buffer.from(text));
      for (const raw of [
        withSignature(payload, signer.sign(payload)),
        withSignature(payload, signer.sign(payload, { namespace: 'file' })),
        withSignature(payload, signer.sign(commitObject('Two\n'))),
      ]) {
        expect([line, (await verdictOn(raw, keys, 0)).accepted]).toEqual([line, gitTakes(raw, ...options)]);
      }
    }
  });
});

describe.skipIf(!hasGpg)('beside git and gpg', () => {
  it('commits that gpg signs are accepted, also after the key was put off, and no more when it is revoked', async () => {
    run('mkdir', ['-m', '700', gnupg]);
    const gpg = (...args: string[]) =>
      run('gpg', ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', '', ...args]);
    gpg('--quick-generate-key', 'Ada <ada@example.com>', 'ed25519', 'sign', '1y');
    const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(gpg('--with-colons', '--list-keys').toString()) ?? [];
    const commit = () => {
      const id = git(['-c', `user.signingkey=${fingerprint}`, 'commit-tree', '-S', '-m', 'One', emptyTree()]);
      return git(['cat-file', 'commit', id.toString().trim()]);
    };
    const keys = async (...options: string[]) =>
      await readSigningKeys('ada.asc', gpg(...options, '--export', fingerprint));
    const first = commit();
    const expected = { accepted: true, by: `Ada <ada@example.com> ${fingerprint}` };
    expect(await verdictOn(first, await keys(), Date.now())).toEqual(expected);
    expect(await verdictOn(first, await keys('--armor'), Date.now())).toEqual(expected);
    gpg('--quick-set-expire', fingerprint, '9y');
    expect(await verdictOn(first, await keys(), Date.now())).toEqual(expected);
    gpg('--quick-add-key', fingerprint, 'rsa2048', 'sign', '1y');
    const bySubkey = commit();
    expect(await verdictOn(bySubkey, await keys(), Date.now())).toEqual(expected);
    const revocation = readFileSync(join(gnupg, 'openpgp-revocs.d', `${fingerprint}.rev`), 'utf8');
    run('gpg', ['--batch', '--quiet', '--import'], Buffer.from(revocation.replace(':-----BEGIN', '-----BEGIN')));
    expect(await verdictOn(first, await keys(), Date.now())).toMatchObject({ code: 'signature-key-revoked' });
  });

  it.each(['secp256k1', 'brainpoolP256r1'])('one by a key on %s is refused in words for people', async (curve) => {
    const options = ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', ''];
    const made = spawnSync('gpg', [...options, '--quick-generate-key', curve, curve, 'sign', '0'], {
      env: environment,
    });
    // Not every gpg is built with these.
    if (made.status !== 0) return;
    const payload = commitObject();
    const signature = run('gpg', [...options, '-u', curve, '--armor', '--detach-sign'], payload).toString();
    const keys = await readSigningKeys('c.asc', run('gpg', [...options, '--export', curve]));
    const verdict = await verdictOn(withSignature(payload, signature), keys, Date.now());
    expect(verdict).toMatchObject({
      message: expect.stringContaining('cannot be taken: it is on a curve that is not'),
    });
    expect(JSON.stringify(verdict)).not.toMatch(/\/|require/i);
  });

  it('signatures of the tests are ones to gpg as well', async () => {
    const ada = await pgpSigner();
    run('gpg', ['--batch', '--quiet', '--import'], Buffer.from(ada.publicKey));
    const payload = commitObject('One\n', committedAt, emptyTree());
    const good = withSignature(payload, await pgpSignature(ada, payload));
    const bad = withSignature(payload, await pgpSignature(ada, commitObject('Two\n')));
    const keys = await readSigningKeys('ada.asc', Buffer.from(ada.publicKey));
    for (const raw of [good, bad]) {
      expect((await verdictOn(raw, keys, Date.now())).accepted).toBe(gitTakes(raw));
    }
  });
});
