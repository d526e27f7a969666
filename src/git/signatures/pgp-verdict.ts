import type { PublicKey, SignaturePacket, Subkey } from 'openpgp';
import type { SignatureVerdict } from '../../model/commit-text.ts';
import { dearmored } from './armor.ts';
import { loadOpenPgp } from './open-pgp.ts';
import { signatureBodies } from './pgp-packets.ts';
import { refused, shownText } from './verdict.ts';

/** The label between the dashes. */
export const pgpLabel = 'PGP SIGNATURE';

/** A signature packet, and the key that it says it was made by. */
interface Signed {
  readonly packet: SignaturePacket;
  readonly key: PublicKey | undefined;
  readonly keyId: string;
}

/**
 * What a signature of OpenPGP over a payload is worth. A key counts as it was when the signature was made, but for one
 * that was revoked because it is not safe any more, which never counts. Of several signatures one has to be accepted,
 * and no other one may be anything but that of a key that is not known. `now` is in milliseconds since 1970.
 */
export async function pgpVerdict(
  text: string,
  payload: Uint8Array,
  keys: readonly PublicKey[],
  now: number,
): Promise<SignatureVerdict> {
  const read = await readSignatures(text, keys);
  if (typeof read === 'string') return refused('signature-unreadable', `the OpenPGP signature cannot be read: ${read}`);
  const verdicts: SignatureVerdict[] = [];
  for (const signed of read) verdicts.push(await verdictOfOne(signed, payload, now));
  const broken = verdicts.find((verdict) => !verdict.accepted && verdict.code !== 'signature-unknown-key');
  const [first = refused('signature-missing', 'the commit is not signed')] = verdicts;
  return broken ?? verdicts.find(({ accepted }) => accepted) ?? first;
}

/** How many signatures of one commit are looked at: each takes time, and anybody may copy them. */
const mostSignatures = 8;

/** The signatures of a text, or why they cannot be read. */
async function readSignatures(text: string, keys: readonly PublicKey[]): Promise<readonly Signed[] | string> {
  const bytes = dearmored(text, pgpLabel, true);
  if (bytes === null) return 'its text is not armor as RFC 9580 has it';
  const bodies = signatureBodies(bytes);
  if (bodies === null) return 'it holds something else than signatures';
  if (bodies.length > mostSignatures) return `it holds ${bodies.length} signatures`;
  const { readSignature, enums } = await loadOpenPgp();
  let packets: readonly SignaturePacket[];
  let written: readonly unknown[];
  try {
    packets = [...(await readSignature({ binarySignature: new Uint8Array(bytes) })).packets];
    written = packets.map((packet) => packet.write());
  } catch {
    return 'it is broken, or of a kind that is not known';
  }
  // What is written anew has one form: it is the only one that is taken.
  if (written.length !== bodies.length || !written.every((body, index) => isSame(body, bodies[index]))) {
    return 'it is not in the one form of what it holds';
  }
  const signed = packets.map((packet): Signed => {
    const keyId = packet.issuerKeyID.toHex();
    const key = keys.find((one) => one.getKeys(packet.issuerKeyID).length > 0);
    return { packet, key, keyId };
  });
  if (signed.some(({ packet }) => packet.signatureType !== enums.signature.binary)) {
    return 'it is not one over the bytes of a document';
  }
  return signed.every(hasNothingLoose) ? signed : 'it holds something that nobody signed';
}

function isSame(one: unknown, other: Uint8Array | undefined): boolean {
  return one instanceof Uint8Array && other !== undefined && Buffer.from(one).equals(other);
}

/** Subpackets of a signature that name its key (RFC 9580, 5.2.3.12 and 5.2.3.35). */
const issuerKeyId = 16;
const issuerFingerprint = 33;

/** Whether the part of a packet that is not signed says nothing but by which key it was made, and that rightly. */
function hasNothingLoose({ packet, key }: Signed): boolean {
  const [signingKey] = key?.getKeys(packet.issuerKeyID) ?? [];
  return packet.unhashedSubpackets.every(({ type, critical, body }) => {
    const hex = Buffer.from(body).toString('hex');
    if (critical || (type !== issuerKeyId && type !== issuerFingerprint)) return false;
    if (signingKey === undefined) return true;
    if (type === issuerKeyId) return hex === signingKey.getKeyID().toHex();
    return hex === `${versionOf(signingKey)}${signingKey.getFingerprint()}`;
  });
}

/** The version of a key as its fingerprint's subpacket has it. */
function versionOf({ keyPacket }: PublicKey | Subkey): string {
  return keyPacket.version.toString(16).padStart(2, '0');
}

async function verdictOfOne(
  { packet, key, keyId }: Signed,
  payload: Uint8Array,
  now: number,
): Promise<SignatureVerdict> {
  if (key === undefined) {
    const name = packet.issuerFingerprint === null ? keyId : Buffer.from(packet.issuerFingerprint).toString('hex');
    return refused('signature-unknown-key', `the OpenPGP key ${name.toUpperCase()} is none of the accepted keys`);
  }
  const { createMessage, verify, PacketList, Signature } = await loadOpenPgp();
  const alone = new PacketList<SignaturePacket>();
  alone.push(packet);
  const created = packet.created ?? new Date(0);
  const by = `${await userOf(key, created)}${key.getFingerprint().toUpperCase()}`;
  const { signatures } = await verify({
    message: await createMessage({ binary: new Uint8Array(payload) }),
    signature: new Signature(alone),
    verificationKeys: [key],
    // A signer's clock may be ahead of ours; the key has to have been valid by the signer's.
    date: new Date(Math.max(now, created.getTime())),
    // GnuPG puts a key's new expiry in the place of the old one: what was signed before counts by the new one.
    config: { allowInsecureVerificationWithReformattedKeys: true },
    format: 'binary',
  });
  const [result] = signatures;
  if (result === undefined) return refused('signature-unreadable', 'the OpenPGP signature is not one over a document');
  try {
    await result.verified;
    return { accepted: true, by };
  } catch (thrown) {
    return explained(thrown instanceof Error ? thrown.message : '', `the OpenPGP key ${by}`, created);
  }
}

/** The verdict behind the library's words for why a signature does not hold. */
function explained(why: string, name: string, created: Date): SignatureVerdict {
  const when = created.toISOString();
  if (/digest did not match|verification failed/i.test(why)) {
    return refused('signature-bad', `the signature by ${name} is not one over this commit`);
  }
  if (/revoked/i.test(why)) return refused('signature-key-revoked', `${name} is revoked`);
  if (/signature is expired/i.test(why)) {
    return refused('signature-key-expired', `the signature by ${name} was made to expire, and has`);
  }
  if (/expired|newer than the signature|in the future/i.test(why)) {
    return refused('signature-key-expired', `${name} was not valid on ${when}, when the signature was made`);
  }
  // Curves that need a part of the library that is not there (secp256k1, those of Brainpool), in words that have paths.
  const shown = /cannot find (module|package)/i.test(why) ? 'it is on a curve that is not supported' : shownText(why);
  return refused('signature-unreadable', `the signature by ${name} cannot be taken: ${shown}`);
}

/** A key's user id with a space behind it; empty where it has none. */
async function userOf(key: PublicKey, at: Date): Promise<string> {
  const primary = await key.getPrimaryUser(at).then(
    ({ user }) => user.userID?.userID,
    () => undefined,
  );
  const user = primary ?? key.getUserIDs()[0];
  return user === undefined ? '' : `${shownText(user)} `;
}
