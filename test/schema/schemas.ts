import type { Json, JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { checkEntity } from '../../src/schema/entity.ts';
import type { Fault } from '../../src/schema/fault.ts';
import type { RecordSchema, Schemas } from '../../src/schema/schema.ts';
import { parseServedSchema } from '../../src/schema/served.ts';

/** The schemas of open-source 3.9. */
export const oss: Schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });

/** A record schema from fields in the form in which Kong serves them. */
export function recordOf(fields: readonly JsonObject[], more: { readonly [key: string]: Json } = {}): RecordSchema {
  const schema = parseServedSchema({ fields, ...more }, 'test');
  if (schema === undefined) throw new Error('not a schema');
  return schema;
}

/** Faults as `path code` (`path code @entity` for those of a whole record), for short expectations. */
export function told(faults: readonly Fault[]): readonly string[] {
  return faults.map(({ path, code, ofEntity }) =>
    [path.join('/'), code, ...(ofEntity ? ['@entity'] : [])].join(' ').trim(),
  );
}

/** What is wrong with an entity by open-source 3.9. */
export function wrong(kind: KindName, value: JsonObject): readonly string[] {
  return told(checkEntity(oss, kind, value));
}
