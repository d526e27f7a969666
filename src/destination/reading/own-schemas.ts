import { assemble, type RawEntity } from '../../model/assemble.ts';
import type { JsonObject } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import { stateOf } from '../../model/state.ts';
import { partialTypes } from '../../schema/plain-schemas.ts';
import { asDocument, type PulledSchemas, type SchemaDocuments } from '../../schema/pulled.ts';
import type { Schemas } from '../../schema/schema.ts';
import { enterpriseVaults } from '../../schema/versions/enterprise.ts';
import type { Destination } from '../destination.ts';

/** No server lists the types of vaults that it has, nor those of partials, so it is asked for each that there is. */
const vaultNames = enterpriseVaults;

/**
 * Asks a destination for all schemas that are its own: of its entities, where it serves those, and of every plugin it
 * has, added ones too. `pulled` is the day. Changes nothing. Throws Failure where it could not be asked.
 */
export async function ownSchemas(
  destination: Pick<Destination, 'name' | 'identify' | 'schemas' | 'addedPlugins'>,
  pulled: string,
  signal: AbortSignal,
): Promise<PulledSchemas> {
  const { version, edition, router, mode } = await destination.identify(signal);
  const { pluginNames } = await destination.schemas(stateOf([]), signal);
  const added = (await destination.addedPlugins?.(signal)) ?? { names: [], withheld: [] };
  const plugins = [...new Set([...pluginNames, ...added.names])].sort();
  const using = assemble(
    [
      ...plugins.map((name) => raw('plugins', { name })),
      ...vaultNames.map((name) => raw('vaults', { name, prefix: name })),
      ...partialTypes.map((type) => raw('partials', { name: type, type })),
    ],
    { workspace: null, selectTags: [] },
  );
  const schemas = await destination.schemas(using, signal);
  const entities = Object.keys(kinds);
  const paths = [
    ...entities,
    ...plugins.map((name) => pathOf('plugins', name)),
    ...vaultNames.map((name) => pathOf('vaults', name)),
    ...partialTypes.map((type) => pathOf('partials', type)),
  ];
  const withheld = paths.filter((path) => schemas.answered?.(path) === 'withheld').map(decodeURIComponent);
  return {
    from: destination.name,
    pulled,
    kong: { version: version ?? 'any', edition, router, mode },
    withheld: [...withheld, ...added.withheld].sort(),
    entities: documents(schemas, entities, (kind) => kind),
    plugins: documents(schemas, plugins, (name) => pathOf('plugins', name)),
    vaults: documents(schemas, vaultNames, (name) => pathOf('vaults', name)),
    partials: documents(schemas, partialTypes, (type) => pathOf('partials', type)),
  };
}

function documents(schemas: Schemas, names: readonly string[], path: (name: string) => string): SchemaDocuments {
  return Object.fromEntries(
    names.flatMap((name) => {
      const schema = schemas.answered?.(path(name));
      return schema === undefined || schema === 'withheld' ? [] : [[name, asDocument(schema)] as const];
    }),
  );
}

function pathOf(group: 'plugins' | 'vaults' | 'partials', name: string): string {
  return `${group}/${encodeURIComponent(name)}`;
}

function raw(kind: KindName, fields: JsonObject): RawEntity {
  return { kind, id: null, fields, references: [], made: {}, fromEnvironment: new Map(), source: null };
}
