import type { Entity } from '../../model/entity.ts';
import { describe } from '../../model/entity.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { editDistance } from '../../model/suggest.ts';
import { textOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { isSecret } from '../secret.ts';

/** A host that is all but the name of an upstream is that upstream's name. */
export const hostNearUpstream: Rule = {
  name: 'host-near-upstream',
  severity: 'warning',
  summary: 'No host of a service differs from the name of an upstream by a letter or two.',
  kinds: ['services'],
  check: (entity, context) => {
    const host = textOf(entity, 'host');
    if (host === null || host.includes('.') || comesFromEnvironment(entity, ['host'])) return [];
    const names = context.memo('names of upstreams', () => namesIn(context));
    if (names.has(host)) return [];
    const [near, other] = [...names.keys()].filter((name) => isSlip(host, name));
    if (near === undefined || other !== undefined) return [];
    return [
      findingAt(
        entity,
        ['host'],
        `The ${describe(entity)} is sent to the host "${host}", and there is an upstream "${near}".`,
        `Did you mean "${near}"? If another host is meant, write its whole domain.`,
      ),
    ];
  },
  documentation: page({
    title: 'host-near-upstream',
    what: `Looks at the hosts of services that have no dot and are no upstream's name: one of more than four letters that differs
from the name of exactly one upstream by one letter (two, in a host of eight or more), and not by digits alone.`,
    why: `A host is an upstream's name, or else it is looked up in the DNS. After a slip Kong asks the DNS for a name that
nobody has, and answers every request with 503, while every check of the files is content.`,
    bad: `
_format_version: "3.0"
upstreams:
  - name: refunds-upstream
    targets:
      - target: 10.0.0.5:8080
services:
  - name: refunds
    host: refund-upstream`,
    good: `
_format_version: "3.0"
upstreams:
  - name: refunds-upstream
    targets:
      - target: 10.0.0.5:8080
services:
  - name: refunds
    host: refunds-upstream`,
    fix: 'Write the name of the upstream. A host that is really meant is told apart by its whole domain.',
  }),
};

function namesIn({ state }: RuleContext): ReadonlyMap<string, Entity> {
  const names = new Map<string, Entity>();
  for (const upstream of state.entities.get('upstreams') ?? []) {
    const name = textOf(upstream, 'name');
    if (name !== null && !isSecret(upstream, ['name'])) names.set(name, upstream);
  }
  return names;
}

/** Whether a host is a name but for a slip. Names that differ by digits alone are numbered on purpose. */
function isSlip(host: string, name: string): boolean {
  const most = host.length >= 8 ? 2 : host.length > 4 ? 1 : 0;
  if (Math.abs(host.length - name.length) > most || withoutDigits(host) === withoutDigits(name)) return false;
  return editDistance(host, name) <= most;
}

function withoutDigits(text: string): string {
  return text.replaceAll(/\d+/g, '');
}
