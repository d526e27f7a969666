import { describe, entityName } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** What only Enterprise has is not sent to an open-source Kong. */
export const wrongEdition: Rule = {
  name: 'wrong-edition',
  severity: 'error',
  summary: 'Kinds that only Kong Enterprise and Konnect have are not declared for an open-source Kong.',
  kinds: Object.values(kinds)
    .filter((kind) => kind.edition === 'enterprise')
    .map((kind) => kind.name),
  check: (entity, { schemas }) => {
    if (schemas.edition === 'enterprise') return [];
    return [
      {
        message: `The ${describe(entity)} needs Kong Enterprise or Konnect; the Kong it is checked for is open source.`,
        hint:
          schemas.assumed === true
            ? `Set kong.edition to "enterprise" if that is what you run, or delete the ${kinds[entity.kind].label}.`
            : `Delete the ${kinds[entity.kind].label}, or exclude its kind for this destination (exclude.kinds).`,
        locations: entity.source === null ? [] : [entity.source.location],
        entities: [entityName(entity)],
      },
    ];
  },
  documentation: page({
    title: 'wrong-edition',
    what: `Looks for consumer groups, partials, RBAC roles, licenses, mTLS credentials and other kinds that an open-source
Kong does not have. Which edition is meant comes from the destination once it was asked, and before that from
\`kong.edition\` of the configuration. A destination of Konnect has them always. Where nothing says the edition, it is a warning.`,
    why: 'An open-source Kong answers 404 to such an entity, after part of the revision was delivered.',
    bad: `
_format_version: "3.0"
consumer_groups:
  - name: gold`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    acls:
      - group: gold`,
    fix: `For Kong Enterprise or Konnect, set \`kong: { edition: enterprise }\` in the configuration, or \`--set
kong.edition=enterprise\`. Otherwise delete the entity, or use what open-source Kong has (ACL groups, say).`,
  }),
};
