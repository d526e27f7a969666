import { isJsonArray, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from '../model/json.ts';
import type { Fault } from './fault.ts';
import type { FieldSchema, RecordFields, RecordSchema } from './schema.ts';

type Branch = { [key: string]: Node };
type Node = string | Branch | (Node | null)[];

/**
 * Faults in the form of the `fields` of Kong's answers: a tree like the value, with a text at each fault, null for the
 * faultless elements before a faulty one, and the faults of a whole record as a list under `@entity`. A map is told as
 * a whole, and so is a shorthand that does not fit or contradicts what replaced it. Used to answer as Kong does.
 */
export function faultTree(schema: RecordSchema, faults: readonly Fault[]): JsonObject {
  const root: Branch = {};
  for (const fault of faults) {
    if (fault.code === 'deprecated-conflict' || fault.code === 'shorthand')
      put(root, String(fault.path.at(-1)), fault.message);
    else place(root, schema.fields, fault);
  }
  return root as JsonObject;
}

function place(root: Branch, fields: RecordFields, fault: Fault): void {
  const path = fault.ofEntity ? [...fault.path, '@entity'] : fault.path;
  let branch: Branch | (Node | null)[] = root;
  let field: FieldSchema | undefined = { type: 'record', fields };
  for (const [index, step] of path.entries()) {
    const inner = inside(field, step);
    const last = index === path.length - 1 || inner?.type === 'map';
    if (last) {
      put(branch, step, fault.ofEntity && inner === undefined ? [fault.message] : fault.message);
      return;
    }
    const next = read(branch, step);
    if (typeof next === 'string') return;
    const below: Branch | (Node | null)[] = next ?? (typeof path[index + 1] === 'number' ? [] : {});
    if (next === undefined) put(branch, step, below);
    branch = below;
    field = inner;
  }
}

function inside(field: FieldSchema | undefined, step: string | number): FieldSchema | undefined {
  if (typeof step === 'number') return field?.elements;
  return field?.type === 'map' ? field.values : ownValue(field?.fields ?? {}, step);
}

function read(branch: Branch | (Node | null)[], step: string | number): Node | undefined {
  const found = isJsonArray(branch as Json)
    ? (branch as (Node | null)[])[Number(step)]
    : ownValue(branch as Branch, String(step));
  return found ?? undefined;
}

function put(branch: Branch | (Node | null)[], step: string | number, node: Node): void {
  if (Array.isArray(branch)) {
    const index = Number(step);
    while (branch.length < index) branch.push(null);
    branch[index] ??= node;
    return;
  }
  const there = ownValue(branch, String(step));
  if (Array.isArray(there) && Array.isArray(node) && step === '@entity') for (const one of node) there.push(one);
  else if (there === undefined || isJsonObject(there as Json)) setOwn(branch, String(step), there ?? node);
}
