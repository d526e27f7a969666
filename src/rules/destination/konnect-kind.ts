import { describe } from '../../model/entity.ts';
import { kinds } from '../../model/kinds.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

/** Konnect gets only kinds that it has. */
export const konnectKind: Rule = {
  name: 'konnect-kind',
  severity: 'error',
  summary: 'Nothing is declared for a Konnect control plane that Konnect does not have.',
  kinds: Object.values(kinds)
    .filter((kind) => kind.konnect === null)
    .map((kind) => kind.name),
  check: (entity, { mode }) => {
    if (mode !== 'konnect') return [];
    return [
      findingAt(
        entity,
        [],
        `The ${describe(entity)} cannot go to a Konnect control plane, which has no such kind.`,
        'Leave it out for this destination with exclude, or delete it.',
      ),
    ];
  },
  documentation: page({
    title: 'konnect-kind',
    what: 'For a Konnect control plane, looks for kinds that only a Kong Gateway has: RBAC roles, licenses and the like.',
    why: 'Konnect manages users, roles and licenses itself, outside of control planes, and answers 404 to such an entity.',
    destination: 'konnect',
    bad: `
_format_version: "3.0"
rbac_roles:
  - name: reader`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal`,
    fix: 'Exclude the kind for this destination (`exclude: { kinds: [rbac_roles] }`), and set up access in Konnect.',
  }),
};
