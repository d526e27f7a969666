import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Entity } from '../../model/entity.ts';
import { kinds } from '../../model/kinds.ts';
import type { State } from '../../model/state.ts';
import type { FailureFacts } from '../../platform/failure.ts';
import { type Objection, objections } from '../writing/objections.ts';
import { generalRefusal, type Refuser, refusalDiagnostics } from '../writing/refusals.ts';
import { flattened } from './node.ts';

/** A DB-less node's refusal of a whole configuration, entity by entity, at their places in the files. */
export function configRefusal(refuser: Refuser, state: State, failure: FailureFacts): readonly Diagnostic[] {
  const entries = flattened(failure.body);
  if (entries.length === 0) {
    return objections(failure).flatMap((objection) => byPosition(refuser, state, objection));
  }
  return entries.flatMap((entry) => {
    const found = entry.errors.map(
      (error): Objection => ({
        path: error.field === undefined ? [] : error.field.split('.'),
        words: typeof error.message === 'string' ? error.message : JSON.stringify(error.message),
      }),
    );
    const kind = Object.values(kinds).find((candidate) => candidate.singular === entry.entity_type);
    const id = entry.entity_id;
    const entity = kind === undefined || id === undefined ? undefined : state.byId(kind.name, id);
    return entity === undefined
      ? generalRefusal(refuser, state, found)
      : refusalDiagnostics(refuser, state, entity, found);
  });
}

/** `fields` of an answer that is not flattened go by collection and place in the list, as the text was ordered, or by name. */
function byPosition(refuser: Refuser, state: State, objection: Objection): readonly Diagnostic[] {
  const [collection, place, ...rest] = objection.path;
  const kind = Object.values(kinds).find((candidate) => candidate.dbless === collection);
  const list = kind === undefined ? [] : (state.entities.get(kind.name) ?? []);
  const entity = place === undefined ? undefined : atPlace(list, place);
  return entity === undefined
    ? generalRefusal(refuser, state, [objection])
    : refusalDiagnostics(refuser, state, entity, [{ path: rest, words: objection.words }]);
}

function atPlace(list: readonly Entity[], place: string | number): Entity | undefined {
  if (typeof place === 'number') return list[place];
  const named = list.find(({ id, fields }) => [id, fields['name'], fields['username']].includes(place));
  // A list with many holes is written as an object, whose keys count from 1 as Lua does.
  return named ?? (/^[1-9]\d*$/.test(place) ? list[Number(place) - 1] : undefined);
}
