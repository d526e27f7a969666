import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { faultFinding, schemaFaults } from './schema-faults.ts';

const otherRouter = 'If Kong runs with router_flavor = expressions, set kong.router to that.';

/** Every field is one that Kong knows. */
export const unknownField: Rule = {
  name: 'unknown-field',
  severity: 'error',
  summary: 'No entity and no plugin configuration has a field that Kong does not know.',
  kinds: 'all',
  check: (entity, context) =>
    schemaFaults(entity, 'unknown-field', context).map((fault) => {
      const finding = faultFinding(entity, fault);
      if (entity.kind === 'routes' && fault.path[0] === 'expression') return { ...finding, hint: otherRouter };
      return finding.hint === '' ? { ...finding, hint: 'Remove it, or correct its name.' } : finding;
    }),
  documentation: page({
    title: 'unknown-field',
    what: `Looks for fields that the schema of the entity, or of the plugin, does not have, at any depth. Where a known name
is near, it is suggested.`,
    why: `It is nearly always a slip: a letter too many, a wrong level of indentation, or a field of another version. Kong
refuses the whole entity for it; were the field dropped instead, what it was to do would silently not be done.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    conect_timeout: 5000`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    connect_timeout: 5000`,
    fix: 'Correct the name, move the field to where it belongs, or delete it.',
  }),
};
