import { type Entity, entityName } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { page } from './page.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';
import { allFaults } from './schema-faults.ts';

/** What is known by a name (or username, prefix, …) and by nothing else has one. */
export const requiredIdentity: Rule = {
  name: 'required-identity',
  severity: 'error',
  summary:
    'An entity has an id, or what its kind is known by: a name, a username or custom_id, a prefix, and the like.',
  kinds: 'all',
  check,
  documentation: page({
    title: 'required-identity',
    what: `Looks for entities that have no id and nothing else to be known by: a license without a payload, a consumer
with neither \`username\` nor \`custom_id\` where no schema says so already, and the like. Services and routes may go without
a name; what they match stands for it.`,
    why: `Konverge has to find the same entity again in the next revision and at the destination. What cannot be told apart
would be made anew each time.`,
    bad: `
_format_version: "3.0"
key_sets:
  - tags: [signing]`,
    good: `
_format_version: "3.0"
key_sets:
  - name: signing
    tags: [signing]`,
    fix: 'Give it a name, or whatever field its kind is known by; an id does as well.',
  }),
};

function check(entity: Entity, context: RuleContext): readonly Finding[] {
  if (entity.idGiven || !entity.identity.startsWith('#')) return [];
  // The schema says what is missing in better words, and a reference that is missing is a finding of its own.
  if (allFaults(entity, context).length > 0 || entity.references.some((reference) => !reference.resolved)) return [];
  return [
    {
      message: `This ${kinds[entity.kind].label} has nothing to be known by, and no id either.`,
      hint: 'Give it a name, or whatever field its kind is known by.',
      locations: entity.source === null ? [] : [entity.source.location],
      entities: [entityName(entity)],
    },
  ];
}
