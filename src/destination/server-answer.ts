import { z } from 'zod';
import type { Diagnostic } from '../model/diagnostic.ts';
import { describe, type Entity, entityName } from '../model/entity.ts';
import { type JsonPath, valueAt } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import { fileLocation } from '../model/location.ts';
import type { FailureFacts } from '../platform/failure.ts';

/** One objection of a server to one entity: where in the entity, and its words. */
export interface Objection {
  readonly path: JsonPath;
  readonly words: string;
}

const kongError = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  fields: z.record(z.string(), z.json()).optional(),
});

const konnectError = z.object({
  message: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  details: z
    .array(
      z.object({ type: z.string().optional(), field: z.string().optional(), messages: z.array(z.string()).optional() }),
    )
    .optional(),
  invalid_parameters: z.array(z.object({ field: z.string().optional(), reason: z.string().optional() })).optional(),
});

/** Kong's code for a unique value that another entity has (kong.md "Error envelope"). */
const uniqueViolation = 5;

/** What a refusal says of the entity that was sent: by field where the server says so, else one objection as a whole. */
export function objections(failure: FailureFacts): readonly Objection[] {
  const kong = kongError.safeParse(failure.body);
  if (kong.success && kong.data.code === uniqueViolation) {
    // The server's sentence repeats the value, which may be a secret; its field names are enough.
    return Object.entries(kong.data.fields ?? {}).flatMap(([field, value]) =>
      value === null ? [] : [{ path: [field], words: 'another entity already has this value' }],
    );
  }
  const fromFields = kong.success ? leaves(kong.data.fields ?? {}, []) : [];
  if (fromFields.length > 0) return fromFields;
  const konnect = konnectError.safeParse(failure.body);
  const fromDetails = konnect.success ? konnectObjections(konnect.data) : [];
  if (fromDetails.length > 0) return fromDetails;
  return [{ path: [], words: failure.message }];
}

/** The objections as diagnostics at the entity's places in the files; no secret of the entity is repeated. */
export function refusalDiagnostics(
  destination: string,
  entity: Entity,
  found: readonly Objection[],
): readonly Diagnostic[] {
  return found.map(({ path, words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${destination} refuses ${describe(entity)}${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${hideSecrets(words, entity)}`,
    hint: 'Change the value as the destination asks; `konverge explain destination-refused` says more.',
    locations: [
      (path.length === 0 ? entity.source?.location : entity.source?.at(path)) ?? fileLocation('(not in the files)'),
    ],
    entities: [entityName(entity)],
  }));
}

/** The text without any value that is secret in the entity. */
export function hideSecrets(text: string, entity: Entity): string {
  const values: string[] = [];
  for (const pointer of entity.fromEnvironment.keys()) pushText(values, valueAt(entity.fields, steps(pointer)));
  for (const pattern of kinds[entity.kind].secrets) {
    const [first, second] = steps(pattern);
    if (first === undefined) continue;
    const value = valueAt(entity.fields, [first]);
    if (second === undefined) pushText(values, value);
    else
      for (const inner of Object.values(value !== null && typeof value === 'object' ? value : {}))
        pushText(values, inner);
  }
  return values.reduce((hidden, value) => hidden.replaceAll(value, '***'), text);
}

function pushText(values: string[], value: unknown): void {
  if (typeof value === 'string' && value.length > 0) values.push(value);
}

function steps(pointer: string): readonly string[] {
  return pointer.split('/').slice(1);
}

/** Error trees mirror the body; arrays have holes, and `@entity` holds what is said of the whole (kong.md). */
function leaves(tree: unknown, path: JsonPath): readonly Objection[] {
  if (typeof tree === 'string') return [{ path, words: tree }];
  if (Array.isArray(tree)) {
    return tree.flatMap((item: unknown, index) => (item === null ? [] : leaves(item, [...path, index])));
  }
  if (tree === null || typeof tree !== 'object') return [];
  return Object.entries(tree).flatMap(([field, inner]: [string, unknown]) => {
    if (field !== '@entity') return leaves(inner, [...path, field]);
    const words: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
    return words.filter((word) => typeof word === 'string').map((word) => ({ path, words: word }));
  });
}

function konnectObjections(error: z.infer<typeof konnectError>): readonly Objection[] {
  const details = (error.details ?? []).flatMap((detail) =>
    (detail.messages ?? []).map((words) => ({ path: fieldPath(detail.field), words })),
  );
  if (details.length > 0) return details;
  const parameters = (error.invalid_parameters ?? []).flatMap(({ field, reason }) =>
    reason === undefined ? [] : [{ path: fieldPath(field), words: reason }],
  );
  if (parameters.length > 0) return parameters;
  const words = error.detail ?? error.message ?? error.title;
  return words === undefined || words === '' ? [] : [{ path: [], words }];
}

function fieldPath(field: string | undefined): JsonPath {
  if (field === undefined || field === '') return [];
  return field
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
