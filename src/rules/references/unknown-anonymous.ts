import { describe } from '../../model/entity.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { nearestWord } from '../../model/suggest.ts';
import { configOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { isNamed, mayBeLeftOut } from '../left-out.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';

/** The consumer that stands for whoever does not authenticate is declared. */
export const unknownAnonymous: Rule = {
  name: 'unknown-anonymous',
  severity: 'warning',
  summary: 'The consumer that a plugin names as anonymous is declared.',
  kinds: ['plugins'],
  check: (entity, context) => {
    const { anonymous } = configOf(entity);
    if (typeof anonymous !== 'string' || anonymous === '') return [];
    if (mayBeLeftOut(context, 'consumers', isNamed(anonymous))) return [];
    if (anonymous.startsWith('{vault://') || consumerNames(context).has(anonymous)) return [];
    const shown = comesFromEnvironment(entity, ['config', 'anonymous']) ? '' : ` ${JSON.stringify(anonymous)}`;
    const near = nearestWord(anonymous, consumerNames(context));
    return [
      findingAt(
        entity,
        ['config', 'anonymous'],
        `The ${describe(entity)} names the anonymous consumer${shown}, which is not declared${context.ownsAll ? '' : ' here'}.`,
        near === undefined
          ? 'Kong takes it and then answers every request without credentials with an error: declare the consumer.'
          : `Did you mean ${JSON.stringify(near)}?`,
      ),
    ];
  },
  documentation: page({
    title: 'unknown-anonymous',
    what: 'Looks at `config.anonymous` of authentication plugins: it has to be the id or the username of a declared consumer.',
    why: `Kong does not look the consumer up when the plugin is written. When a request without credentials comes and the
consumer is not there, Kong answers 500.`,
    bad: `
_format_version: "3.0"
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
      anonymous: guest`,
    fix: 'Declare the consumer, or leave `anonymous` out where everybody has to authenticate.',
  }),
};

function consumerNames({ memo, state }: RuleContext): ReadonlySet<string> {
  return memo('consumers by id and name', () => {
    const names = new Set<string>();
    for (const { id, fields } of state.entities.get('consumers') ?? []) {
      names.add(id);
      if (typeof fields['username'] === 'string') names.add(fields['username']);
    }
    return names;
  });
}
