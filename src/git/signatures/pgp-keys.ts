import type { PublicKey } from 'openpgp';
import { KeyFault } from './key-fault.ts';
import { loadOpenPgp } from './open-pgp.ts';

const block = /^-----BEGIN PGP (PUBLIC|PRIVATE) KEY BLOCK-----[\s\S]*?^-----END PGP \1 KEY BLOCK-----/gm;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Whether the bytes of a file are OpenPGP's: armored, or packets (whose first byte has its highest bit set). */
export function isPgp(bytes: Uint8Array, text: string): boolean {
  // A byte order mark, which the text is without, makes no packet.
  const isMarked = Buffer.from(bytes.subarray(0, 3)).equals(byteOrderMark);
  return /^-----BEGIN PGP /m.test(text) || (!isMarked && ((bytes[0] ?? 0) & 0x80) !== 0);
}

/** Reads all public keys of a file, armored (one block or several) or binary. Throws KeyFault. */
export async function readPgpKeys(bytes: Uint8Array, text: string): Promise<readonly PublicKey[]> {
  const { readKeys } = await loadOpenPgp();
  const blocks = [...text.matchAll(block)].map(([whole]) => whole);
  if (blocks.length === 0 && /^-----BEGIN PGP /m.test(text)) throw noKeys('has no whole block of OpenPGP keys');
  const reads =
    blocks.length > 0
      ? blocks.map((armoredKeys) => () => readKeys({ armoredKeys }))
      : [() => readKeys({ binaryKeys: new Uint8Array(bytes) })];
  const found: PublicKey[] = [];
  for (const read of reads) {
    const keys = await read().catch((thrown: unknown) => {
      throw noKeys(`has an OpenPGP key that cannot be read (${reasonOf(thrown)})`);
    });
    for (const key of keys) {
      if (key.isPrivate())
        throw new KeyFault(null, 'holds a private key', 'Keep it away, and put its public key there.');
      found.push(key);
    }
  }
  return found;
}

/** The keys with what several files say of one of them put together: a renewal, or a revocation. */
export async function united(keys: readonly PublicKey[]): Promise<readonly PublicKey[]> {
  const byFingerprint = new Map<string, PublicKey>();
  for (const key of keys) {
    const known = byFingerprint.get(key.getFingerprint());
    byFingerprint.set(key.getFingerprint(), known === undefined ? key : await known.update(key));
  }
  return [...byFingerprint.values()];
}

function noKeys(message: string): KeyFault {
  return new KeyFault(null, message, 'Export it anew: `gpg --armor --export FINGERPRINT`.');
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.split('\n', 1).join('') : 'no reason given';
}
