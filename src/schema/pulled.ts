import { z } from 'zod';
import { canonicalJson, type Json, type JsonObject, ownValue } from '../model/json.ts';
import { pulledMark } from '../model/pulled-mark.ts';
import { type KongFlavor, loadSchemas } from './bundled.ts';
import type { RecordSchema, Schemas } from './schema.ts';
import { parseServedSchema, serveSchema } from './served.ts';

/** Schemas by name, in the form in which Kong serves them. */
export type SchemaDocuments = { readonly [name: string]: JsonObject };

/** What a destination is, and the schemas that are its own. */
export interface PulledSchemas {
  /** The destination that they were asked of. */
  readonly from: string;
  /** When it was asked: the day in UTC, as `2026-01-31`. */
  readonly pulled: string;
  /** `version` is `any` where the destination does not say. */
  readonly kong: KongFlavor & { readonly mode: 'database' | 'dbless' | 'konnect' };
  /** Paths under `/schemas/` that the user of the destination may not read: what Konverge brings stands in for them. */
  readonly withheld: readonly string[];
  readonly entities: SchemaDocuments;
  readonly plugins: SchemaDocuments;
  readonly vaults: SchemaDocuments;
  readonly partials: SchemaDocuments;
}

/** The number of the form that this release writes, and the newest that it reads. */
const newestForm = 1;

const flavor = z.object({
  version: z.string().regex(/^(any|\d+\.\d+)$/),
  edition: z.enum(['oss', 'enterprise']),
  router: z.enum(['traditional', 'traditional_compatible', 'expressions']),
  mode: z.enum(['database', 'dbless', 'konnect']),
});

const documents = z.record(z.string(), z.looseObject({ fields: z.array(z.json()) }));

const file = z.object({
  from: z.string(),
  pulled: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  kong: flavor,
  withheld: z.array(z.string()),
  entities: documents,
  plugins: documents,
  vaults: documents,
  partials: documents,
});

const groups = ['entities', 'plugins', 'vaults', 'partials'] as const;

/**
 * The text of a file of schemas: one line for each, sorted, so that the same destination gives the same bytes and a
 * change shows which plugin it is of.
 */
export function pulledText(pulled: PulledSchemas): string {
  const { from, kong, withheld } = pulled;
  const head: readonly (readonly [string, Json])[] = [
    [pulledMark, newestForm],
    ['from', from],
    ['pulled', pulled.pulled],
    ['kong', kong as unknown as JsonObject],
    ['withheld', [...withheld].sort()],
  ];
  const parts = [
    ...head.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`),
    ...groups.map((group) => `${JSON.stringify(group)}:${groupText(pulled[group])}`),
  ];
  return `{${parts.join(',\n')}}\n`;
}

function groupText(group: SchemaDocuments): string {
  const names = Object.keys(group).sort();
  if (names.length === 0) return '{}';
  // The fields of a schema are in its own order, which the documents keep as lists.
  const lines = names.map((name) => `${JSON.stringify(name)}:${canonicalJson(group[name] ?? {})}`);
  return `{\n${lines.join(',\n')}}`;
}

/** A file of schemas, or what is wrong with it, as the rest of a sentence that begins with the file. */
export type ReadPulled = { readonly pulled: PulledSchemas } | { readonly fault: string };

/** Reads the text of a file of schemas. */
export function readPulled(text: string): ReadPulled {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { fault: 'is damaged: it is no JSON' };
  }
  const marked = z.object({ [pulledMark]: z.int() }).safeParse(value);
  const form = marked.success ? marked.data[pulledMark] : undefined;
  if (form === undefined) return { fault: 'holds no schemas that `konverge schemas pull` wrote' };
  if (form > newestForm) {
    return { fault: `was written by a newer Konverge (form ${form}; this one reads up to ${newestForm})` };
  }
  const parsed = file.safeParse(value);
  if (parsed.success) return { pulled: parsed.data as PulledSchemas };
  const where = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  return { fault: `is damaged${where === '' ? '' : ` at ${where}`}` };
}

/** A schema as it stands in a file. */
export function asDocument(schema: RecordSchema): JsonObject {
  return serveSchema(schema);
}

/**
 * The schemas of a file, as if the destination had been asked: a plugin that it did not serve is not there, and what no
 * destination serves is what Konverge brings.
 */
export async function schemasOfPulled(pulled: PulledSchemas): Promise<Schemas> {
  const { version, edition, router } = pulled.kong;
  const brought = await loadSchemas({ version, edition, router });
  const [entity, plugin, vault, partial] = groups.map((group) => lookUp(pulled[group]));
  const withheld = new Set(pulled.withheld);
  const kept = pulled.withheld.flatMap((path) => (path.startsWith('plugins/') ? [path.slice('plugins/'.length)] : []));
  return {
    version,
    edition,
    router,
    entity: (kind) => entity?.(kind) ?? brought.entity(kind),
    plugin: (name) => plugin?.(name) ?? (withheld.has(`plugins/${name}`) ? brought.plugin(name) : undefined),
    vault: (name) => vault?.(name) ?? brought.vault(name),
    partial: (type) => partial?.(type) ?? brought.partial(type),
    pluginNames: [...new Set([...Object.keys(pulled.plugins), ...kept])].sort(),
  };
}

function lookUp(group: SchemaDocuments): (name: string) => RecordSchema | undefined {
  const known = new Map<string, RecordSchema | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, parseServedSchema(ownValue(group, name), name));
    return known.get(name);
  };
}
