import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { faultFinding, schemaFaults } from './schema-faults.ts';

/** Fields hold what Kong takes. */
export const entitySchema: Rule = {
  name: 'entity-schema',
  severity: 'error',
  summary: 'Fields are there where they are required, and have the type, range and form that Kong takes.',
  kinds: 'all',
  check: (entity, context) =>
    schemaFaults(entity, 'entity-schema', context).map((fault) => faultFinding(entity, fault)),
  documentation: page({
    title: 'entity-schema',
    what: `Checks each entity by the schema that Kong has for its kind: required fields, types, ranges, lengths, patterns, and
what fields may or must stand together (a route with protocol \`tcp\` takes no paths, say). The schema is that of the
destination once it was asked, else the one of \`kong.version\`.`,
    why: `Kong refuses an entity with a single wrong field, and in DB-less mode everything that is sent with it. It looks at
one entity at a time and at no file, so that its answer says neither where nor what else is wrong.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    port: 80800
    retries: "5"`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    port: 8080
    retries: 5`,
    fix: `Correct the value at the place shown. Numbers that Kong wants as text need quotes, and the other way round. If the
field is newer than the version checked for, set \`kong.version\`.`,
  }),
};
