import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** The types of keys that a signer can be made with. */
export type SignerType =
  | 'ssh-ed25519'
  | 'ssh-rsa'
  | 'ecdsa-sha2-nistp256'
  | 'ecdsa-sha2-nistp384'
  | 'ecdsa-sha2-nistp521'
  | 'sk-ssh-ed25519@openssh.com'
  | 'sk-ecdsa-sha2-nistp256@openssh.com';

/** All of them. */
export const signerTypes: readonly SignerType[] = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];

/** What a signature says, where it is not what `git commit -S` writes. */
export interface SshSigning {
  readonly namespace?: string;
  readonly hash?: 'sha256' | 'sha512' | 'sha1';
  /** The algorithm of an RSA signature. */
  readonly rsa?: 'rsa-sha2-256' | 'rsa-sha2-512' | 'ssh-rsa';
  /** The flags of a security key; 1 is for a touch. */
  readonly flags?: number;
  readonly version?: number;
  readonly reserved?: string;
  /** Bytes after the end of the signature. */
  readonly trailing?: Uint8Array;
}

/** A new key that signs as `ssh-keygen -Y sign` does. */
export interface SshSigner {
  readonly type: SignerType;
  /** `TYPE BASE64`, as in a `.pub` file. */
  readonly publicKey: string;
  readonly fingerprint: string;
  sign(payload: Uint8Array, how?: SshSigning): string;
}

/** Makes a signer with a new key. RSA keys have 2048 bits unless told otherwise. */
export function sshSigner(type: SignerType = 'ssh-ed25519', rsaBits = 2048): SshSigner {
  const { publicKey, privateKey } = newPair(type, rsaBits);
  const blob = publicBlob(type, publicKey);
  return {
    type,
    publicKey: `${type} ${blob.toString('base64')}`,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
    sign: (payload, how = {}) => armored(type, blob, privateKey, payload, how),
  };
}

function newPair(type: SignerType, rsaBits: number): { publicKey: KeyObject; privateKey: KeyObject } {
  if (type === 'ssh-rsa') return generateKeyPairSync('rsa', { modulusLength: rsaBits });
  if (type.includes('ed25519')) return generateKeyPairSync('ed25519');
  return generateKeyPairSync('ec', { namedCurve: `P-${/(\d{3})/.exec(type)?.[1]}` });
}

function publicBlob(type: SignerType, key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const part = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  if (type === 'ssh-rsa') return Buffer.concat([string(type), mpint(part(jwk.e)), mpint(part(jwk.n))]);
  const application = type.startsWith('sk-') ? [string('ssh:')] : [];
  if (type.includes('ed25519')) return Buffer.concat([string(type), string(part(jwk.x)), ...application]);
  const point = Buffer.concat([Buffer.from([4]), part(jwk.x), part(jwk.y)]);
  return Buffer.concat([string(type), string(curveOf(type)), string(point), ...application]);
}

function curveOf(type: SignerType): string {
  return /nistp\d+/.exec(type)?.[0] ?? '';
}

function armored(type: SignerType, blob: Buffer, key: KeyObject, payload: Uint8Array, how: SshSigning): string {
  const { namespace = 'git', hash = 'sha512', version = 1, reserved = '', trailing = new Uint8Array() } = how;
  const digest = createHash(hash).update(payload).digest();
  const message = Buffer.concat([
    Buffer.from('SSHSIG'),
    string(namespace),
    string(reserved),
    string(hash),
    string(digest),
  ]);
  const bytes = Buffer.concat([
    Buffer.from('SSHSIG'),
    uint32(version),
    string(blob),
    string(namespace),
    string(reserved),
    string(hash),
    string(signatureBlob(type, key, message, how)),
    trailing,
  ]);
  const lines = bytes.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

function signatureBlob(type: SignerType, key: KeyObject, message: Buffer, how: SshSigning): Buffer {
  if (type === 'ssh-rsa') {
    const { rsa = 'rsa-sha2-512' } = how;
    const hash = rsa === 'ssh-rsa' ? 'sha1' : rsa.replace('rsa-sha2-', 'sha');
    return Buffer.concat([string(rsa), string(sign(hash, message, key))]);
  }
  if (!type.startsWith('sk-')) return Buffer.concat([string(type), string(rawSignature(type, key, message))]);
  const { flags = 1 } = how;
  const rest = Buffer.concat([Buffer.from([flags]), uint32(7)]);
  const signed = Buffer.concat([sha256(Buffer.from('ssh:')), rest, sha256(message)]);
  return Buffer.concat([string(type), string(rawSignature(type, key, signed)), rest]);
}

function rawSignature(type: SignerType, key: KeyObject, message: Buffer): Buffer {
  if (type.includes('ed25519')) return sign(null, message, key);
  const hash = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }[curveOf(type)] ?? '';
  const both = sign(hash, message, { key, dsaEncoding: 'ieee-p1363' });
  const half = both.length / 2;
  return Buffer.concat([mpint(both.subarray(0, half)), mpint(both.subarray(half))]);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function mpint(value: Buffer): Buffer {
  const start = value.findIndex((byte) => byte !== 0);
  const short = start === -1 ? Buffer.alloc(0) : value.subarray(start);
  return string((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
}
