import { describe } from '../../model/entity.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { textOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';
import { chosenSecrets } from './secrets.ts';

/** Words that stand where a secret is to come. */
const placeholder =
  /^(?:change[-_ ]?(?:me|it|this)|replace[-_ ]?me|(?:my|your|the|a|top|super)?[-_ ]?(?:secret|password|passwd|pass|key|api[-_ ]?key|token|client[-_ ]?secret)[-_ ]?(?:here|\d{0,4})|to[-_ ]?do|tbd|fix[-_ ]?me|example|sample|default|admin|root|test(?:ing)?\d*|demo|dummy|foo(?:bar)?|bar|qwerty|letmein|welcome\d*|abc(?:123|def)?|x{3,}|\*{3,}|\.{3}|<.*>|0+|1+|12345\d*|password\d*)$/i;

/** Fewer characters than this are tried out in no time. */
const leastLength = 8;

/** A secret is none that anybody would try first. */
export const weakSecret: Rule = {
  name: 'weak-secret',
  severity: 'warning',
  group: 'security',
  summary: 'No secret of a credential is a placeholder, a user name, or very short.',
  kinds: Object.keys(chosenSecrets) as (keyof typeof chosenSecrets)[],
  check: (entity, { schemas }) => {
    const field = chosenSecrets[entity.kind];
    const secret = field === undefined ? null : textOf(entity, field);
    if (field === undefined || secret === null || secret.startsWith('{vault://')) return [];
    // The environment of whoever checks for no Kong in particular is not the one that counts.
    if (schemas.version === 'any' && comesFromEnvironment(entity, [field])) return [];
    const weakness = weaknessOf(secret, [
      textOf(entity, 'username'),
      textOf(entity, 'client_id'),
      textOf(entity, 'name'),
    ]);
    if (weakness === null) return [];
    return [
      findingAt(
        entity,
        [field],
        `The ${field} of the ${describe(entity)} ${weakness}.`,
        'Make a long random one (openssl rand -hex 24, say), and keep it in a vault or the environment.',
      ),
    ];
  },
  documentation: page({
    title: 'weak-secret',
    what: `Looks at keys, passwords and secrets of consumers' credentials: a placeholder (\`changeme\`, \`secret\`, \`test\`, …),
the user name itself, or fewer than 8 characters. The secret is never shown. References to a vault are left alone.`,
    why: 'Such secrets are the first that are tried, and placeholders are what stays when everybody thought another would replace them.',
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    basicauth_credentials:
      - username: web
        password: changeme`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    basicauth_credentials:
      - username: web
        password: \${{ env "DECK_WEB_PASSWORD" }}`,
    fix: 'Replace it by a long random one, and keep that outside of the repository.',
  }),
};

function weaknessOf(secret: string, names: readonly (string | null)[]): string | null {
  if (placeholder.test(secret)) return 'is a placeholder, or a word that everybody tries';
  if (names.some((name) => name !== null && name.toLowerCase() === secret.toLowerCase()))
    return 'is the name beside it';
  if (new Set(secret).size <= 2) return 'is one or two characters over and over';
  return secret.length < leastLength ? `has fewer than ${leastLength} characters` : null;
}
