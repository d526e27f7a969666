import { describe, type Entity, entityName } from '../model/entity.ts';
import { page } from './page.ts';
import { certificateIn, privateKeyIn } from './pem.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';

/** A certificate stands with its own private key. */
export const certificateKeyMismatch: Rule = {
  name: 'certificate-key-mismatch',
  severity: 'error',
  summary: 'The private key of a certificate belongs to it.',
  kinds: ['certificates'],
  check: (entity, context) => [
    ...checkPair(entity, 'cert', 'key', context),
    ...checkPair(entity, 'cert_alt', 'key_alt', context),
  ],
  documentation: page({
    title: 'certificate-key-mismatch',
    what: 'Compares the public key in `cert` with the private key in `key`, and `cert_alt` with `key_alt` likewise.',
    why: `With a key of another certificate no TLS connection can be made. Kong refuses such a pair. It happens when a
certificate is renewed with a new key and only one of the two is replaced.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_OTHER_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: pay.example.com`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_OTHER_CERT" }}
    key: \${{ env "DECK_OTHER_KEY" }}
    snis:
      - name: pay.example.com`,
    fix: `Put the key that the certificate was made with beside it. The certificate of the server comes first in a chain;
with an intermediate certificate first, no key fits.`,
  }),
};

function checkPair(entity: Entity, cert: string, key: string, context: RuleContext): readonly Finding[] {
  const certificate = certificateIn(entity, cert, context);
  const privateKey = privateKeyIn(entity, key, context);
  if (certificate === null || privateKey === null || certificate.checkPrivateKey(privateKey)) return [];
  return [
    {
      message: `The ${key} of ${describe(entity)} does not belong to its ${cert}.`,
      hint: `Replace the ${key} with the one that the certificate was made with, or the ${cert} with the one that fits.`,
      locations: entity.source === null ? [] : [entity.source.at([key]), entity.source.at([cert])],
      entities: [entityName(entity)],
    },
  ];
}
