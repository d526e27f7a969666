import { describe, expect, it } from 'vitest';
import { readSigningKeys, type SigningKeys } from '../../../src/git/signatures/signing-keys.ts';
import { verdictOn } from '../../../src/git/signatures/verdict-on.ts';
import { commitObject, committedAt, withSignature } from '../../support/signed-commit.ts';
import { type SshSigner, type SshSigning, signerTypes, sshSigner } from '../../support/ssh-signer.ts';

const payload = commitObject();

const keysOf = (text: string, name = 'allowed_signers'): Promise<SigningKeys> =>
  readSigningKeys(name, Buffer.from(text));

const allowed = (signer: SshSigner, options = '', principals = 'ada@example.com') =>
  keysOf(`${principals} ${options}${options === '' ? '' : ' '}${signer.publicKey} a comment\n`);

const judged = async (keys: SigningKeys, signer: SshSigner, how: SshSigning = {}, over: Uint8Array = payload) =>
  await verdictOn(withSignature(payload, signer.sign(over, how)), keys, committedAt * 1000);

describe('an SSH signature of a commit', () => {
  it.each(signerTypes)('by a key of the type %s is accepted where the key is allowed', async (type) => {
    const signer = sshSigner(type);
    for (const hash of ['sha256', 'sha512'] as const) {
      expect(await judged(await allowed(signer), signer, { hash })).toEqual({
        accepted: true,
        by: `ada@example.com ${signer.fingerprint}`,
      });
    }
    expect(await judged(await allowed(sshSigner(type)), signer)).toMatchObject({
      accepted: false,
      code: 'signature-unknown-key',
      message: expect.stringContaining(signer.fingerprint),
    });
    expect(await judged(await allowed(signer), signer, {}, commitObject('Other\n'))).toMatchObject({
      code: 'signature-bad',
    });
  });

  it('is accepted where an editor put a byte order mark before the keys', async () => {
    const signer = sshSigner();
    const keys = await keysOf(`\uFEFFada@example.com ${signer.publicKey}\r\n`);
    expect(await judged(keys, signer)).toEqual({ accepted: true, by: `ada@example.com ${signer.fingerprint}` });
  });

  it('is no signature of a commit where it was made for something else', async () => {
    const signer = sshSigner();
    const keys = await allowed(signer);
    expect(await judged(keys, signer, { namespace: 'file' })).toMatchObject({ code: 'signature-bad' });
    expect(await judged(keys, signer, { namespace: 'tag' })).toMatchObject({ code: 'signature-bad' });
    expect(await judged(keys, signer, { namespace: '' })).toMatchObject({ code: 'signature-bad' });
  });

  it('by a weak algorithm, of another version, or with something behind it is not read', async () => {
    const rsa = sshSigner('ssh-rsa');
    const keys = await allowed(rsa);
    expect(await judged(keys, rsa, { rsa: 'rsa-sha2-256' })).toMatchObject({ accepted: true });
    const ways: readonly SshSigning[] = [
      { rsa: 'ssh-rsa' },
      { hash: 'sha1' },
      { version: 2 },
      { reserved: 'more' },
      { trailing: Buffer.from('x') },
    ];
    for (const way of ways) expect(await judged(keys, rsa, way)).toMatchObject({ code: 'signature-unreadable' });
    const short = sshSigner('ssh-rsa', 1024);
    expect(await judged(keys, short)).toMatchObject({
      code: 'signature-unreadable',
      message: expect.stringContaining('1024 bits'),
    });
  });

  it('by a security key that nobody touched is not accepted', async () => {
    for (const type of ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'] as const) {
      const signer = sshSigner(type);
      expect(await judged(await allowed(signer), signer, { flags: 5 })).toMatchObject({ accepted: true });
      expect(await judged(await allowed(signer), signer, { flags: 0 })).toMatchObject({ code: 'signature-bad' });
    }
  });

  it('counts for whom the file says, whoever the committer is', async () => {
    const signer = sshSigner();
    const verdict = await judged(await allowed(signer, '', 'grace@example.org,*@example.net'), signer);
    expect(verdict).toEqual({ accepted: true, by: `grace@example.org,*@example.net ${signer.fingerprint}` });
    const shared = await keysOf(`mallory@example.com ${sshSigner().publicKey}\n"Grace H" ${signer.publicKey}\n`);
    expect(await judged(shared, signer)).toEqual({ accepted: true, by: `Grace H ${signer.fingerprint}` });
    expect(await judged(await keysOf(`${signer.publicKey} me\n`, 'keys/ada.pub'), signer)).toEqual({
      accepted: true,
      by: signer.fingerprint,
    });
  });

  it('counts in the namespaces and at the times that the file says', async () => {
    const signer = sshSigner();
    const code = async (options: string) => {
      const verdict = await judged(await allowed(signer, options), signer);
      return verdict.accepted ? 'accepted' : verdict.code;
    };
    // The commit is of 2026-05-01 12:00 UTC.
    expect(await code('namespaces="git"')).toBe('accepted');
    expect(await code('NAMESPACES="file,g?t"')).toBe('accepted');
    expect(await code('namespaces="*,!git"')).toBe('signature-unknown-key');
    expect(await code('namespaces="file"')).toBe('signature-unknown-key');
    expect(await code('valid-after="20260501115959Z"')).toBe('accepted');
    expect(await code('valid-after="20260401Z",valid-before="20260501115959Z"')).toBe('signature-key-expired');
    expect(await code('valid-after="202605011201Z"')).toBe('signature-key-expired');
    expect(await code('valid-before="202605011200Z"')).toBe('accepted');
    expect(await code('namespaces="git",valid-before="20260501Z"')).toBe('signature-key-expired');
    expect(await code('valid-before="20260430"')).toBe('signature-key-expired');
    expect(await code('valid-after="20260430",valid-before="20260503"')).toBe('accepted');
    const both = `ada valid-before="20200101Z" ${signer.publicKey}\nada valid-after="20250101Z" ${signer.publicKey}\n`;
    expect(await judged(await keysOf(both), signer)).toMatchObject({ accepted: true });
  });

  it('of a commit without a time counts only where the key has no limit in time', async () => {
    const signer = sshSigner();
    const timeless = Buffer.from(payload.toString().replace(/(committer .*>) .*/, '$1 soon'));
    const signed = withSignature(timeless, signer.sign(timeless));
    expect(await verdictOn(signed, await allowed(signer), 0)).toMatchObject({ accepted: true });
    const limited = await allowed(signer, 'valid-after="20200101Z"');
    expect(await verdictOn(signed, limited, 0)).toMatchObject({ code: 'signature-key-expired' });
  });
});

describe('a file of allowed signers', () => {
  const key = sshSigner().publicKey;

  it('may have comments, empty lines and line ends of any kind', async () => {
    const { ssh } = await keysOf(
      `# people\r\n\r\nada@example.com ${key}\r\n  grace@example.com\tnamespaces="git" ${key} her key\n`,
    );
    expect(ssh.map(({ principals, namespaces }) => [principals, namespaces])).toEqual([
      ['ada@example.com', null],
      ['grace@example.com', 'git'],
    ]);
  });

  it.each([
    ['is an authority of certificates', `*@example.com cert-authority ${key}`, 'authority of certificates'],
    ['has no principal', key, 'says nobody whose it is'],
    ['has an unknown option', `ada no-touch-required ${key}`, '"no-touch-required"'],
    ['has an option twice', `ada namespaces="git",namespaces="file" ${key}`, 'twice'],
    ['has an option without a value', `ada valid-after ${key}`, 'without a value'],
    ['has no time', `ada valid-after="2026-05-01" ${key}`, 'is no time'],
    ['has a day that is none', `ada valid-after="20260431" ${key}`, 'is no time'],
    ['ends before it begins', `ada valid-after="20260502",valid-before="20260501" ${key}`, 'not after'],
    ['has options that are cut', `ada namespaces="git ${key}`, 'without a value in quotes'],
    ['has a key that is cut', `ada ${key.slice(0, -8)}`, 'cannot be taken'],
    ['has a key of another type', `ada ${key.replace('ssh-ed25519', 'ssh-rsa')}`, 'ssh-ed25519'],
    ['has no key', 'ada', 'is not `PRINCIPALS'],
    ['has a short RSA key', `ada ${sshSigner('ssh-rsa', 1024).publicKey}`, '1024 bits'],
    ['has a DSA key', `ada ssh-dss ${Buffer.from('\0\0\0\x07ssh-dss').toString('base64')}`, 'DSA'],
    [
      'has a certificate',
      `ada ssh-ed25519-cert-v01@openssh.com ${Buffer.from('\0\0\0\x20ssh-ed25519-cert-v01@openssh.com').toString('base64')}`,
      'certificate',
    ],
  ])('with a line that %s is refused with the line', async (_, line, says) => {
    await expect(keysOf(`# one\n${line}\n`)).rejects.toMatchObject({ line: 2, message: expect.stringContaining(says) });
  });

  it('that is none, or holds what has to stay secret, is refused', async () => {
    await expect(keysOf('')).rejects.toMatchObject({ line: null, message: 'holds no key' });
    await expect(keysOf('-----BEGIN OPENSSH PRIVATE KEY-----\n')).rejects.toMatchObject({
      message: 'holds a private key',
    });
    await expect(keysOf('-----BEGIN CERTIFICATE-----\n')).rejects.toMatchObject({
      message: expect.stringContaining('X.509'),
    });
    await expect(keysOf('hello there\n', 'ada.pub')).rejects.toMatchObject({ line: 1 });
  });
});
