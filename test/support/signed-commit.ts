import { createMessage, generateKey, type PrivateKey, readPrivateKey, sign } from 'openpgp';
import type { CommitRequest, ServedRepository } from './served-repository.ts';

/** When the commits of these tests are made, in seconds since 1970. */
export const committedAt = Date.UTC(2026, 4, 1, 12) / 1000;

/** The bytes of a commit object that is not signed. */
export function commitObject(
  message = 'Raise a limit\n',
  at = committedAt,
  tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
): Buffer {
  const person = `Ada <ada@example.com> ${at} +0200`;
  return Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${message}`);
}

/** A commit object with a signature put in its headers, as Git does. */
export function withSignature(payload: Uint8Array, signature: string, header = 'gpgsig'): Buffer {
  const text = Buffer.from(payload).toString('latin1');
  const end = text.indexOf('\n\n') + 1;
  const folded = signature.replace(/\n$/, '').replaceAll('\n', '\n ');
  return Buffer.from(`${text.slice(0, end)}${header} ${folded}\n${text.slice(end)}`, 'latin1');
}

/** An OpenPGP key of a person, with a primary key that signs. */
export interface PgpSigner {
  readonly key: PrivateKey;
  readonly fingerprint: string;
  readonly publicKey: string;
}

/** What a key is to be. */
export interface PgpWish {
  readonly name?: string;
  /** When the key is made; long before the commits where it is left out. */
  readonly at?: Date;
  /** For how many seconds it is good; for ever where it is left out. */
  readonly seconds?: number;
  readonly type?: 'ecc' | 'rsa';
  /** Whether a subkey signs in the place of the primary key. */
  readonly subkey?: boolean;
}

const longBefore = new Date('2024-01-01T00:00:00Z');

/** Makes a new key. */
export async function pgpSigner({
  name = 'Ada',
  at = longBefore,
  seconds = 0,
  type = 'ecc',
  subkey = false,
}: PgpWish = {}): Promise<PgpSigner> {
  const { privateKey } = await generateKey({
    userIDs: [{ name, email: `${name.toLowerCase()}@example.com` }],
    date: at,
    keyExpirationTime: seconds,
    ...(type === 'rsa' ? { type, rsaBits: 2048 } : { type, curve: 'ed25519Legacy' as const }),
    subkeys: subkey ? [{ sign: true }] : [],
    format: 'armored',
  });
  return pgpSignerOf(await readPrivateKey({ armoredKey: privateKey }));
}

/** A signer with a key that is there. */
export function pgpSignerOf(key: PrivateKey): PgpSigner {
  return { key, fingerprint: key.getFingerprint().toUpperCase(), publicKey: key.toPublic().armor() };
}

/** The armored signature by one key or more over a payload. */
export async function pgpSignature(
  signers: PgpSigner | readonly PgpSigner[],
  payload: Uint8Array,
  at?: Date,
): Promise<string> {
  const all = 'key' in signers ? [signers] : signers;
  const signature = await sign({
    message: await createMessage({ binary: new Uint8Array(payload) }),
    signingKeys: all.map(({ key }) => key),
    date: at ?? new Date(committedAt * 1000),
    detached: true,
  });
  return signature.replaceAll('\r\n', '\n');
}

/**
 * Makes a commit on `main` whose object is signed by whatever `sign` gives for its bytes; null leaves it as it is. Gives
 * its SHA.
 */
export async function commitSigned(
  repository: ServedRepository,
  request: Omit<CommitRequest, 'branch' | 'parents'>,
  sign: ((payload: Uint8Array) => string | Promise<string>) | null,
): Promise<string> {
  const tip = await repository.tip();
  const drafted = await repository.commit({ ...request, branch: 'draft', parents: tip === null ? [] : [tip] });
  const payload = Buffer.from(await repository.git('cat-file', 'commit', drafted));
  const revision =
    sign === null ? drafted : await repository.hashObject('commit', withSignature(payload, await sign(payload)));
  await repository.setBranch('main', revision);
  return revision;
}
