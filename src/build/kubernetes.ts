import type { ReadKubernetesOptions } from '../dialect/kubernetes/read-kubernetes.ts';
import { defaultKubernetesSettings } from '../dialect/kubernetes/settings.ts';
import type { Document } from '../manifest/document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
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

const ofEdition = 'or set kong.edition';

/**
 * A finding as it is meant for manifests: there are resources for what Enterprise has, so where nothing says which
 * edition is run, one of them is no error. A controller asks the gateway; here the configuration can say it.
 */
export function forManifests(finding: Diagnostic, manifests: readonly Document[], settings: BuildSettings): Diagnostic {
  if (settings.editionAssumed !== true || finding.severity !== 'error') return finding;
  const isAbout =
    finding.rule === 'wrong-edition' || (finding.rule === 'unknown-plugin' && finding.hint.includes(ofEdition));
  const file = finding.locations[0]?.file;
  if (!isAbout || !manifests.some((document) => document.file === file)) return finding;
  return { ...finding, severity: 'warning', hint: 'Set kong.edition in the configuration to what you run.' };
}
