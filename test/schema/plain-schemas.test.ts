import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/model/kinds.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { plainSchemas, schemasOfPlain } from '../../src/schema/plain-schemas.ts';

describe('schemas as a plain value', () => {
  for (const [version, edition] of [
    ['3.9', 'oss'],
    ['3.15', 'enterprise'],
    ['any', 'enterprise'],
  ] as const) {
    it(`say the same in another thread: ${edition} ${version}`, async () => {
      const schemas = await loadSchemas({ version, edition, router: 'traditional_compatible' });
      const used = { plugins: [], vaults: ['env'], partials: [] };
      const copy = schemasOfPlain(structuredClone(plainSchemas(schemas, used)));
      const named = ['aws', 'azure', 'conjur', 'env', 'gcp', 'hcv', 'konnect', 'nothing'];
      const { document } = await import('../../src/schema/documents/partials.ts');
      const types = [...Object.keys(Object(document)), 'nothing'];
      for (const kind of Object.keys(kinds)) expect(copy.entity(kind)).toEqual(schemas.entity(kind));
      for (const name of schemas.pluginNames) {
        expect(copy.plugin(name)).toEqual(schemas.plugin(name));
        expect(copy.pluginVersions?.(name)).toEqual(schemas.pluginVersions?.(name));
      }
      for (const name of named) expect(copy.vault(name)).toEqual(schemas.vault(name));
      for (const type of types) expect(copy.partial(type)).toEqual(schemas.partial(type));
      expect(copy).toMatchObject({ version, edition, router: 'traditional_compatible' });
      expect(copy.pluginNames).toEqual(schemas.pluginNames);
    });
  }
});
