import { describe, type Entity, referenceOf } from '../../../model/entity.ts';
import type { State } from '../../../model/state.ts';
import { textOf } from '../../../rules/fields.ts';
import { type Compared, noteInBase, noteInHead, pairsOf, placeOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { namesOf } from '../wording.ts';

/** Notes about upstreams that stay and lose their last target, or whose targets all get the weight 0. */
export function upstreamNotes(states: Compared): readonly RiskNote[] {
  const before = targetsOf(states.base);
  const after = targetsOf(states.head);
  return pairsOf('upstreams', states).flatMap(([then, now]) => {
    const had = before.get(then.identity) ?? [];
    const has = after.get(now.identity) ?? [];
    if (!had.some(takesRequests) || has.some(takesRequests)) return [];
    const users = (states.head.entities.get('services') ?? []).filter(
      (service) => textOf(service, 'host') === textOf(now, 'name'),
    );
    const lost =
      users.length === 0
        ? ''
        : ` Requests of the ${users.length === 1 ? 'service' : 'services'} ${namesOf(users)} reach nothing.`;
    if (has.length === 0) {
      const message = `The ${describe(now)} loses ${had.length === 1 ? 'its only target' : `all its ${had.length} targets`}.${lost}`;
      return [
        noteInBase(
          'upstream-emptied',
          'danger',
          message,
          had.map((target) => placeOf(target)),
        ),
      ];
    }
    const message = `Every target of the ${describe(now)} has the weight 0 now.${lost}`;
    return [
      noteInHead(
        'upstream-emptied',
        'danger',
        message,
        has.map((target) => placeOf(target, 'weight')),
      ),
    ];
  });
}

/** Kong gives a target without a weight 100, and one with the weight 0 no request. */
function takesRequests({ fields }: Entity): boolean {
  return fields['weight'] !== 0;
}

function targetsOf(state: State): ReadonlyMap<string, readonly Entity[]> {
  const found = new Map<string, Entity[]>();
  for (const target of state.entities.get('targets') ?? []) {
    const upstream = referenceOf(target, 'upstream')?.identity ?? '';
    const list = found.get(upstream);
    if (list === undefined) found.set(upstream, [target]);
    else list.push(target);
  }
  return found;
}
