import { describe, type Entity } from '../../model/entity.ts';
import { configOf, idOf, isEnabled } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { isNamed, mayBeLeftOut } from '../left-out.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { isAuthentication } from './authentication.ts';

/** Authentication that lets everybody in says who they are then, and what they may not do. */
export const anonymousAccess: Rule = {
  name: 'anonymous-access',
  severity: 'warning',
  group: 'security',
  summary: 'No authentication plugin lets those without credentials through.',
  kinds: ['plugins'],
  check: (entity, context) => {
    const { anonymous } = configOf(entity);
    if (typeof anonymous !== 'string' || anonymous === '' || !isAuthentication(entity) || !isEnabled(entity)) return [];
    if (isStopped(anonymous, context) || isStoppedElsewhere(anonymous, context)) return [];
    return [
      findingAt(
        entity,
        ['config', 'anonymous'],
        `The ${describe(entity)} lets requests without credentials through, as an anonymous consumer that nothing stops.`,
        'Leave anonymous out; or, to have one of several plugins suffice, give the anonymous consumer a request-termination plugin.',
      ),
    ];
  },
  documentation: page({
    title: 'anonymous-access',
    what: `Looks for authentication plugins with \`config.anonymous\` whose anonymous consumer has no \`request-termination\`
plugin of its own.`,
    why: `With \`anonymous\` a request that brings no credentials, or wrong ones, goes through as that consumer. That is what
is wanted where one of several plugins is to suffice, and then the anonymous consumer is turned away by a plugin of its own.
Without that, the route is open.`,
    bad: `
_format_version: "3.0"
consumers:
  - username: guest
plugins:
  - name: key-auth
    config:
      anonymous: guest`,
    good: `
_format_version: "3.0"
consumers:
  - username: guest
    plugins:
      - name: request-termination
        config:
          status_code: 401
          message: Who are you?
plugins:
  - name: key-auth
    config:
      anonymous: guest
  - name: jwt
    config:
      anonymous: guest`,
    fix: 'Delete `anonymous`, or end the requests of the anonymous consumer with `request-termination`.',
  }),
};

/** Whether the consumer, or a plugin that ends requests, is left out here, which others then look after. */
function isStoppedElsewhere(anonymous: string, context: RuleContext): boolean {
  const isTermination = ({ fields }: Pick<Entity, 'fields'>) => fields['name'] === 'request-termination';
  return mayBeLeftOut(context, 'consumers', isNamed(anonymous)) || mayBeLeftOut(context, 'plugins', isTermination);
}

/** Whether requests of a consumer, by id or name, are ended; of one that is not declared nothing is said here. */
function isStopped(name: string, { memo, state }: RuleContext): boolean {
  const consumer = state.byId('consumers', name) ?? state.byIdentity('consumers', name);
  if (consumer === undefined) return true;
  const stopped = memo('consumers whose requests end', () => {
    const ids = new Set<string>();
    for (const plugin of state.entities.get('plugins') ?? []) {
      const id = idOf(plugin, 'consumer');
      if (id !== null && plugin.fields['name'] === 'request-termination' && isEnabled(plugin)) ids.add(id);
    }
    return ids;
  });
  return stopped.has(consumer.id);
}
