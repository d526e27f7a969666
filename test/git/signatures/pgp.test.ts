import { enums, readKey, revokeKey, SignaturePacket } from 'openpgp';
import { describe, expect, it } from 'vitest';
import { allKeys, readSigningKeys, type SigningKeys } from '../../../src/git/signatures/signing-keys.ts';
import { verdictOn } from '../../../src/git/signatures/verdict-on.ts';
import {
  commitObject,
  committedAt,
  type PgpSigner,
  pgpSignature,
  pgpSigner,
  pgpSignerOf,
  withSignature,
} from '../../support/signed-commit.ts';

const payload = commitObject();
const now = committedAt * 1000;

const keysOf = (...signers: readonly PgpSigner[]): Promise<SigningKeys> =>
  readSigningKeys('keys.asc', Buffer.from(signers.map(({ publicKey }) => publicKey).join('\n')));

const judged = async (keys: SigningKeys, signature: string, over: Uint8Array = payload, at = now) =>
  await verdictOn(withSignature(over, signature), keys, at);

const year = 365 * 24 * 3600;

describe('an OpenPGP signature of a commit', () => {
  it.each([
    ['an ECC key', {}] as const,
    ['an RSA key', { type: 'rsa' }] as const,
    ['a subkey', { subkey: true }] as const,
  ])('by %s is accepted where the key is', async (_, wish) => {
    const [ada, grace] = [await pgpSigner(wish), await pgpSigner({ name: 'Grace' })];
    const signature = await pgpSignature(ada, payload);
    expect(await judged(await keysOf(grace, ada), signature)).toEqual({
      accepted: true,
      by: `Ada <ada@example.com> ${ada.fingerprint}`,
    });
    expect(await judged(await keysOf(grace), signature)).toMatchObject({
      accepted: false,
      code: 'signature-unknown-key',
    });
    expect(await judged(await keysOf(ada), signature, commitObject('Other\n'))).toMatchObject({
      code: 'signature-bad',
      message: expect.stringContaining(ada.fingerprint),
    });
  });

  it('is judged by all keys of a file, armored, in several blocks or binary, and by none that is private', async () => {
    const [ada, grace] = [await pgpSigner(), await pgpSigner({ name: 'Grace' })];
    const binary = Buffer.concat([grace, ada].map(({ key }) => key.toPublic().write()));
    const signature = await pgpSignature(ada, payload);
    expect(await judged(await readSigningKeys('ring.gpg', binary), signature)).toMatchObject({ accepted: true });
    const told = Buffer.from(`pub   ed25519 Ada\n${grace.publicKey}\nand\n${ada.publicKey}`);
    expect(await judged(await readSigningKeys('keys.asc', told), signature)).toMatchObject({ accepted: true });
    const refusals = [Buffer.from(ada.key.armor()), Buffer.from(ada.key.write())];
    for (const bytes of refusals) {
      await expect(readSigningKeys('ada.asc', bytes)).rejects.toMatchObject({ message: 'holds a private key' });
    }
    const cut = Buffer.from(ada.publicKey.slice(0, 200));
    await expect(readSigningKeys('ada.asc', cut)).rejects.toMatchObject({
      message: expect.stringContaining('no whole block'),
    });
    await expect(readSigningKeys('ada.gpg', binary.subarray(0, 40))).rejects.toMatchObject({
      message: expect.stringContaining('cannot be read'),
    });
  });

  it('counts by what its key was when it was made', async () => {
    const ada = await pgpSigner({ seconds: 3 * year });
    const keys = await keysOf(ada);
    const signature = await pgpSignature(ada, payload);
    const later = now + 2 * year * 1000;
    expect(await judged(keys, signature, payload, later)).toMatchObject({ accepted: true });
    const late = await pgpSigner({ seconds: year });
    // The library itself does not sign by a key that has expired: the signer's clock is turned back and forth.
    const good = await pgpSignature(late, payload, new Date('2024-06-01'));
    expect(await judged(await keysOf(late), good)).toMatchObject({ accepted: true });
    const longer = pgpSignerOf(await renewed(late, 10 * year, new Date('2024-07-01')));
    const signed = await pgpSignature(longer, payload);
    expect(await judged(await keysOf(late), signed)).toMatchObject({
      code: 'signature-key-expired',
      message: expect.stringContaining('2026-05-01'),
    });
    expect(await judged(await keysOf(longer), signed)).toMatchObject({ accepted: true });
    // A renewal in another file counts too.
    expect(await judged(await allKeys([await keysOf(late), await keysOf(longer)]), signed)).toMatchObject({
      accepted: true,
    });
    const newer = await pgpSigner({ at: new Date('2026-06-01') });
    const before = await pgpSignature(newer, payload, new Date('2026-06-02'));
    expect(await judged(await keysOf(newer), before, payload, Date.parse('2026-01-01'))).toMatchObject({
      accepted: true,
    });
  });

  it('goes on counting when the expiry of its key was put off later, as GnuPG does it', async () => {
    const ada = await pgpSigner({ seconds: 3 * year });
    const signature = await pgpSignature(ada, payload);
    const later = new Date('2026-09-01');
    const extended = await renewed(ada, 10 * year, later);
    // GnuPG puts the new self-signature in the place of the old one.
    for (const user of extended.users) {
      user.selfCertifications = user.selfCertifications.filter(({ created }) => created?.getTime() === later.getTime());
    }
    const keys = await keysOf(pgpSignerOf(extended));
    expect(await judged(keys, signature, payload, later.getTime() + 1000)).toMatchObject({ accepted: true });
  });

  it('by a key that was revoked for good never counts, by one that was given up only before that', async () => {
    const ada = await pgpSigner();
    const signature = await pgpSignature(ada, payload);
    const revokedAt = async (flag: enums.reasonForRevocation, date: Date) => {
      const { publicKey } = await revokeKey({ key: ada.key, reasonForRevocation: { flag }, date, format: 'object' });
      return await readSigningKeys('ada.asc', Buffer.from(publicKey.armor()));
    };
    const { keyCompromised, keyRetired } = enums.reasonForRevocation;
    const [before, after] = [new Date('2026-04-01'), new Date('2026-06-01')];
    const late = after.getTime() + 1000;
    expect(await judged(await revokedAt(keyCompromised, before), signature)).toMatchObject({
      code: 'signature-key-revoked',
    });
    expect(await judged(await revokedAt(keyCompromised, after), signature, payload, late)).toMatchObject({
      code: 'signature-key-revoked',
    });
    expect(await judged(await revokedAt(keyRetired, before), signature)).toMatchObject({
      code: 'signature-key-revoked',
    });
    expect(await judged(await revokedAt(keyRetired, after), signature, payload, late)).toMatchObject({
      accepted: true,
    });
    // The revocation counts wherever it stands.
    const both = await allKeys([await keysOf(ada), await revokedAt(keyCompromised, after)]);
    expect(await judged(both, signature, payload, late)).toMatchObject({ code: 'signature-key-revoked' });
  });

  it('by a subkey that is revoked does not count, though its primary key is not', async () => {
    const ada = await pgpSigner({ subkey: true });
    const signature = await pgpSignature(ada, payload);
    const [subkey] = ada.key.subkeys;
    if (subkey === undefined) throw new Error('no subkey');
    const revoked = await subkey.revoke(ada.key.keyPacket as never, {}, new Date('2026-04-01'));
    ada.key.subkeys = [revoked];
    const keys = await readSigningKeys('ada.asc', Buffer.from(ada.key.toPublic().armor()));
    expect(await judged(keys, signature)).toMatchObject({ code: 'signature-key-revoked' });
  });

  it('of several people needs one that is accepted, and none that is broken', async () => {
    const [ada, grace, alan] = [
      await pgpSigner(),
      await pgpSigner({ name: 'Grace' }),
      await pgpSigner({ name: 'Alan' }),
    ];
    const both = await pgpSignature([grace, ada], payload);
    expect(await judged(await keysOf(ada), both)).toMatchObject({ accepted: true, by: expect.stringContaining('Ada') });
    expect(await judged(await keysOf(alan), both)).toMatchObject({ code: 'signature-unknown-key' });
    const revoked = await revokeKey({ key: grace.key, date: new Date('2026-01-01'), format: 'object' });
    const keys = await readSigningKeys('both.asc', Buffer.from(`${ada.publicKey}\n${revoked.publicKey.armor()}`));
    expect(await judged(keys, both)).toMatchObject({ code: 'signature-key-revoked' });
    const other = await pgpSignature(grace, commitObject('Other\n'));
    const joined = await joinedSignatures([await pgpSignature(ada, payload), other]);
    expect(await judged(await keysOf(ada, grace), joined)).toMatchObject({ code: 'signature-bad' });
    const many = await joinedSignatures(Array.from({ length: 9 }, () => both));
    expect(await judged(await keysOf(ada, grace), many)).toMatchObject({ code: 'signature-unreadable' });
    const twoBlocks = `${await pgpSignature(ada, payload)}${other}`;
    expect(await judged(await keysOf(ada, grace), twoBlocks)).toMatchObject({ code: 'signature-unreadable' });
  });

  it('may have what is not signed in it only to name its key', async () => {
    const ada = await pgpSigner();
    const keys = await keysOf(ada);
    const signature = await pgpSignature(ada, payload);
    const withLoose = async (type: number, body: Uint8Array, critical = false) =>
      await changed(signature, (packet) => packet.unhashedSubpackets.push({ type, critical, body }));
    const keyId = Buffer.from(ada.key.getKeyID().toHex(), 'hex');
    const fingerprint = Buffer.from(`04${ada.fingerprint}`, 'hex');
    expect(await judged(keys, await withLoose(16, keyId))).toMatchObject({ accepted: true });
    expect(await judged(keys, await withLoose(33, fingerprint))).toMatchObject({ accepted: true });
    expect(await judged(keys, await withLoose(16, keyId, true))).toMatchObject({ code: 'signature-unreadable' });
    expect(await judged(keys, await withLoose(20, keyId))).toMatchObject({ code: 'signature-unreadable' });
    const wrong = Buffer.from(fingerprint);
    wrong[1] = (wrong[1] ?? 0) ^ 1;
    expect(await judged(keys, await withLoose(33, wrong))).toMatchObject({ code: 'signature-unreadable' });
  });

  it('over a text, over nothing, or of another form is not read', async () => {
    const ada = await pgpSigner();
    const keys = await keysOf(ada);
    for (const type of [enums.signature.text, enums.signature.standalone, enums.signature.timestamp]) {
      const packet = await signaturePacket(ada, type);
      expect(await judged(keys, await armorOf([packet]))).toMatchObject({ code: 'signature-unreadable' });
    }
    const signature = await pgpSignature(ada, payload);
    const texts = [
      signature.replaceAll('SIGNATURE', 'MESSAGE'),
      signature.replaceAll('PGP SIGNATURE', 'SIGNED MESSAGE'),
      `${signature}more\n`,
      `before\n${signature}`,
      signature.replace(/\n-----END.*\n/, '\n'),
      'hello',
    ];
    for (const text of texts) expect(await judged(keys, text)).toMatchObject({ code: 'signature-unreadable' });
    const spoken = signature.replace('-----\n', '-----\nVersion: GnuPG v2\nComment: hello\n');
    expect(await judged(keys, spoken)).toMatchObject({ accepted: true });
  });
});

async function renewed(signer: PgpSigner, seconds: number, at: Date) {
  const { reformatKey, readPrivateKey } = await import('openpgp');
  const { privateKey } = await reformatKey({
    privateKey: signer.key,
    userIDs: [{ name: 'Ada', email: 'ada@example.com' }],
    keyExpirationTime: seconds,
    date: at,
    format: 'armored',
  });
  const anew = await readPrivateKey({ armoredKey: privateKey });
  return await anew.update(await readKey({ armoredKey: signer.publicKey }), at);
}

async function packetsOf(armored: string): Promise<readonly SignaturePacket[]> {
  const { readSignature } = await import('openpgp');
  return [...(await readSignature({ armoredSignature: armored })).packets];
}

async function armorOf(packets: readonly SignaturePacket[]): Promise<string> {
  const { PacketList, Signature } = await import('openpgp');
  const list = new PacketList<SignaturePacket>();
  list.push(...packets);
  return new Signature(list).armor().replaceAll('\r\n', '\n');
}

async function joinedSignatures(texts: readonly string[]): Promise<string> {
  return await armorOf((await Promise.all(texts.map(packetsOf))).flat());
}

async function changed(armored: string, change: (packet: SignaturePacket) => void): Promise<string> {
  const packets = await packetsOf(armored);
  packets.forEach(change);
  return await armorOf(packets);
}

/** A signature of a type that nobody makes over a commit, which its key did make. */
async function signaturePacket(signer: PgpSigner, type: enums.signature): Promise<SignaturePacket> {
  const { config, createMessage } = await import('openpgp');
  const packet = new SignaturePacket();
  packet.signatureType = type;
  packet.hashAlgorithm = enums.hash.sha512;
  packet.publicKeyAlgorithm = signer.key.keyPacket.algorithm;
  const message = await createMessage({ binary: new Uint8Array(payload) });
  const [literal] = message.packets;
  // The types leave the configuration out, which this method takes.
  await Reflect.apply(packet.sign, packet, [signer.key.keyPacket, literal, new Date(now), true, config]);
  return packet;
}
