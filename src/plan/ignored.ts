import type { Entity } from '../model/entity.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from '../model/json.ts';
import { touchesSecretField } from '../model/secret.ts';
import { allEntities, type State, stateOf } from '../model/state.ts';
import type { Matching } from './match.ts';

/** What others may change: `KIND/NAME` for whole entities, `KIND/NAME/FIELD/…` for fields, with `*` for anything. */
export interface Ignored {
  /** Whether others may change, make and delete an entity as they like: it is made where it is missing, and then left. */
  readonly whole: (entity: Entity) => boolean;
  /** The target state with what others may change as it is live. */
  readonly target: (matching: Matching) => State;
}

/** Reads patterns of what others may change. */
export function ignoredBy(patterns: readonly string[]): Ignored {
  const read = patterns
    .map((pattern) => pattern.split('/'))
    .map(([kind = '', name = '', ...path]) => ({
      kind: test(kind),
      name: test(name),
      path,
    }));
  const of = (entity: Entity) => read.filter(({ kind, name }) => kind(entity.kind) && name(entity.name));
  const whole = (entity: Entity) => of(entity).some(({ path }) => path.length === 0);
  return {
    whole,
    target: (matching) => {
      const { target } = matching;
      if (read.length === 0) return target;
      const entities = allEntities(target).map((entity): Entity => {
        const live = matching.liveOf(entity);
        const own = live === undefined ? [] : of(entity);
        if (live === undefined || own.length === 0) return entity;
        if (whole(entity)) return asLive(entity, live);
        // What a server gives back of a secret is not what was written, and must never be written again.
        const paths = own.map(({ path }) => path).filter((path) => !touchesSecretField(entity.kind, path));
        const fields = paths.reduce((made, path) => mixed(made, live.fields, path), entity.fields);
        return fields === entity.fields ? entity : { ...entity, fields };
      });
      return stateOf(entities, target.selectTags);
    },
  };
}

/** The entity as it is live, so that nothing of it differs. */
function asLive(entity: Entity, live: Entity): Entity {
  return { ...entity, fields: live.fields, references: live.references };
}

/** The fields with what the path leads to as it is in others; what these do not have is left out. */
function mixed(fields: JsonObject, others: JsonObject, [step, ...rest]: readonly string[]): JsonObject {
  if (step === undefined) return fields;
  const matches = test(step);
  const names = new Set([...Object.keys(fields), ...Object.keys(others)]);
  const made: { [field: string]: Json } = { ...fields };
  for (const name of names) {
    if (!matches(name)) continue;
    const [own, other] = [ownValue(fields, name), ownValue(others, name)];
    if (rest.length > 0) {
      const inner = inside(own, other, rest);
      if (inner !== undefined) setOwn(made, name, inner);
    } else if (other === undefined) delete made[name];
    else setOwn(made, name, other);
  }
  return made;
}

function inside(own: Json | undefined, other: Json | undefined, rest: readonly string[]): Json | undefined {
  if (isJsonObject(own) || isJsonObject(other)) {
    return mixed(isJsonObject(own) ? own : {}, isJsonObject(other) ? other : {}, rest);
  }
  if (!isJsonArray(own) || !isJsonArray(other)) return own;
  const [, ...deeper] = rest;
  const matches = test(rest[0] ?? '');
  return own.map((item, index) => {
    const counterpart = other[index];
    if (!matches(String(index)) || counterpart === undefined) return item;
    return deeper.length === 0 ? counterpart : (inside(item, counterpart, deeper) ?? item);
  });
}

function test(pattern: string): (text: string) => boolean {
  if (!pattern.includes('*')) return (text) => text === pattern;
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 's');
  return (text) => expression.test(text);
}
