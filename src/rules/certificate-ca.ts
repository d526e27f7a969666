import { describe, entityName } from '../model/entity.ts';
import { page } from './page.ts';
import { certificateIn } from './pem.ts';
import type { Rule } from './rule.ts';

/** What is declared as a CA certificate is one. */
export const certificateCa: Rule = {
  name: 'certificate-ca',
  severity: 'error',
  summary: 'A CA certificate is the certificate of an authority.',
  kinds: ['ca_certificates'],
  check: (entity, context) => {
    const certificate = certificateIn(entity, 'cert', context);
    if (certificate === null || certificate.ca) return [];
    return [
      {
        message: `The ${describe(entity)} is not the certificate of an authority (its basic constraints do not say CA).`,
        hint: 'Declare the certificate of the authority that issued it, or, for a server, use certificates instead.',
        locations: entity.source === null ? [] : [entity.source.at(['cert'])],
        entities: [entityName(entity)],
      },
    ];
  },
  documentation: page({
    title: 'certificate-ca',
    what: 'Looks at the basic constraints of each CA certificate: they have to say that it is one.',
    why: `Kong trusts what these certificates have issued, and refuses one that cannot issue anything. Usually the
certificate of a server was taken in place of that of its authority.`,
    bad: `
_format_version: "3.0"
ca_certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}`,
    good: `
_format_version: "3.0"
ca_certificates:
  - cert: \${{ env "DECK_CA_CERT" }}`,
    fix: 'Take the last certificate of the chain, or ask whoever runs the authority for its certificate.',
  }),
};
