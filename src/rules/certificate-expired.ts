import { describe, type Entity, entityName } from '../model/entity.ts';
import { page } from './page.ts';
import { certificateIn } from './pem.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long before its end a certificate is reported. */
const noticeMs = 30 * dayMs;

/** A certificate is valid, and will be for a while. */
export const certificateExpired: Rule = {
  name: 'certificate-expired',
  severity: 'warning',
  summary: 'No certificate is past its end, or within 30 days of it; an expired CA certificate is an error.',
  kinds: ['certificates', 'ca_certificates'],
  check: (entity, context) => ['cert', 'cert_alt'].flatMap((field) => checkEnd(entity, field, context)),
  documentation: page({
    title: 'certificate-expired',
    what: `Compares the end of a certificate with the time of the check. A CA certificate past its end is an error (a warning
where \`kong.version\` is \`any\`). A server
certificate past its end, and any certificate with less than 30 days to go, is a warning.`,
    why: `Kong refuses an expired CA certificate. It takes an expired server certificate, and then every client refuses the
connection. That is a warning by default, because it comes with time and not with a commit, and a revision that was good
should not turn bad by itself; set \`rules: { certificate-expired: error }\` to be strict.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_OLD_CERT" }}
    key: \${{ env "DECK_OLD_KEY" }}
    snis:
      - name: old.example.com`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: old.example.com`,
    fix: 'Renew the certificate and commit the new one, with its key, in place of the old.',
  }),
};

function checkEnd(entity: Entity, field: string, context: RuleContext): readonly Finding[] {
  const certificate = certificateIn(entity, field, context);
  if (certificate === null) return [];
  const end = Date.parse(certificate.validTo);
  if (Number.isNaN(end) || end - context.instant > noticeMs) return [];
  const day = new Date(end).toISOString().slice(0, 10);
  const past = end <= context.instant;
  const days = Math.floor((end - context.instant) / dayMs);
  // Checks for no version in particular are for old files, too, which time alone should not make wrong.
  const refused = past && entity.kind === 'ca_certificates' && context.schemas.version !== 'any';
  return [
    {
      ...(refused ? { severity: 'error' as const } : {}),
      message: past
        ? `The ${field} of ${describe(entity)} expired on ${day}.`
        : `The ${field} of ${describe(entity)} expires on ${day}, ${days === 0 ? 'within a day' : `in ${days} ${days === 1 ? 'day' : 'days'}`}.`,
      hint: refused ? 'Kong refuses an expired CA certificate: renew it, or delete it.' : 'Renew it.',
      locations: entity.source === null ? [] : [entity.source.at([field])],
      entities: [entityName(entity)],
    },
  ];
}
