import { createPublicKey, type KeyObject } from 'node:crypto';
import { describe } from '../../model/entity.ts';
import { textOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import { isVaultReference } from '../pem.ts';
import type { Rule } from '../rule.ts';

/** The key types, and for ECDSA the curve, that each algorithm signs with (RFC 7518, RFC 8037). */
const wanted: { readonly [algorithm: string]: { readonly types: readonly string[]; readonly curve?: string } } = {
  RS256: { types: ['rsa'] },
  RS384: { types: ['rsa'] },
  RS512: { types: ['rsa'] },
  PS256: { types: ['rsa', 'rsa-pss'] },
  PS384: { types: ['rsa', 'rsa-pss'] },
  PS512: { types: ['rsa', 'rsa-pss'] },
  ES256: { types: ['ec'], curve: 'prime256v1' },
  ES384: { types: ['ec'], curve: 'secp384r1' },
  ES512: { types: ['ec'], curve: 'secp521r1' },
  EdDSA: { types: ['ed25519', 'ed448'] },
};

/** A JWT credential has the public key that its algorithm needs. */
export const jwtKey: Rule = {
  name: 'jwt-key',
  severity: 'warning',
  summary: 'The public key of a JWT credential is there and fits the algorithm.',
  kinds: ['jwt_secrets'],
  check: (entity) => {
    const algorithm = textOf(entity, 'algorithm') ?? 'HS256';
    const need = Object.hasOwn(wanted, algorithm) ? wanted[algorithm] : undefined;
    const pem = textOf(entity, 'rsa_public_key');
    if (need === undefined || (pem !== null && isVaultReference(pem))) return [];
    if (pem === null) {
      // Kong itself asks for one of RS, PS and EdDSA, which the schema says.
      if (!algorithm.startsWith('ES')) return [];
      return [
        findingAt(
          entity,
          ['algorithm'],
          `The ${describe(entity)} is to check signatures of ${algorithm}, and has no public key to check them with.`,
          'Give the public key in PEM as rsa_public_key (Kong calls it so for every algorithm).',
        ),
      ];
    }
    const key = readPublicKey(pem);
    if (key === null || fits(key, need)) {
      // What RS, PS and EdDSA cannot read is refused by Kong, and found by the schema.
      if (key !== null || !algorithm.startsWith('ES')) return [];
    }
    const what = key === null ? 'which cannot be read as a public key' : `which is ${kindOf(key)}`;
    return [
      findingAt(
        entity,
        ['rsa_public_key'],
        `The ${describe(entity)} checks signatures of ${algorithm} with a key ${what}.`,
        `Give the key that the tokens are signed with, or correct the algorithm: ${algorithm} needs ${nameOf(need)}.`,
        [{ entity, path: ['algorithm'] }],
      ),
    ];
  },
  documentation: page({
    title: 'jwt-key',
    what: `Reads \`rsa_public_key\` of JWT credentials and compares its type with \`algorithm\`: RSA for RS and PS, ECDSA on the
right curve for ES256, ES384 and ES512, Ed25519 or Ed448 for EdDSA.`,
    why: `Kong takes any readable key, and for ES algorithms even none. Then no token of this consumer is ever accepted, with
a message that speaks of an invalid signature.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    jwt_secrets:
      - key: web-2026
        algorithm: ES256`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    jwt_secrets:
      - key: web-2026
        algorithm: HS256
        secret: "{vault://env/web-jwt-secret}"`,
    fix: 'Put the public key of the pair that the tokens are signed with beside the algorithm that they name.',
  }),
};

function readPublicKey(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

function fits(key: KeyObject, need: { readonly types: readonly string[]; readonly curve?: string }): boolean {
  if (!need.types.includes(key.asymmetricKeyType ?? '')) return false;
  return need.curve === undefined || key.asymmetricKeyDetails?.namedCurve === need.curve;
}

function kindOf(key: KeyObject): string {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const type = (key.asymmetricKeyType ?? 'of another type').toUpperCase();
  return curve === undefined ? `of type ${type}` : `of type ${type} on the curve ${curve}`;
}

function nameOf(need: { readonly types: readonly string[]; readonly curve?: string }): string {
  const types = need.types.map((type) => type.toUpperCase()).join(' or ');
  return need.curve === undefined ? types : `${types} on the curve ${need.curve}`;
}
