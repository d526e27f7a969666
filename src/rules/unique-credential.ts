import type { Entity } from '../model/entity.ts';
import { clashesOf } from './clash.ts';
import { clashFinding, parentsOf, sameValues } from './clash-finding.ts';
import { page } from './page.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';

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
  return clashesOf(entity, 'unique-credential', context).map((clash) => {
    const field = clash.fields[0] ?? 'value';
    return clashFinding(
      clash,
      `${sameValues(clash)}; they belong to ${parentsOf(clash.entities, 'consumer', 'consumer')}.`,
      `Kong finds the consumer by it: keep one of them, or give each a ${field} of its own.`,
    );
  });
}
