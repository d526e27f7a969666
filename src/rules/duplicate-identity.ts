import { kinds } from '../model/kinds.ts';
import { clashesOf } from './clash.ts';
import { clashFinding, counted } from './clash-finding.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';

/** What has neither id nor name has to differ in what tells it apart. */
export const duplicateIdentity: Rule = {
  name: 'duplicate-identity',
  severity: 'error',
  summary: 'Nothing without a name is there twice.',
  kinds: 'all',
  check: (entity, context) =>
    clashesOf(entity, 'duplicate-identity', context).map((clash) =>
      clashFinding(
        clash,
        `${counted(clash.entities.length, kinds[entity.kind].label)} are the same one: nothing tells them apart.`,
        'Delete the repeat, or give each a name or an id.',
      ),
    ),
  documentation: page({
    title: 'duplicate-identity',
    what: `Looks for entities without name and id that are the same by what takes the name's place: routes of one service
that match the same, services with the same address, certificates without SNIs that hold the same certificate.`,
    why: `Konverge has to recognise an entity in the next revision, and Kong has to be told which one is meant. Both go by
an id, and what is the same in all that matters gets the same id: one would overwrite the other.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - paths: [/orders]
        strip_path: true
      - paths: [/orders]
        strip_path: false`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
        strip_path: true`,
    fix: 'Delete the repeat. Where both are needed, give each a name.',
  }),
};
