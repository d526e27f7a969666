import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { EntityCheck } from '../check.ts';
import { isVaultReference } from '../checks/vault-reference.ts';
import type { Fault } from '../fault.ts';
import { ofText } from './names.ts';

/** A certificate in PEM. */
export const certificate = ofText((text) => (readCertificate(text) === null ? 'must be a certificate in PEM' : null));

/** A private key in PEM. */
export const privateKey = ofText((text) => (readPrivateKey(text) === null ? 'must be a private key in PEM' : null));

/** A certificate belongs to its key, and the alternative pair is of another type. */
export const certificatePair: EntityCheck = (entity, isFaulty) => {
  const faults: Fault[] = [];
  for (const [certField, keyField] of [
    ['cert', 'key'],
    ['cert_alt', 'key_alt'],
  ] as const) {
    if (isFaulty(certField) || isFaulty(keyField)) continue;
    const cert = readCertificate(entity[certField]);
    const key = readPrivateKey(entity[keyField]);
    if (cert !== null && key !== null && !cert.checkPrivateKey(key)) {
      faults.push(
        custom(`"${certField}" and "${keyField}" do not belong together`, 'Was one of the two renewed alone?'),
      );
    }
  }
  if (isFaulty('cert') || isFaulty('cert_alt')) return faults;
  const [cert, alternative] = [readCertificate(entity['cert']), readCertificate(entity['cert_alt'])];
  if (cert !== null && alternative !== null && keyType(cert) === keyType(alternative)) {
    faults.push(custom('"cert" and "cert_alt" must be of two types, such as RSA and ECDSA', ''));
  }
  return faults;
};

/** A CA certificate is one certificate, and that of an authority. */
export const certificateAuthority: EntityCheck = (entity, isFaulty) => {
  const pem = entity['cert'];
  if (isFaulty('cert') || typeof pem !== 'string') return [];
  if (pem.split('-----BEGIN CERTIFICATE-----').length > 2) {
    return [custom('"cert" must hold one certificate', 'Make an entity of each certificate of the bundle.')];
  }
  const cert = readCertificate(pem);
  return cert === null || cert.ca ? [] : [custom('"cert" is not the certificate of an authority (CA)', '')];
};

/** A JSON Web Key or a PEM pair can be read, and a JWK names the key id that the entity has. */
export const keyMaterial: EntityCheck = (entity, isFaulty) => {
  const { jwk, pem, kid } = entity;
  const faults: Fault[] = [];
  if (typeof jwk === 'string' && !isFaulty('jwk') && !isVaultReference(jwk)) {
    const problem = jwkProblem(jwk, kid);
    if (problem !== null) faults.push({ ...custom(problem, ''), basis: [['jwk']] });
  }
  if (isJsonObject(pem) && !isFaulty('pem')) {
    const readable = pemReadable(pem);
    if (readable !== null) faults.push({ path: ['pem'], code: 'custom', message: readable, hint: '', ofEntity: false });
  }
  return faults;
};

function jwkProblem(text: string, kid: Json | undefined): string | null {
  const key = parseJson(text);
  if (!isJsonObject(key)) return '"jwk" must be a JSON object, as a text';
  if (key['kid'] !== kid) return 'the "kid" in "jwk" must be that of the key';
  try {
    createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    return null;
  } catch {
    return '"jwk" must be an RSA, EC or OKP key';
  }
}

function pemReadable(pem: JsonObject): string | null {
  const { public_key: publicKey, private_key: secretKey } = pem;
  if (typeof publicKey === 'string' && !isVaultReference(publicKey) && readPublicKey(publicKey) === null) {
    return 'must hold a public key in PEM as "public_key"';
  }
  if (typeof secretKey === 'string' && !isVaultReference(secretKey) && readPrivateKey(secretKey) === null) {
    return 'must hold a private key in PEM as "private_key"';
  }
  return null;
}

const signedByKey = /^(?:RS|PS)(?:256|384|512)$|^EdDSA$/;

/** The public key of a JWT credential whose algorithm needs one. */
export const jwtPublicKey: EntityCheck = (entity, isFaulty, asServer) => {
  const { algorithm, rsa_public_key: key } = entity;
  if (isFaulty('algorithm') || isFaulty('rsa_public_key') || typeof key !== 'string') return [];
  if (typeof algorithm !== 'string' || !signedByKey.test(algorithm) || readPublicKey(key) !== null) return [];
  const message = `must be a public key in PEM when "algorithm" is ${algorithm}`;
  const fault: Fault = { path: ['rsa_public_key'], code: 'conditional', message, hint: '', ofEntity: false };
  return asServer
    ? [fault, { ...custom('"rsa_public_key" does not go with "algorithm"', ''), code: 'conditional' }]
    : [fault];
};

function readCertificate(pem: Json | undefined): X509Certificate | null {
  return read(pem, (text) => (text.includes('-----BEGIN') ? new X509Certificate(text) : null));
}

function readPrivateKey(pem: Json | undefined): KeyObject | null {
  return read(pem, (text) => createPrivateKey(text));
}

function readPublicKey(pem: Json | undefined): KeyObject | null {
  return read(pem, (text) => createPublicKey(text));
}

function read<T>(pem: Json | undefined, reader: (text: string) => T | null): T | null {
  if (typeof pem !== 'string' || isVaultReference(pem)) return null;
  try {
    return reader(pem);
  } catch {
    return null;
  }
}

function keyType(cert: X509Certificate): string | undefined {
  return cert.publicKey.asymmetricKeyType;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function custom(message: string, hint: string): Fault {
  return { path: [], code: 'custom', message, hint, ofEntity: true };
}
