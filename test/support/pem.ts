import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A certificate and its private key, as PEM texts made on the spot. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate is to say. */
export interface CertificateWish {
  readonly commonName: string;
  /** DNS names; one that is an IPv4 address becomes an address. */
  readonly names?: readonly string[];
  readonly authority?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** `ec` (P-256) is the default; `rsa` has 2048 bits. */
  readonly keyType?: 'ec' | 'rsa';
  /** Who signs it; itself when left out. */
  readonly issuer?: Pair & { readonly commonName: string };
}

/** A new certificate with a new key (RFC 5280, as little of it as TLS needs). */
export function certificate(wish: CertificateWish): Pair {
  const subject = newKeys(wish.keyType ?? 'ec');
  const issuerName = wish.issuer?.commonName ?? wish.commonName;
  const signWith = wish.issuer?.key ?? subject.key;
  const algorithm = signWith.includes('BEGIN EC') || isEc(signWith) ? ecdsaWithSha256 : rsaWithSha256;
  const body = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    name(issuerName),
    sequence(
      time(wish.notBefore ?? new Date('2020-01-01T00:00:00Z')),
      time(wish.notAfter ?? new Date('2049-01-01T00:00:00Z')),
    ),
    name(wish.commonName),
    subject.spki,
    context(3, sequence(...extensions(wish, subject.spki))),
  );
  const signature = createSign('sha256').update(body).sign(signWith);
  const der = sequence(body, algorithm, bitString(signature));
  return { cert: pem('CERTIFICATE', der), key: subject.key };
}

/** A private key alone, in PKCS #8. */
export function privateKey(keyType: 'ec' | 'rsa' = 'ec'): string {
  return newKeys(keyType).key;
}

/** The public key of a new pair, in SubjectPublicKeyInfo, with its private key. */
export function publicPair(keyType: 'ec' | 'rsa' = 'rsa'): { readonly publicKey: string; readonly key: string } {
  const made = newKeys(keyType);
  return { publicKey: pem('PUBLIC KEY', made.spki), key: made.key };
}

interface Keys {
  readonly key: string;
  readonly spki: Buffer;
}

function newKeys(keyType: 'ec' | 'rsa'): Keys {
  const pair =
    keyType === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { key: exported(pair.privateKey), spki: pair.publicKey.export({ type: 'spki', format: 'der' }) };
}

function exported(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function isEc(key: string): boolean {
  // The object identifier of elliptic-curve keys, which PKCS #8 carries near its start.
  return Buffer.from(key.replace(/-----[^-]+-----|\s/g, ''), 'base64').includes(Buffer.from('2a8648ce3d0201', 'hex'));
}

function extensions(wish: CertificateWish, spki: Buffer): readonly Buffer[] {
  const basic = extension(
    '551d13',
    true,
    sequence(...(wish.authority === true ? [tagged(0x01, Buffer.from([0xff]))] : [])),
  );
  const keyId = extension('551d0e', false, tagged(0x04, createHash('sha1').update(spki).digest()));
  const names = (wish.names ?? []).map((text) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(text)
      ? tagged(0x87, Buffer.from(text.split('.').map(Number)))
      : tagged(0x82, Buffer.from(text, 'latin1')),
  );
  return [basic, keyId, ...(names.length === 0 ? [] : [extension('551d11', false, sequence(...names))])];
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  return sequence(
    tagged(0x06, Buffer.from(oid, 'hex')),
    ...(critical ? [tagged(0x01, Buffer.from([0xff]))] : []),
    tagged(0x04, value),
  );
}

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  const head = length < 128 ? [tag, length] : [tag, 0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function context(number: number, content: Buffer): Buffer {
  return tagged(0xa0 | number, content);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function bitString(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function name(commonName: string): Buffer {
  const attribute = sequence(tagged(0x06, Buffer.from('550403', 'hex')), tagged(0x0c, Buffer.from(commonName, 'utf8')));
  return sequence(tagged(0x31, attribute));
}

const ecdsaWithSha256 = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const rsaWithSha256 = sequence(tagged(0x06, Buffer.from('2a864886f70d01010b', 'hex')), tagged(0x05, Buffer.alloc(0)));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
