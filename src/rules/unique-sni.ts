import { referenceOf } from '../model/entity.ts';
import { clashesOf } from './clash.ts';
import { clashFinding, sameValues } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** A server name leads to one certificate. */
export const uniqueSni: Rule = {
  name: 'unique-sni',
  severity: 'error',
  summary: 'No SNI is listed twice, with one certificate or with two.',
  kinds: ['snis'],
  check: (entity, context) =>
    clashesOf(entity, 'unique-sni', context).map((clash) => {
      const certificates = new Set(clash.entities.map((one) => referenceOf(one, 'certificate')?.id ?? ''));
      return clashFinding(
        clash,
        `${sameValues(clash)}${certificates.size > 1 ? ', with different certificates' : ''}.`,
        'A client that asks for this name gets one certificate: keep the SNI with the one that is meant.',
      );
    }),
  documentation: page({
    title: 'unique-sni',
    what: 'Looks for a server name (SNI) that is listed more than once, in one certificate or in several.',
    why: `Kong picks the certificate of a TLS connection by the name that the client asks for, so each name belongs to one
certificate; the second is refused. With two candidates, which certificate clients see would depend on the order of files.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: shop.example.com
  - cert: \${{ env "DECK_OTHER_CERT" }}
    key: \${{ env "DECK_OTHER_KEY" }}
    snis:
      - name: shop.example.com`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: shop.example.com
  - cert: \${{ env "DECK_OTHER_CERT" }}
    key: \${{ env "DECK_OTHER_KEY" }}
    snis:
      - name: pay.example.com`,
    fix: `Keep the name with one certificate. To replace a certificate, change it where it is rather than adding a second
one; for a second key type there are \`cert_alt\` and \`key_alt\`.`,
  }),
};
