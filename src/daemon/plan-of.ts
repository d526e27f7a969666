import type { DestinationSettings } from '../config/settings.ts';
import { type LanePlanSettings, lanePlan } from '../lane/lane-plan.ts';
import type { MakePlan } from '../lane/survey.ts';
import { variablePrefix } from '../manifest/template/problems.ts';
import { excludedKinds } from './excluded-kinds.ts';

/** Deleting the last entities of a kind is held when they are more than so many. */
const lastOfKindLimit = 3;

/** The values of the variables that files may name: what they once gave a name to is live when the files do so no more. */
export function hiddenValues(world: {
  readonly env: (name: string) => string | undefined;
  readonly envNames?: () => readonly string[];
}): readonly string[] {
  const names = world.envNames?.() ?? [];
  return names.filter((name) => name.startsWith(variablePrefix)).flatMap((name) => world.env(name) ?? []);
}

/** Makes the plans of a destination as its settings ask; see `planSettingsOf`. */
export function planOf(settings: DestinationSettings, knowsHistory: boolean, hidden: readonly string[] = []): MakePlan {
  return lanePlan(planSettingsOf(settings, knowsHistory, hidden));
}

/**
 * What the plans of a destination depend on, as its settings have it. `hidden` is not shown in them wherever it stands.
 * Throws ConfigurationError for an excluded kind that there is not.
 */
export function planSettingsOf(
  settings: DestinationSettings,
  knowsHistory: boolean,
  hidden: readonly string[] = [],
): LanePlanSettings {
  const { name, policy, exclude } = settings;
  return {
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
    hidden,
    knowsHistory,
  };
}
