import { describe, referenceOf } from '../../model/entity.ts';
import { configOf, isEnabled } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

/** Maintenance that is over does not go on. */
export const requestTerminated: Rule = {
  name: 'request-terminated',
  severity: 'warning',
  group: 'security',
  summary: 'No request-termination plugin stands before a whole service, or before everything.',
  kinds: ['plugins'],
  check: (entity) => {
    if (entity.fields['name'] !== 'request-termination' || !isEnabled(entity)) return [];
    const { trigger, echo } = configOf(entity);
    if ((trigger !== undefined && trigger !== null) || echo === true) return [];
    // On a route it is the route's purpose, on a consumer or a group a way to turn those away.
    if (['route', 'consumer', 'consumer_group'].some((field) => referenceOf(entity, field) !== undefined)) return [];
    const all = referenceOf(entity, 'service') === undefined ? 'that Kong gets' : 'to its service';
    return [
      findingAt(
        entity,
        ['name'],
        `The ${describe(entity)} itself answers every request ${all}.`,
        'If the maintenance that it was for is over, delete it or set enabled: false.',
      ),
    ];
  },
  documentation: page({
    title: 'request-terminated',
    what: `Looks for \`request-termination\` plugins that are in force globally or for a whole service, without a \`trigger\`.
On a route, a consumer or a consumer group they are an ordinary means, and left alone.`,
    why: 'It is put up for maintenance, and forgotten: the service is healthy, and nobody reaches it.',
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    plugins:
      - name: request-termination
        config:
          status_code: 503`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    plugins:
      - name: request-termination
        enabled: false
        config:
          status_code: 503`,
    fix: 'Delete it, switch it off, or say that it stays: `# konverge: allow request-terminated because …`.',
  }),
};
