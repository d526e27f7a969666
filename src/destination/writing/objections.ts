import { z } from 'zod';
import type { JsonPath } from '../../model/json.ts';
import type { FailureFacts } from '../../platform/failure.ts';

/** One objection of a server to one entity: where in the entity, and its words. */
export interface Objection {
  readonly path: JsonPath;
  readonly words: string;
}

const kongError = z.object({
  code: z.number(),
  name: z.string().optional(),
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

const taken = 'another entity already has this value';
const sameId = 'another entity has this id';

/** What a refusal says of the entity that was sent: by field where the server says so, else one objection as a whole. */
export function objections(failure: FailureFacts): readonly Objection[] {
  const kong = kongError.safeParse(failure.body);
  const fromKong = kong.success ? kongObjections(kong.data) : [];
  if (fromKong.length > 0) return fromKong;
  const konnect = konnectError.safeParse(failure.body);
  const fromKonnect = konnect.success ? konnectObjections(konnect.data) : [];
  return fromKonnect.length > 0 ? fromKonnect : [{ path: [], words: failure.message }];
}

/** Whether a refusal says that what was to be made is there already, or that something else is in its place. */
export function isConflict(failure: FailureFacts): boolean {
  if (failure.status === 409) return true;
  return failure.status === 400 && objections(failure).some(({ words }) => words === taken || words === sameId);
}

/** Kong's codes are those of its database errors (kong.md "Error envelope"). */
function kongObjections({ code, name, message, fields = {} }: z.infer<typeof kongError>): readonly Objection[] {
  const byField = (words: string): readonly Objection[] =>
    Object.entries(fields).flatMap(([field, value]) => (value === null ? [] : [{ path: [field], words }]));
  switch (code) {
    case 3:
      return byField(sameId);
    case 4: {
      const user = fields['@referenced_by'];
      return typeof user === 'string'
        ? [{ path: [], words: `entities of the kind ${user} still refer to it` }]
        : byField('it refers to what is not there');
    }
    // The server's sentence repeats the value, which may be a secret; its field names are enough.
    case 5:
      return byField(taken);
    case 10:
      return [{ path: [], words: name ?? 'invalid unique value' }];
    case 19:
      return [{ path: [], words: message ?? 'other entities still refer to it' }];
    default:
      return leaves(fields, []);
  }
}

/** Error trees mirror the body; arrays have holes, and keys with `@` hold what is said of the whole (kong.md). */
export function leaves(tree: unknown, path: JsonPath): readonly Objection[] {
  if (typeof tree === 'string') return [{ path, words: tree }];
  if (Array.isArray(tree)) {
    return tree.flatMap((item: unknown, index) => (item === null ? [] : leaves(item, [...path, index])));
  }
  if (tree === null || typeof tree !== 'object') return [];
  return Object.entries(tree).flatMap(([field, inner]: [string, unknown]) => {
    if (!field.startsWith('@')) return leaves(inner, [...path, field]);
    const words: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
    return words.filter((word) => typeof word === 'string').map((word) => ({ path, words: word }));
  });
}

/** Konnect has an error body for each of its parts (deck.md 5.4). */
function konnectObjections(error: z.infer<typeof konnectError>): readonly Objection[] {
  const details = (error.details ?? []).flatMap(({ type, field, messages }) => {
    const path = fieldPath(field);
    const clash = type === 'ERROR_TYPE_REFERENCE' && (messages ?? []).some((words) => /uniq/i.test(words));
    if (clash) return [{ path, words: taken }];
    return (messages ?? []).map((words) => ({ path, words }));
  });
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
