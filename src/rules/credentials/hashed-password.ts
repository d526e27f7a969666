import { describe } from '../../model/entity.ts';
import { type HashedSecret, hashedSecrets } from '../../model/hashed-secret.ts';
import type { KindName } from '../../model/kind.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { textOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

const looks: ReadonlyMap<KindName, HashedSecret> = new Map(
  Object.entries(hashedSecrets).map(([kind, secret]) => [kind as KindName, secret]),
);

/** A secret is none of the hashes that Kong makes of one. */
export const hashedPassword: Rule = {
  name: 'hashed-password',
  severity: 'warning',
  summary: 'No password of a basic-auth credential or secret of an OAuth2 credential is a hash that Kong made of one.',
  kinds: [...looks.keys()],
  check: (entity, { schemas }) => {
    const secret = looks.get(entity.kind);
    const value = secret === undefined ? null : textOf(entity, secret.field);
    if (secret === undefined || value === null || !secret.hash.test(value)) return [];
    // The environment of whoever checks for no Kong in particular is not the one that counts.
    if (schemas.version === 'any' && comesFromEnvironment(entity, [secret.field])) return [];
    return [
      findingAt(
        entity,
        [secret.field],
        `The ${secret.field} of the ${describe(entity)} looks like the hash that a Kong keeps of one; any Kong that does not have it yet takes it for a new ${secret.field}.`,
        'Put the secret itself here, from a vault or the environment. Where it only looks like one, write `# konverge: allow hashed-password because …` above it.',
      ),
    ];
  },
  documentation: page({
    title: 'hashed-password',
    what: `Looks at the passwords of basic-auth credentials, for 40 hexadecimal digits in lower case, and at the secrets of
OAuth2 credentials, for what begins with \`$pbkdf2\`: so look the hashes that Kong stores and answers, and that an export
therefore has. The value is never shown.`,
    why: `Kong hashes whatever it is sent. A destination that has this very hash keeps what it has; every other one, and a
DB-less node at each delivery, makes a hash of the hash, and nobody knows the password that would fit.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    basicauth_credentials:
      - username: web
        password: 0a4d55a8d778e5022fab701977c5d840bbc486d0`,
    good: `
_format_version: "3.0"
consumers:
  - username: shop
    basicauth_credentials:
      - username: shop
        password: \${{ env "DECK_WEB_PASSWORD" }}`,
    fix: 'Replace the hash by the password itself, from a vault or the environment. Who does not know it any more sets a new one.',
  }),
};
