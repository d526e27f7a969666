import { describe, type Entity } from '../../model/entity.ts';
import { valueAt } from '../../model/json.ts';
import { nearestWord } from '../../model/suggest.ts';
import { isEnabled, textOf, textsOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { mayBeLeftOut } from '../left-out.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { isSecret } from '../secret.ts';

/** Groups that consumers are in and groups that acl plugins name are the same ones. */
export const aclGroup: Rule = {
  name: 'acl-group',
  severity: 'warning',
  summary:
    'Every group that an acl plugin allows has somebody in it, and every group of a consumer is named by a plugin.',
  kinds: ['plugins', 'acls'],
  check: (entity, context) => {
    if (isElsewhereToo(context)) return [];
    const groups = context.memo('acl groups', () => groupsIn(context));
    if (entity.kind === 'acls') {
      const group = textOf(entity, 'group');
      if (group === null || groups.named.size === 0 || groups.named.has(group)) return [];
      return [
        findingAt(
          entity,
          ['group'],
          `No acl plugin names the group${shown(group, isSecret(entity, ['group']))} of the ${describe(entity)}.`,
          hintFor(group, groups.named, 'Name it in an acl plugin, or delete it from the consumer.'),
        ),
      ];
    }
    if (entity.fields['name'] !== 'acl' || !isEnabled(entity)) return [];
    if (groups.used.size === 0 && !isNobodyIn(entity, context)) return [];
    return textsOf(entity, 'config', 'allow').flatMap((group, index) => {
      if (groups.used.has(group) || group.startsWith('{vault://')) return [];
      const path = ['config', 'allow', index];
      return findingAt(
        entity,
        path,
        `The ${describe(entity)} allows the group${shown(group, isSecret(entity, path))}, which no consumer is in.`,
        hintFor(group, groups.used, 'Put a consumer into the group (acls), or take it off the list.'),
      );
    });
  },
  documentation: page({
    title: 'acl-group',
    what: `Compares the groups that consumers are in (\`acls\`) with those that \`acl\` plugins allow or deny. Where no consumer
is declared, or no plugin names any group, nothing is said: the other side is then managed elsewhere. Nor is it where nobody
is in a group and groups may come from consumer groups, or from a plugin such as \`openid-connect\`.`,
    why: `Groups are not declared anywhere; they exist by being written twice. A slip in one of the two places locks somebody
out, or, in a \`deny\` list, lets somebody in.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: web
    acls:
      - group: shopers
plugins:
  - name: acl
    config:
      allow: [shoppers]`,
    good: `
_format_version: "3.0"
consumers:
  - username: web
    acls:
      - group: shoppers
plugins:
  - name: acl
    config:
      allow: [shoppers]`,
    fix: 'Write the group the same in both places, or delete what is not needed.',
  }),
};

/** Whether others may own consumers or plugins that are not here and that have groups. */
function isElsewhereToo(context: RuleContext): boolean {
  if (!context.ownsAll) return true;
  return context.memo(
    'groups elsewhere',
    () =>
      mayBeLeftOut(context, 'consumers', () => false) ||
      mayBeLeftOut(context, 'acls') ||
      mayBeLeftOut(context, 'plugins', ({ fields }) => fields['name'] === 'acl'),
  );
}

/** Plugins that may say which groups somebody is in, whoever the consumers are. */
const groupGivers: ReadonlySet<string> = new Set([
  'ldap-auth',
  'ldap-auth-advanced',
  'openid-connect',
  'saml',
  'header-cert-auth',
  'mtls-auth',
]);

/** Whether consumers are declared, none of which is in a group, and groups come from nowhere else. */
function isNobodyIn(plugin: Entity, { state }: RuleContext): boolean {
  if ((state.entities.get('consumers') ?? []).length === 0) return false;
  const set = (field: string) => valueAt(plugin.fields, ['config', field]) === true;
  if (set('include_consumer_groups') || set('always_use_authenticated_groups')) return false;
  return !(state.entities.get('plugins') ?? []).some(({ fields }) => groupGivers.has(String(fields['name'])));
}

interface Groups {
  /** Groups that some consumer is in. */
  readonly used: ReadonlySet<string>;
  /** Groups that some plugin allows or denies. */
  readonly named: ReadonlySet<string>;
}

function groupsIn({ state }: RuleContext): Groups {
  const used = new Set<string>();
  const named = new Set<string>();
  for (const acl of state.entities.get('acls') ?? []) used.add(textOf(acl, 'group') ?? '');
  for (const plugin of state.entities.get('plugins') ?? []) {
    if (plugin.fields['name'] !== 'acl') continue;
    for (const list of ['allow', 'deny']) for (const group of textsOf(plugin, 'config', list)) named.add(group);
  }
  return { used, named };
}

function shown(group: string, secret: boolean): string {
  return secret ? '' : ` ${JSON.stringify(group)}`;
}

function hintFor(group: string, others: ReadonlySet<string>, otherwise: string): string {
  const near = nearestWord(group, others);
  return near === undefined ? otherwise : `Did you mean ${JSON.stringify(near)}?`;
}
