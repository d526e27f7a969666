import type { ReadKubernetesOptions } from '../dialect/kubernetes/read-kubernetes.ts';
import { defaultKubernetesSettings } from '../dialect/kubernetes/settings.ts';
import type { Schemas } from '../schema/schema.ts';
import type { BuildSettings } from './built.ts';
import { isObjectName } from './quarantine-named.ts';

/** What manifests are read by, of the settings of a build. */
export function kubernetesOptions(settings: BuildSettings): ReadKubernetesOptions {
  return {
    settings: settings.kubernetes ?? defaultKubernetesSettings,
    kong: {
      enterprise: settings.schemas.edition === 'enterprise',
      redirectPlugin: isAtLeast(settings.schemas, 9),
      stickySessions: isAtLeast(settings.schemas, 11),
    },
    quarantine: (settings.quarantine ?? []).filter(isObjectName),
  };
}

/** Whether a Kong is of a release 3.x or later; one that is not known is taken for new. */
function isAtLeast({ version }: Schemas, minor: number): boolean {
  const [, written] = /^3\.(\d+)/.exec(version ?? '') ?? [];
  return written === undefined || Number(written) >= minor;
}
