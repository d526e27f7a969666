import { clashesOf } from './clash.ts';
import { clashFinding, sameValues } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** What else Kong keeps unique, alone or together: custom ids, prefixes, instance names, key ids, targets, groups. */
export const uniqueValue: Rule = {
  name: 'unique-value',
  severity: 'error',
  summary: 'Values that Kong keeps unique (custom_id, prefix, instance_name, kid, target, group, …) are used once.',
  kinds: 'all',
  check: (entity, context) =>
    clashesOf(entity, 'unique-value', context).map((clash) =>
      clashFinding(
        clash,
        `${sameValues(clash)}.`,
        'Kong takes this once only: change one of them, or delete what is there twice.',
      ),
    ),
  documentation: page({
    title: 'unique-value',
    what: `Looks for what Kong keeps unique besides names, ids, SNIs and credentials: a consumer's \`custom_id\`, a vault's
\`prefix\`, a plugin's \`instance_name\`, a key's \`kid\` within its set, a target of one upstream (\`host\` and \`host:8000\` are the
same one), an ACL group of one consumer, a membership of one consumer group, a CA certificate, and the like.`,
    why: 'Kong refuses the second entity with a unique constraint violation, and does not say where the first one is.',
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    custom_id: crm-1001
  - username: mobile
    custom_id: crm-1001`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    custom_id: crm-1001
  - username: mobile
    custom_id: crm-1002`,
    fix: 'Change the value of one of them, or delete the repeat.',
  }),
};
