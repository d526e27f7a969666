import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from '../../model/json.ts';

/** An error, a text or a tree of them, at its place in a declarative configuration. */
export interface PlacedError {
  readonly path: JsonPath;
  readonly error: Json;
}

/** The tree of all errors: like the input, with null for the faultless entries before a faulty one. The later one wins. */
export function errorTree(errors: readonly PlacedError[]): JsonObject {
  let root: Json = {};
  for (const { path, error } of errors) root = placed(root, path, error);
  return isJsonObject(root) ? root : {};
}

function placed(tree: Json | undefined, path: JsonPath, error: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return error;
  if (typeof step === 'number' && (tree === undefined || tree === null || isJsonArray(tree))) {
    const list = isJsonArray(tree) ? [...tree] : [];
    while (list.length < step) list.push(null);
    list[step] = placed(list[step], rest, error);
    return list;
  }
  const record = isJsonObject(tree) ? tree : {};
  return { ...record, [step]: placed(record[String(step)], rest, error) };
}
