import { isCode } from '../model/code-fields.ts';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  toPointer,
} from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import { isSecretField } from '../model/secret.ts';
import type { FieldSchema, RecordSchema } from '../schema/schema.ts';
import { codeShape } from './code-shape.ts';
import type { FieldChange } from './plan.ts';
import { looksSecret, masked, type OwnSecrets, type Secrets, shown } from './secrets.ts';

/** What the comparison of one entity's fields needs to know about them. */
export interface Comparison {
  readonly kind: KindName;
  readonly schema: RecordSchema | undefined;
  readonly secrets: Secrets;
  readonly own: OwnSecrets;
  /** The name of the plugin that is compared; empty for other entities. */
  readonly plugin: string;
}

type Node = Pick<
  FieldSchema,
  'fields' | 'shorthand_fields' | 'elements' | 'values' | 'type' | 'auto' | 'encrypted' | 'referenceable'
>;

/**
 * Every leaf that differs between two normal forms, with its place. Sets compare by what is in them, lists by place.
 * What the server makes by itself where nothing is written is no difference.
 */
export function fieldChanges(from: JsonObject, to: JsonObject, comparison: Comparison): readonly FieldChange[] {
  const { schema } = comparison;
  const changes: FieldChange[] = [];
  const root: Node | undefined = schema === undefined ? undefined : { type: 'record', ...schema };
  compare({ from, to, path: [], node: root, secret: false, freeKey: false }, comparison.kind, (difference) =>
    changes.push(leafChange(difference, comparison)),
  );
  return changes;
}

interface Difference {
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  readonly path: readonly string[];
  readonly node: Node | undefined;
  readonly secret: boolean;
  /** Whether the last step is a key that a user chose, rather than a field of a schema. */
  readonly freeKey: boolean;
}

function compare(sides: Difference, kind: KindName, found: (difference: Difference) => void): void {
  const { from, to, path, node } = sides;
  if (jsonEqual(from, to)) return;
  if (to === undefined && node?.auto === true) return;
  const secret = sides.secret || node?.encrypted === true || node?.referenceable === true;
  const visit = (before: Json | undefined, after: Json | undefined, step: string, freeKey: boolean) => {
    const inner = freeKey ? node?.values : (fieldOf(node, step) ?? node?.elements);
    compare({ from: before, to: after, path: [...path, step], node: inner, secret, freeKey }, kind, found);
  };
  if (areAll(isJsonObject, from, to)) {
    for (const key of keysOf(from, to))
      visit(property(from, key), property(to, key), key, fieldOf(node, key) === undefined);
  } else if (areAll(isJsonArray, from, to)) {
    const [before, after] = [isJsonArray(from) ? from : [], isJsonArray(to) ? to : []];
    const pairs = isSet(kind, path, node) ? differingElements(before, after) : byPlace(before, after);
    for (const [step, old, fresh] of pairs) visit(old, fresh, step, false);
  } else found({ ...sides, secret });
}

/** Whether both are of a sort that has parts, or one is and the other is not there at all. */
function areAll(test: (value: Json | undefined) => boolean, from: Json | undefined, to: Json | undefined): boolean {
  if (from === undefined) return test(to);
  return test(from) && (to === undefined || test(to));
}

function keysOf(from: Json | undefined, to: Json | undefined): readonly string[] {
  const keys = [from, to].flatMap((side) => (isJsonObject(side) ? Object.keys(side) : []));
  return [...new Set(keys)].sort();
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function fieldOf(node: Node | undefined, name: string): Node | undefined {
  if (node?.fields !== undefined && Object.hasOwn(node.fields, name)) return node.fields[name];
  const shorthand = node?.shorthand_fields?.find((candidate) => candidate.name === name);
  if (shorthand === undefined) return undefined;
  // What a short form stands for is as secret under its old name.
  const meant = shorthand.paths.map((path) => path.reduce<Node | undefined>(fieldOf, node));
  return meant.find((field) => field?.encrypted === true || field?.referenceable === true) ?? shorthand.schema;
}

function isSet(kind: KindName, path: readonly string[], node: Node | undefined): boolean {
  if (node?.type === 'set') return true;
  return kinds[kind].sets.some((pointer) => {
    const steps = pointer.slice(1).split('/');
    return steps.length === path.length && steps.every((step, index) => step === '*' || step === path[index]);
  });
}

type Pair = readonly [step: string, from: Json | undefined, to: Json | undefined];

function byPlace(from: readonly Json[], to: readonly Json[]): readonly Pair[] {
  return Array.from({ length: Math.max(from.length, to.length) }, (_, at): Pair => [String(at), from[at], to[at]]);
}

/** What left a set and what came to it, in pairs while there are both. */
function differingElements(from: readonly Json[], to: readonly Json[]): readonly Pair[] {
  const left = notIn(from, to);
  const came = notIn(to, from);
  return Array.from({ length: Math.max(left.length, came.length) }, (_, at): Pair => {
    const [old, fresh] = [left[at], came[at]];
    return [String(fresh?.index ?? old?.index ?? at), old?.value, fresh?.value];
  });
}

function notIn(values: readonly Json[], others: readonly Json[]): readonly { index: number; value: Json }[] {
  const known = new Set(others.map(canonicalJson));
  return values.map((value, index) => ({ index, value })).filter(({ value }) => !known.has(canonicalJson(value)));
}

function leafChange({ path, from, to, secret, freeKey }: Difference, comparison: Comparison): FieldChange {
  const { kind, secrets, own, plugin } = comparison;
  const certificate = path.length === 1 && /^cert(_alt)?$/.test(path[0] ?? '') && kind.endsWith('certificates');
  const isHidden =
    (secret && !certificate) ||
    isSecretField(kind, path) ||
    [from, to].some((value) => looksSecret(path, freeKey, value)) ||
    own.covers(path) ||
    [from, to].some((value) => value !== undefined && (own.has(value) || holdsKnown(value, secrets)));
  const isCodeHere = [from, to].some((value) => isCode(plugin, path, value));
  const value = (side: Json) => (isHidden || isCodeHere ? masked : shown(side));
  return {
    path: toPointer(secrets.inPath(path)),
    ...(from === undefined ? {} : { from: value(from) }),
    ...(to === undefined ? {} : { to: value(to) }),
    ...(isHidden || isCodeHere ? { secret: true } : {}),
    // What came from the environment is another one at every reading, and not to be told by a digest.
    ...(isCodeHere && !own.covers(path) ? { code: codeShape(from, to) } : {}),
  };
}

function holdsKnown(value: Json, secrets: Secrets): boolean {
  if (isJsonArray(value)) return value.some((item) => holdsKnown(item, secrets));
  if (isJsonObject(value)) return Object.values(value).some((item) => holdsKnown(item, secrets));
  return secrets.known(value);
}
