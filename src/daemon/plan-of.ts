import type { DestinationSettings } from '../config/settings.ts';
import { lanePlan } from '../lane/lane-plan.ts';
import type { MakePlan } from '../lane/survey.ts';
import { excludedKinds } from './excluded-kinds.ts';

/** Deleting the last entities of a kind is held when they are more than so many. */
const lastOfKindLimit = 3;

/** Makes the plans of a destination as its settings ask. Throws ConfigurationError for an excluded kind that there is not. */
export function planOf(settings: DestinationSettings, knowsHistory: boolean): MakePlan {
  const { name, policy, exclude } = settings;
  return lanePlan({
    destination: name,
    policy: {
      prune: policy.prune,
      adopt: policy.adopt,
      maxDelete: policy.maxDelete,
      lastOfKind: lastOfKindLimit,
      protect: policy.protect,
    },
    exclude: { kinds: excludedKinds(name, exclude.kinds), tags: exclude.tags, prune: exclude.prune },
    ignore: policy.driftIgnore,
    knowsHistory,
  });
}
