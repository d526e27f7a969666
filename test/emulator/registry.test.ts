import { describe, expect, it } from 'vitest';
import { kindsInOrder } from '../../src/model/kinds.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

const flavours = [
  { version: '3.9', edition: 'oss', router: 'traditional_compatible' },
  { version: '3.15', edition: 'enterprise', router: 'traditional_compatible' },
] as const;

/** What Kong's schemas say of a kind, and the registry does not, because it is no part of a kind as people write it. */
const beyondRegistry = new Set(['ca_certificates.cert_digest']);

describe.each(flavours)('the registry of kinds and the schemas of $edition $version', (flavour) => {
  it('agree on foreign keys, unique fields, secrets and tags', async () => {
    const schemas = await loadSchemas(flavour);
    const differences: string[] = [];
    for (const kind of kindsInOrder) {
      const fields = schemas.entity(kind.name)?.fields;
      if (fields === undefined || (kind.edition === 'enterprise' && flavour.edition === 'oss')) continue;
      for (const [name, field] of Object.entries(fields)) {
        const key = kind.foreign.find((candidate) => candidate.field === name);
        if (field.type === 'foreign' && (key?.kind ?? '') !== field.reference)
          differences.push(`${kind.name}.${name}: to`);
        if (field.type === 'foreign' && (key?.required ?? false) !== (field.required ?? false)) {
          differences.push(`${kind.name}.${name}: required`);
        }
        const isUnique = kind.unique.some(({ fields: [first, second] }) => first === name && second === undefined);
        if (field.unique === true && !isUnique && !beyondRegistry.has(`${kind.name}.${name}`)) {
          differences.push(`${kind.name}.${name}: unique`);
        }
        if (field.encrypted === true && !kind.secrets.some((pointer) => pointer.startsWith(`/${name}`))) {
          differences.push(`${kind.name}.${name}: secret`);
        }
      }
      for (const constraint of kind.unique) {
        const unknown = constraint.fields.filter(
          (field) => !Object.hasOwn(fields, field) && field !== 'consumer_group',
        );
        if (unknown.length > 0) differences.push(`${kind.name}: no field ${unknown.join(', ')}`);
      }
      if (kind.tags !== Object.hasOwn(fields, 'tags')) differences.push(`${kind.name}: tags`);
    }
    expect(differences).toEqual([]);
  });
});
