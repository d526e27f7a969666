import type { Entity } from '../model/entity.ts';
import type { JsonPath } from '../model/json.ts';
import { renamedFields } from '../model/renamed-fields.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { faultFinding, schemaFaults } from './schema-faults.ts';

const otherRouter = 'If Kong runs with router_flavor = expressions, set kong.router to that.';

/** What to do about a field that Kong 3.0 renamed or removed; null for any other. */
function renamedHint({ kind, fields }: Entity, path: JsonPath): string | null {
  const [top, field] = path;
  if (kind !== 'plugins') return null;
  if (top === 'run_on') return 'Kong 3.0 removed it; konverge convert takes it out.';
  const { name } = fields;
  const renamed = typeof name === 'string' ? renamedFields(name) : {};
  if (top !== 'config' || typeof field !== 'string' || !Object.hasOwn(renamed, field)) return null;
  const to = renamed[field];
  return typeof to === 'string'
    ? `Kong 3.0 renamed it to ${JSON.stringify(to)}; konverge convert rewrites it.`
    : 'Kong 3.0 removed it; konverge convert takes it out.';
}

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
      const renamed = renamedHint(entity, fault.path);
      if (renamed !== null) return { ...finding, hint: renamed };
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
