import { describe, expect, it } from 'vitest';
import { kindsInOrder } from '../../src/model/kinds.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { secretPaths } from '../../src/schema/secret-paths.ts';

const oss = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
const enterprise = await loadSchemas({ version: 'any', edition: 'enterprise', router: 'traditional_compatible' });

describe('the registry and the schemas agree', () => {
  it.each(kindsInOrder.map((kind) => [kind.name, kind] as const))('on %s', (name, kind) => {
    // Plugins are scoped to consumer groups in Enterprise alone, which the registry holds as well.
    const schema = (kind.edition === 'oss' && name !== 'plugins' ? oss : enterprise).entity(name);
    if (schema === undefined) throw new Error('no schema');
    const fields = Object.entries(schema.fields);

    const foreign = fields.flatMap(([field, { type, reference, required }]) =>
      type === 'foreign' ? [{ field, kind: reference, required: required === true }] : [],
    );
    const registered = kind.foreign
      .filter(({ list }) => !list)
      .map(({ field, kind: to, required }) => ({ field, kind: to, required }));
    expect(byField(foreign)).toEqual(byField(registered));

    for (const key of kind.foreign) {
      // A certificate takes its SNIs along without its schema saying so (kong.md).
      if (name === 'snis') continue;
      const goes = schema.fields[key.field]?.on_delete === 'cascade';
      expect(key.onDelete, key.field).toBe(goes ? 'cascade' : 'refuse');
    }

    const unique = fields.flatMap(([field, { unique: only }]) => (only === true ? [field] : []));
    const alone = kind.unique.flatMap(({ fields: parts }) => (parts.length === 1 ? parts : []));
    // The digest that makes a CA certificate unique is the server's; its certificate stands for it.
    expect(alone).toEqual(expect.arrayContaining(unique.filter((field) => field !== 'cert_digest')));

    const sets = fields.flatMap(([field, { type }]) => (type === 'set' ? [`/${field}`] : []));
    // Lists whose order Kong's router does not look at.
    const unordered = name === 'routes' ? ['/hosts', '/paths'] : [];
    expect([...kind.sets].sort()).toEqual([...sets, ...unordered].sort());
    expect(kind.tags).toBe(schema.fields['tags'] !== undefined);
    for (const pointer of secretPaths(schema)) expect(kind.secrets).toContain(pointer);
  });
});

function byField<T extends { readonly field: string }>(list: readonly T[]): readonly T[] {
  return [...list].sort((a, b) => (a.field < b.field ? -1 : 1));
}
