import type { RecordSchema, Schemas } from './schema.ts';

/**
 * The schemas of a destination that was asked before, for what it may not have been asked yet: a plugin that it lists and
 * whose schema is not known is what is assumed of it.
 */
export function askedEarlier(asked: Schemas, assumed: Schemas): Schemas {
  const listed = new Set(asked.pluginNames);
  const plugin = (name: string): RecordSchema | undefined => {
    const known = asked.plugin(name);
    if (known !== undefined || !listed.has(name)) return known;
    return assumed.plugin(name) ?? assumed.orEnterprise?.plugin(name);
  };
  return { ...asked, plugin };
}
