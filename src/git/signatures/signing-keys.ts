import type { PublicKey } from 'openpgp';
import { type AllowedSigner, readAllowedSigners, readPublicKeys } from './allowed-signers.ts';
import { KeyFault } from './key-fault.ts';
import { isPgp, readPgpKeys, united } from './pgp-keys.ts';

/** The keys whose signatures are accepted. */
export interface SigningKeys {
  readonly pgp: readonly PublicKey[];
  readonly ssh: readonly AllowedSigner[];
}

/**
 * The keys of one file: OpenPGP public keys, armored or not; public keys of SSH where its name ends in `.pub`; else an
 * `allowed_signers` file. Throws KeyFault where it holds anything else, or nothing.
 */
export async function readSigningKeys(name: string, bytes: Uint8Array): Promise<SigningKeys> {
  const text = new TextDecoder().decode(bytes);
  if (/^-----BEGIN (OPENSSH |RSA |EC |ENCRYPTED )?PRIVATE KEY-----/m.test(text)) {
    throw new KeyFault(null, 'holds a private key', 'Keep it away, and put its public key there.');
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new KeyFault(null, 'holds a certificate of X.509', 'Signatures are by OpenPGP or SSH keys.');
  }
  const pgp = isPgp(bytes, text) ? await readPgpKeys(bytes, text) : [];
  const ssh = pgp.length > 0 ? [] : name.endsWith('.pub') ? readPublicKeys(text) : readAllowedSigners(text);
  if (pgp.length + ssh.length > 0) return { pgp, ssh };
  throw new KeyFault(null, 'holds no key', 'Take it out of `repository.verify.keys`, or put a key in it.');
}

/** All keys of several files. */
export async function allKeys(files: readonly SigningKeys[]): Promise<SigningKeys> {
  return { pgp: await united(files.flatMap(({ pgp }) => pgp)), ssh: files.flatMap(({ ssh }) => ssh) };
}
