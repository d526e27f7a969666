import { describe } from '../../model/entity.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';
import { secretsOf } from './secrets.ts';

/** Secrets are referred to rather than written down, where that is the policy. */
export const plainSecret: Rule = {
  name: 'plain-secret',
  severity: 'warning',
  group: 'security',
  onRequest: true,
  summary: 'No secret stands in a file in plain text (only where the configuration asks for this rule).',
  kinds: 'all',
  check: (entity, context) =>
    secretsOf(entity, context)
      .filter(({ path }) => !comesFromEnvironment(entity, path))
      .map(({ path }) =>
        findingAt(
          entity,
          path,
          `${JSON.stringify(path.join('.'))} of the ${describe(entity)} is a secret in plain text.`,
          `Refer to it: {vault://PREFIX/NAME} where Kong takes that, or \${{ env "DECK_NAME" }}.`,
        ),
      ),
  documentation: page({
    title: 'plain-secret',
    what: `Off unless the configuration gives it a severity (\`rules: { plain-secret: error }\`). Looks at every field that Kong's
schemas call secret or encrypted: keys, passwords, tokens, private keys. Each has to be a reference to a vault, or to come
from the environment.`,
    why: `Whoever can read the repository, or ever could, has the secrets in it: Git forgets nothing. That is why many teams
forbid them there outright.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    keyauth_credentials:
      - key: 7gQ0vH2nYd9sKx4b`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    keyauth_credentials:
      - key: \${{ env "DECK_WEB_PASSWORD" }}`,
    fix: 'Move the secret to a vault or to the environment of Konverge, refer to it, and replace it: it was in the open.',
  }),
};
