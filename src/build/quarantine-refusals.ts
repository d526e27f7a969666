import type { Diagnostic } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import { canonicalJson } from '../model/json.ts';
import { allEntities, type State, stateOf } from '../model/state.ts';
import type { Blame } from './quarantine.ts';
import { blamesOf } from './quarantine-blame.ts';

/** What a destination refused: a finding, and the entities that it was about as they were then. */
export interface Refusal {
  readonly diagnostic: Diagnostic;
  /** What the entities were: kind, identity and content. An entity that reads otherwise was not refused. */
  readonly contents: ReadonlySet<string>;
}

/** A destination's refusals of parts of a state; null where one of them is about nothing that could be left out. */
export function refusalsOf(state: State, diagnostics: readonly Diagnostic[]): readonly Refusal[] | null {
  const refusals: Refusal[] = [];
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity !== 'error') continue;
    const { broken } = blamesOf(state, [diagnostic]);
    const entities = broken.flatMap((blame) => blame.entities);
    if (entities.length === 0) return null;
    refusals.push({ diagnostic, contents: new Set(entities.map(contentKey)) });
  }
  return refusals;
}

/** Those refusals that are about something of this state, and what of it they are about. */
export function refusedIn(
  state: State,
  refusals: readonly Refusal[],
): readonly { readonly refusal: Refusal; readonly blame: Blame }[] {
  if (refusals.length === 0) return [];
  const byContent = new Map<string, Entity>();
  for (const entity of allEntities(state)) byContent.set(contentKey(entity), entity);
  return refusals.flatMap((refusal) => {
    const entities = [...refusal.contents].map((key) => byContent.get(key)).filter((one) => one !== undefined);
    // What only clashed with another part is sound again once that part is out.
    if (entities.length < refusal.contents.size) return [];
    return [{ refusal, blame: { why: refusal.diagnostic.message, entities } }];
  });
}

/** A last good state whose refused entities are as an older one has them, or are missing. */
export function withoutRefused(lastGood: State, refusals: readonly Refusal[], older: State | null): State {
  const refused = new Set(refusals.flatMap(({ contents }) => [...contents]));
  const isRefused = (entity: Entity) => refused.has(contentKey(entity));
  const all = allEntities(lastGood);
  if (!all.some(isRefused)) return lastGood;
  const entities = all.flatMap((entity) => {
    if (!isRefused(entity)) return [entity];
    const before = older?.byIdentity(entity.kind, entity.identity);
    return before === undefined || isRefused(before) ? [] : [before];
  });
  return stateOf(entities, lastGood.selectTags);
}

/** Whether a state has something that was refused. */
export function hasRefused(state: State, refusals: readonly Refusal[]): boolean {
  const refused = new Set(refusals.flatMap(({ contents }) => [...contents]));
  return refused.size > 0 && allEntities(state).some((entity) => refused.has(contentKey(entity)));
}

/** What an entity is, for telling it from other versions of it. Holds secrets: never shown. */
export function contentKey({ kind, identity, fields, references }: Entity): string {
  const to = references.map((reference) => [reference.field, reference.index, reference.kind, reference.identity]);
  return canonicalJson([kind, identity, fields, to]);
}
