import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { SshFormError, SshReader } from './ssh-wire.ts';

/** The types of keys that are taken (RFC 8709, 8332, 5656, and OpenSSH's PROTOCOL.u2f). */
const curves = {
  'ecdsa-sha2-nistp256': { name: 'nistp256', jwk: 'P-256', size: 32, hash: 'sha256' },
  'ecdsa-sha2-nistp384': { name: 'nistp384', jwk: 'P-384', size: 48, hash: 'sha384' },
  'ecdsa-sha2-nistp521': { name: 'nistp521', jwk: 'P-521', size: 66, hash: 'sha512' },
  'sk-ecdsa-sha2-nistp256@openssh.com': { name: 'nistp256', jwk: 'P-256', size: 32, hash: 'sha256' },
} as const;

type Curve = (typeof curves)[keyof typeof curves];

/** A public key of SSH. */
export interface SshKey {
  readonly type: string;
  /** The key as it stands in files and signatures. */
  readonly blob: Uint8Array;
  /** `SHA256:…`, as ssh-keygen shows it. */
  readonly fingerprint: string;
  readonly key: KeyObject;
  /** Null where the key is not on a curve of NIST. */
  readonly curve: Curve | null;
  /** The bytes of an RSA modulus; 0 for other keys. */
  readonly modulusBytes: number;
  /** What a security key signs for, such as `ssh:`; null for a key that is none. */
  readonly application: string | null;
}

/** RSA keys below it are refused; ssh-keygen has made longer ones for long. */
const leastRsaBits = 2048;

/** Whether a word is a type of SSH keys, taken or not. */
export function isKeyType(word: string): boolean {
  return /^(ssh|ecdsa|sk|webauthn)-[a-z0-9-]+(@openssh\.com)?$/.test(word);
}

/** Whether a type of key is that of a certificate, which another key vouches for. */
export function isCertificateType(type: string): boolean {
  return /-cert-v\d\d@openssh\.com$/.test(type);
}

/** Reads a public key; throws SshFormError, with why, for one that is broken, too weak or of a type that is not taken. */
export function readSshKey(blob: Uint8Array): SshKey {
  const reader = new SshReader(blob);
  const type = reader.text();
  const read = partsOf(type, reader);
  if (read === null) throw new SshFormError(notTaken(type));
  reader.end();
  return { type, blob, fingerprint: fingerprintOf(blob), ...read };
}

/** How ssh-keygen names a key. */
export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

function partsOf(type: string, reader: SshReader): Omit<SshKey, 'type' | 'blob' | 'fingerprint'> | null {
  switch (type) {
    case 'ssh-ed25519':
      return { key: ed25519(reader), curve: null, modulusBytes: 0, application: null };
    case 'sk-ssh-ed25519@openssh.com':
      return { key: ed25519(reader), curve: null, modulusBytes: 0, application: reader.text() };
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521':
      return { key: onCurve(curves[type], reader), curve: curves[type], modulusBytes: 0, application: null };
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return { key: onCurve(curves[type], reader), curve: curves[type], modulusBytes: 0, application: reader.text() };
    case 'ssh-rsa': {
      const e = reader.mpint();
      const n = reader.mpint();
      const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
      if (bits < leastRsaBits) throw new SshFormError(`it is an RSA key of ${bits} bits, fewer than ${leastRsaBits}`);
      const key = fromJwk({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') });
      return { key, curve: null, modulusBytes: n.length, application: null };
    }
    default:
      return null;
  }
}

function notTaken(type: string): string {
  if (isCertificateType(type)) return 'it is a certificate, and these are not supported';
  if (type === 'ssh-dss') return 'it is a DSA key, which is not safe';
  return isKeyType(type) ? `keys of the type ${type} are not supported` : 'it is no public key of SSH';
}

function ed25519(reader: SshReader): KeyObject {
  const x = reader.string();
  if (x.length !== 32) throw new SshFormError('an Ed25519 key has 32 bytes');
  return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') });
}

function onCurve(curve: Curve, reader: SshReader): KeyObject {
  if (reader.text() !== curve.name) throw new SshFormError('its curve is not that of its type');
  const point = reader.string();
  if (point.length !== 1 + 2 * curve.size || point[0] !== 4) throw new SshFormError('its point is not in full form');
  return fromJwk({
    kty: 'EC',
    crv: curve.jwk,
    x: point.subarray(1, 1 + curve.size).toString('base64url'),
    y: point.subarray(1 + curve.size).toString('base64url'),
  });
}

function fromJwk(key: { readonly [name: string]: string }): KeyObject {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    throw new SshFormError('it is no valid key');
  }
}
