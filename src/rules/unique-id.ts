import { kinds } from '../model/kinds.ts';
import { clashesOf } from './clash.ts';
import { clashFinding, counted } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** An id is given to one entity of a kind only. */
export const uniqueId: Rule = {
  name: 'unique-id',
  severity: 'error',
  summary: 'No two entities of a kind have the same id.',
  kinds: 'all',
  check: (entity, context) =>
    clashesOf(entity, 'unique-id', context).map((clash) =>
      clashFinding(
        clash,
        `${counted(clash.entities.length, kinds[entity.kind].label)} have the same id ${entity.id}.`,
        'Give each an id of its own, or leave the id out: one is then derived from the name.',
      ),
    ),
  documentation: page({
    title: 'unique-id',
    what: `Looks for an id that is written on two entities of one kind, or that is the id which another entity of the kind
gets because it was given none.`,
    why: `To Kong, entities with one id are one entity: the second would overwrite the first. This happens when a block is
copied and everything but the id is changed.`,
    bad: `
_format_version: "3.0"
services:
  - id: 7d7c8ad6-3e0b-4c0e-9f60-0a4a3c1c0001
    name: orders
    host: orders.internal
  - id: 7d7c8ad6-3e0b-4c0e-9f60-0a4a3c1c0001
    name: billing
    host: billing.internal`,
    good: `
_format_version: "3.0"
services:
  - id: 7d7c8ad6-3e0b-4c0e-9f60-0a4a3c1c0001
    name: orders
    host: orders.internal
  - name: billing
    host: billing.internal`,
    fix: `Delete the id of the copy. Konverge derives the same id from the same name every time, so that ids need be
written only where something outside refers to them.`,
  }),
};
