import { ConfigurationError } from '../config/configuration-error.ts';
import { plainRollout } from '../config/rollout.ts';
import type { DestinationSettings } from '../config/settings.ts';

/**
 * Refuses keys that are read and not carried out yet: taken in silence they would promise what does not happen. Throws
 * ConfigurationError, naming the first.
 */
export function refuseUnfinished(settings: DestinationSettings): void {
  const { name, policy, rollout } = settings;
  const asked = [
    ['after', rollout.after.length > 0],
    ['soak', rollout.soakMs !== plainRollout.soakMs],
    ['windows', rollout.windows.length > 0],
    ['freeze', rollout.freeze !== null],
    ['probes', rollout.probes.length > 0],
    ['policy.onUnhealthy', policy.onUnhealthy !== 'hold'],
    ['policy.driftIgnore', policy.driftIgnore.length > 0],
  ] as const;
  const found = asked.find(([, is]) => is);
  if (found === undefined) return;
  const hint = 'Leave it out; a later release is to have it';
  throw new ConfigurationError([
    { key: `destinations.${name}.${found[0]}`, message: 'is not supported yet', hint, place: null },
  ]);
}
