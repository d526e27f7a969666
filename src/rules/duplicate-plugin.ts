import { type Entity, referenceOf } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { clashesOf } from './clash.ts';
import { clashFinding } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { shownValue } from './secret.ts';

/** A plugin runs once in a scope. */
export const duplicatePlugin: Rule = {
  name: 'duplicate-plugin',
  severity: 'error',
  summary: 'No plugin is there twice in one scope.',
  kinds: ['plugins'],
  check: (entity, context) =>
    clashesOf(entity, 'duplicate-plugin', context).map((clash) =>
      clashFinding(
        clash,
        `The plugin ${shownValue(entity, ['name']) ?? 'of one name'} is there ${times(clash.entities.length)} ${scopeOf(entity)}.`,
        'Kong runs a plugin once in a scope: merge their configurations, or give one a narrower scope.',
      ),
    ),
  documentation: page({
    title: 'duplicate-plugin',
    what: `Looks for two plugins of one name in one scope: globally, or with the same combination of service, route,
consumer and consumer group. It makes no difference whether a plugin is nested in its service or names it, nor
whether their instance names differ.`,
    why: `Kong keeps name and scope unique together and refuses the second plugin. Which of two configurations were in
force would otherwise be a matter of chance.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    plugins:
      - name: cors
        config:
          origins: ["https://shop.example.com"]
plugins:
  - name: cors
    service: orders
    config:
      origins: ["https://pay.example.com"]`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    plugins:
      - name: cors
        config:
          origins: ["https://shop.example.com", "https://pay.example.com"]`,
    fix: 'Merge the two configurations into one plugin, or move one of them to a route, a consumer or a consumer group.',
  }),
};

function times(count: number): string {
  return count === 2 ? 'twice' : `${count} times`;
}

function scopeOf(plugin: Entity): string {
  const parts = kinds.plugins.foreign.flatMap(({ field, kind }) => {
    const reference = referenceOf(plugin, field);
    return reference === undefined ? [] : [`${kinds[kind].label} ${JSON.stringify(reference.identity)}`];
  });
  return parts.length === 0 ? 'globally' : `for ${parts.join(' and ')}`;
}
