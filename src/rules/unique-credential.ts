import type { Entity } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { clashesOf, clashField } from './clash.ts';
import { clashFinding, parentsOf } from './clash-finding.ts';
import { page } from './page.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';
import { shownValue } from './secret.ts';

/** A credential's key (or user name, or client id) belongs to one consumer at most. */
export const uniqueCredential: Rule = {
  name: 'unique-credential',
  severity: 'error',
  summary: 'No two credentials of a type have the same key, user name or client id.',
  kinds: [
    'keyauth_credentials',
    'basicauth_credentials',
    'hmacauth_credentials',
    'jwt_secrets',
    'oauth2_credentials',
    'mtls_auth_credentials',
  ],
  check,
  documentation: page({
    title: 'unique-credential',
    what: `Looks for the same key-auth key, basic-auth or hmac-auth username, JWT key, OAuth2 client id, or mTLS subject
(with its CA) in two credentials, whatever consumers and files they are in. Different types never clash: one user name may
serve both basic-auth and hmac-auth.`,
    why: `Kong finds the consumer of a request by this value, so it keeps it unique over all consumers. It refuses the
second credential, in the middle of a delivery, and names neither the other consumer nor a file.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    basicauth_credentials:
      - username: shop
        password: \${{ env "DECK_WEB_PASSWORD" }}
  - username: mobile
    basicauth_credentials:
      - username: shop
        password: \${{ env "DECK_MOBILE_PASSWORD" }}`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    basicauth_credentials:
      - username: shop-web
        password: \${{ env "DECK_WEB_PASSWORD" }}
  - username: mobile
    basicauth_credentials:
      - username: shop-mobile
        password: \${{ env "DECK_MOBILE_PASSWORD" }}`,
    fix: `Give each consumer a credential of its own. Where two files describe the same consumer, keep one of them.`,
  }),
};

function check(entity: Entity, context: RuleContext): readonly Finding[] {
  return clashesOf(entity, context).flatMap((clash) => {
    if (clash.constraint.type !== 'unique') return [];
    const field = clash.constraint.fields[0] ?? clashField(clash.constraint);
    const shown = clash.entities.every((one) => shownValue(one, [field]) !== null) ? shownValue(entity, [field]) : null;
    const what = shown === null ? `The same ${field}` : `The ${field} ${shown}`;
    const label = kinds[entity.kind].label;
    return clashFinding(
      clash,
      `${what} is in ${clash.entities.length} ${label}s, of ${parentsOf(clash.entities, 'consumer', 'consumer')}.`,
      `Kong tells consumers apart by it: keep one of them, or give each a ${field} of its own.`,
    );
  });
}
