import { describe, entityName } from '../model/entity.ts';
import { page } from './page.ts';
import { certificateIn } from './pem.ts';
import type { Rule } from './rule.ts';

/** The alternative certificate has a key of another type than the first. */
export const certificateAlternative: Rule = {
  name: 'certificate-alternative',
  severity: 'error',
  summary: 'An alternative certificate has another type of key than the certificate.',
  kinds: ['certificates'],
  check: (entity, context) => {
    const first = certificateIn(entity, 'cert', context);
    const second = certificateIn(entity, 'cert_alt', context);
    const type = second?.publicKey.asymmetricKeyType;
    if (first === null || second === null || type === undefined) return [];
    if (first.publicKey.asymmetricKeyType !== type) return [];
    return [
      {
        message: `The cert and the cert_alt of ${describe(entity)} both have a key of type ${type}.`,
        hint: 'Kong takes one RSA and one ECDSA certificate: give the other type, or leave cert_alt and key_alt out.',
        locations: entity.source === null ? [] : [entity.source.at(['cert_alt']), entity.source.at(['cert'])],
        entities: [entityName(entity)],
      },
    ];
  },
  documentation: page({
    title: 'certificate-alternative',
    what: 'Compares the type of the public key (RSA, ECDSA) of `cert` with that of `cert_alt`.',
    why: `The alternative is there to serve both old clients (RSA) and new ones (ECDSA) with what they understand. Two of
one type give Kong nothing to choose by, and it refuses them.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    cert_alt: \${{ env "DECK_OTHER_CERT" }}
    key_alt: \${{ env "DECK_OTHER_KEY" }}
    snis:
      - name: shop.example.com`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    cert_alt: \${{ env "DECK_RSA_CERT" }}
    key_alt: \${{ env "DECK_RSA_KEY" }}
    snis:
      - name: shop.example.com`,
    fix: 'Keep one certificate of each type of key. To replace a certificate, change `cert` and `key` themselves.',
  }),
};
