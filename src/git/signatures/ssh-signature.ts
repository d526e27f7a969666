import { createHash, verify } from 'node:crypto';
import { dearmored } from './armor.ts';
import { readSshKey, type SshKey } from './ssh-key.ts';
import { SshFormError, SshReader, sshString } from './ssh-wire.ts';

/** A signature of SSH, read. Nothing of it is verified yet. */
export interface SshSignature {
  readonly key: SshKey;
  readonly namespace: string;
  readonly hash: 'sha256' | 'sha512';
  readonly blob: Uint8Array;
}

/** The label between the dashes. */
export const sshLabel = 'SSH SIGNATURE';

/** Reads an armored signature (OpenSSH's PROTOCOL.sshsig); throws SshFormError, with why, where it cannot be read. */
export function readSshSignature(text: string): SshSignature {
  const bytes = dearmored(text, sshLabel, false);
  if (bytes === null) throw new SshFormError('its text is not in the one form that ssh-keygen writes');
  const reader = new SshReader(bytes);
  if (reader.take(6).toString('latin1') !== 'SSHSIG') throw new SshFormError('it does not begin with SSHSIG');
  const version = reader.uint32();
  if (version !== 1) throw new SshFormError(`it has the version ${version}`);
  const key = readSshKey(reader.string());
  const namespace = reader.text();
  if (reader.string().length > 0) throw new SshFormError('it holds something that only later versions know');
  const hash = reader.text();
  if (hash !== 'sha256' && hash !== 'sha512') throw new SshFormError('it is over a hash that is not allowed');
  const blob = reader.string();
  reader.end();
  return { key, namespace, hash, blob };
}

/**
 * Whether the signature is that of its key over the payload. A security key has to say that somebody touched it. Throws
 * SshFormError where what it holds is none of what its key makes.
 */
export function isSignatureOver(signature: SshSignature, payload: Uint8Array): boolean {
  const { key, namespace, hash, blob } = signature;
  const message = Buffer.concat([
    Buffer.from('SSHSIG'),
    sshString(namespace),
    sshString(''),
    sshString(hash),
    sshString(createHash(hash).update(payload).digest()),
  ]);
  const reader = new SshReader(blob);
  const algorithm = reader.text();
  const value = reader.string();
  if (key.application === null) {
    reader.end();
    return isValue(key, algorithm, value, message);
  }
  const flags = reader.take(1);
  const counter = reader.take(4);
  reader.end();
  if (((flags[0] ?? 0) & userPresent) === 0) return false;
  const signed = [sha256(Buffer.from(key.application, 'latin1')), flags, counter, sha256(message)];
  return isValue(key, algorithm, value, Buffer.concat(signed));
}

/** The flag of a security key that was touched (PROTOCOL.u2f). */
const userPresent = 0x01;

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function isValue({ type, key, curve, modulusBytes }: SshKey, algorithm: string, value: Buffer, over: Buffer): boolean {
  if (type === 'ssh-rsa') {
    // The one of ssh-rsa itself is over SHA-1, and ssh-keygen takes it for no signature either.
    if (algorithm !== 'rsa-sha2-256' && algorithm !== 'rsa-sha2-512') {
      throw new SshFormError('an RSA key has to sign with SHA-256 or SHA-512');
    }
    return value.length === modulusBytes && verify(algorithm.replace('rsa-sha2-', 'sha'), over, key, value);
  }
  if (algorithm !== type) throw new SshFormError('its algorithm is not that of its key');
  if (curve === null) return value.length === 64 && verify(null, over, key, value);
  const reader = new SshReader(value);
  const parts = [reader.mpint(), reader.mpint()];
  reader.end();
  if (parts.some((part) => part.length > curve.size)) return false;
  const padded = parts.map((part) => Buffer.concat([Buffer.alloc(curve.size - part.length), part]));
  return verify(curve.hash, over, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(padded));
}
