import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, valueAt } from '../../../model/json.ts';
import type { Findings } from '../findings.ts';
import { checkRemark } from '../headers.ts';
import { parseSelector, type Selector, select } from './json-path.ts';
import { PatchedDocument } from './patched-document.ts';

/** Whether a document is a patch file, as decK's `file patch` takes it: it has `patches` and lists no entities. */
export function isPatchFile({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, 'patches');
}

const fileKeys = ['_format_version', '_comment', '_ignore', 'patches'];
const patchKeys = ['selectors', 'values', 'remove', '_comment', '_ignore'];

/**
 * The documents with all patches made, in the order of the patch files. Every selector is tried on each document, so
 * that it does not matter which file an entity is in.
 */
export function applyPatches(
  documents: readonly Document[],
  patchFiles: readonly Document[],
  findings: Findings,
): readonly Document[] {
  if (patchFiles.length === 0) return documents;
  const patched = documents.map((document) => new PatchedDocument(document));
  for (const file of patchFiles) {
    if (!isJsonObject(file.value)) continue;
    for (const [key, value] of Object.entries(file.value)) {
      if (!fileKeys.includes(key)) findings.unknownKey(file, [key], 'a patch file', fileKeys);
      if (key === '_comment' || key === '_ignore') checkRemark(file, [key], value, findings);
    }
    const patches = file.value['patches'] ?? null;
    if (patches === null) continue;
    if (!isJsonArray(patches)) {
      findings.wrongShape(file, ['patches'], 'patches', 'a list', patches);
      continue;
    }
    for (const [index, patch] of patches.entries()) {
      applyPatch(patched, file, ['patches', index], patch, findings);
    }
  }
  return patched;
}

function applyPatch(
  documents: readonly PatchedDocument[],
  file: Document,
  path: JsonPath,
  patch: Json,
  findings: Findings,
): void {
  if (!isJsonObject(patch)) {
    findings.wrongShape(file, path, 'A patch', 'a mapping', patch);
    return;
  }
  for (const key of Object.keys(patch)) {
    if (!patchKeys.includes(key)) findings.unknownKey(file, [...path, key], 'a patch', patchKeys);
  }
  const selectors = readSelectors(file, path, patch, findings);
  const values = patch['values'] ?? null;
  const remove = readRemove(file, path, patch, findings);
  if (values === null && remove.length === 0) {
    const message = 'This patch changes nothing';
    findings.error('invalid-patch', message, 'Give it values, or names of fields to remove.', [file.at(path)]);
  }
  if (values !== null && !isJsonObject(values) && !isJsonArray(values)) {
    findings.wrongShape(file, [...path, 'values'], 'values', 'a mapping, or a list to append', values);
    return;
  }
  for (const [selector, at] of selectors) {
    let count = 0;
    for (const document of documents) {
      for (const place of select(document.value, selector)) {
        count += 1;
        setValues(document, place, { file, path: [...path, 'values'], values }, findings);
        removeMembers(document, place, remove);
      }
    }
    if (count === 0) {
      const hint = 'Correct the selector, or remove the patch.';
      findings.warning('unused-patch', 'This selector selects nothing in the files', hint, [file.at(at)]);
    }
  }
}

function readSelectors(
  file: Document,
  path: JsonPath,
  patch: JsonObject,
  findings: Findings,
): readonly (readonly [Selector, JsonPath])[] {
  const written = patch['selectors'] ?? null;
  const at = [...path, 'selectors'];
  if (!isJsonArray(written) || written.length === 0) {
    findings.wrongShape(file, at, 'selectors', 'a list of selectors', written);
    return [];
  }
  return written.flatMap((text, index): (readonly [Selector, JsonPath])[] => {
    const place = [...at, index];
    const selector = typeof text === 'string' ? parseSelector(text) : null;
    if (selector !== null && !selector.countsAtTop) return [[selector, place]];
    const message =
      selector === null ? 'This is no selector that can be read' : 'This selector counts what has no order';
    const hint =
      selector === null
        ? "Write JSONPath with .name, ..name, *, [n] and [?(@.name == 'x')], beginning with $."
        : "Lists at the top gather what all files hold: select by a field, as in [?(@.name == 'x')].";
    findings.error('invalid-patch', message, hint, [file.at(place)]);
    return [];
  });
}

function readRemove(file: Document, path: JsonPath, patch: JsonObject, findings: Findings): readonly string[] {
  const written = patch['remove'] ?? null;
  if (written === null) return [];
  const isList = isJsonArray(written) && written.every((name) => typeof name === 'string');
  if (isList) return written.filter((name) => typeof name === 'string');
  findings.wrongShape(file, [...path, 'remove'], 'remove', 'a list of names of fields', written);
  return [];
}

/** Sets members of a mapping, or appends to a list. */
function setValues(
  document: PatchedDocument,
  place: JsonPath,
  { file, path, values }: { readonly file: Document; readonly path: JsonPath; readonly values: Json },
  findings: Findings,
): void {
  const target = valueAt(document.value, place);
  if (values === null) return;
  if (isJsonObject(target) && isJsonObject(values)) {
    for (const [key, value] of Object.entries(values)) {
      document.set([...place, key], value, { document: file, path: [...path, key] });
    }
  } else if (isJsonArray(target) && isJsonArray(values)) {
    const { length } = target;
    for (const [index, value] of values.entries()) {
      document.set([...place, length + index], value, { document: file, path: [...path, index] });
    }
  } else {
    const wanted = isJsonArray(values) ? 'a list' : 'a mapping';
    const message = `The values of this patch are for ${wanted}, and what it selects is none`;
    findings.error('invalid-patch', message, 'Select what they belong to.', [file.at(path, 'key'), document.at(place)]);
  }
}

function removeMembers(document: PatchedDocument, place: JsonPath, remove: readonly string[]): void {
  const target = valueAt(document.value, place);
  if (!isJsonObject(target)) return;
  for (const name of remove) if (Object.hasOwn(target, name)) document.remove([...place, name]);
}
