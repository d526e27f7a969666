import type { Diagnostic } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json, type JsonPath } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import { allEntities, type State, stateOf } from '../model/state.ts';

/**
 * What the rules find only where no other values may stand for those of the environment (`strictly`), as warnings:
 * where no Kong in particular is meant, the files are judged, not what the variables happen to hold.
 */
export function unfitValues(
  state: State,
  found: readonly Diagnostic[],
  strictly: () => readonly Diagnostic[],
): readonly Diagnostic[] {
  if (!allEntities(state).some(({ fromEnvironment }) => fromEnvironment.size > 0)) return [];
  const known = new Set(found.map(keyOf));
  return strictly()
    .filter((diagnostic) => diagnostic.severity === 'error' && !known.has(keyOf(diagnostic)))
    .map((diagnostic) => ({ ...diagnostic, severity: 'warning' }));
}

function keyOf({ rule, message, locations: [first] }: Diagnostic): string {
  return `${rule} ${message} ${first === undefined ? '' : placeKey(first)}`;
}

function placeKey({ file, line, column }: Location): string {
  return `${line}:${column} ${file}`;
}

/**
 * The state to write down where some values fit no Kong: in the place of such a value stands the variable that it came
 * from, so that what is written can be read with another one.
 */
export function withVariables(state: State, unfit: readonly Diagnostic[]): State {
  if (unfit.length === 0) return state;
  const places = new Set(unfit.flatMap(({ locations }) => locations.map(placeKey)));
  return stateOf(
    allEntities(state).map((entity) => withVariablesIn(entity, places)),
    state.selectTags,
  );
}

function withVariablesIn(entity: Entity, places: ReadonlySet<string>): Entity {
  const { source } = entity;
  if (source === null || entity.fromEnvironment.size === 0) return entity;
  let fields: Json = entity.fields;
  for (const [pointer, variables] of entity.fromEnvironment) {
    const path = fromPointer(pointer);
    if (variables.includes(',') || !places.has(placeKey(source.at(path)))) continue;
    fields = replaced(fields, path, `$\{{ env "${variables}" }}`);
  }
  return isJsonObject(fields) ? { ...entity, fields } : entity;
}

function replaced(value: Json, path: JsonPath, put: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (isJsonArray(value))
    return value.map((item, index) => (index === Number(step) ? replaced(item, rest, put) : item));
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: replaced(value[step] ?? null, rest, put) };
}
