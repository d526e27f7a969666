import { kinds } from '../model/kinds.ts';
import { clashesOf } from './clash.ts';
import { clashFinding, sameValues } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** A name (of a consumer: its username) is used once among the entities of a kind. */
export const uniqueName: Rule = {
  name: 'unique-name',
  severity: 'error',
  summary: 'No two entities of a kind have the same name.',
  kinds: 'all',
  check: (entity, context) =>
    clashesOf(entity, 'unique-name', context).map((clash) =>
      clashFinding(
        clash,
        `${sameValues(clash)}.`,
        `Kong knows one ${kinds[entity.kind].label} by this name: rename one, or keep only one of them.`,
      ),
    ),
  documentation: page({
    title: 'unique-name',
    what: `Looks for two services, routes, upstreams, consumers (by username), consumer groups, keys, key sets or other
named entities of one kind with the same name, in whatever files they are.`,
    why: `A name stands for one entity. Kong refuses the second one with a unique constraint violation; a tool that reads
files one by one would let the last file win, and nobody would notice.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
  - name: orders
    host: orders-next.internal`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
  - name: orders-next
    host: orders-next.internal`,
    fix: 'Rename one of them. Where both are meant to be the same, keep one and delete the other.',
  }),
};
