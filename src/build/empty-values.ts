import type { Document } from '../manifest/document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { fromPointer, valueAt } from '../model/json.ts';
import type { Location } from '../model/location.ts';

/** What may be wrong for no other reason than that a value is empty. */
const rulesOfValues = new Set(['entity-schema', 'plugin-config', 'required-identity']);

/** Findings about empty values with the variable of the environment that brought each, which is what to put right. */
export function withEmptyVariables(
  diagnostics: readonly Diagnostic[],
  documents: readonly Document[],
): readonly Diagnostic[] {
  if (!diagnostics.some(({ rule }) => rulesOfValues.has(rule))) return diagnostics;
  const empty = documents.flatMap(emptyValues);
  if (empty.length === 0) return diagnostics;
  return diagnostics.map((diagnostic) => {
    const [place] = diagnostic.locations;
    if (place === undefined || !rulesOfValues.has(diagnostic.rule)) return diagnostic;
    const isWhole = diagnostic.rule === 'required-identity';
    const found = empty.find(({ location }) => isAt(place, location) || (isWhole && isUnder(place, location)));
    if (found === undefined) return diagnostic;
    return { ...diagnostic, hint: `The environment variable ${found.variable} is empty: give it a value.` };
  });
}

interface EmptyValue {
  readonly variable: string;
  readonly location: Location;
}

function emptyValues({ value, fromEnvironment, at }: Document): readonly EmptyValue[] {
  return [...fromEnvironment].flatMap(([pointer, variable]) => {
    const path = fromPointer(pointer);
    const found = valueAt(value, path);
    return found === '' || found === null ? [{ variable, location: at(path) }] : [];
  });
}

function isAt(a: Location, b: Location): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column;
}

function isUnder(whole: Location, part: Location): boolean {
  return whole.file === part.file && whole.pointer !== null && part.pointer?.startsWith(`${whole.pointer}/`) === true;
}
