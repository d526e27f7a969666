import { declaredName } from '../model/declared-names.ts';
import { plan } from '../plan/make-plan.ts';
import type { Exclusion, PrunePolicy } from '../plan/plan-input.ts';
import type { MakePlan } from './survey.ts';

/** What the plans of one destination depend on besides the states. */
export interface LanePlanSettings {
  readonly destination: string;
  readonly policy: PrunePolicy;
  readonly exclude: Exclusion;
  /** What others may change; nothing where left out. */
  readonly ignore?: readonly string[];
  /** Values of the environment that files may name: never shown. None where left out. */
  readonly hidden?: readonly string[];
  /** Whether the branch's history is at hand, so that what it never declared can be told from what it removed. */
  readonly knowsHistory: boolean;
}

/** Makes the plans of one destination. Pure. */
export function lanePlan(settings: LanePlanSettings): MakePlan {
  return ({ built, live, schemas, identified, declaredEarlier, before = null, leave, report }) =>
    plan({
      destination: settings.destination,
      mode: identified.mode,
      revision: built.revision,
      state: built.state,
      digest: built.digest ?? '',
      live,
      schemas,
      policy: settings.policy,
      exclude: settings.exclude,
      before,
      ignore: settings.ignore ?? [],
      hidden: settings.hidden ?? [],
      ...(leave === undefined ? {} : { leave }),
      ...(report === undefined ? {} : { report }),
      declaredEarlier: settings.knowsHistory
        ? (entity) => declaredEarlier.has(declaredName(entity.kind, entity.identity))
        : null,
      namesEarlier: declaredEarlier,
    });
}
