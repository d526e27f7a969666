import type { KubernetesFindings } from './findings.ts';
import type { ClassFilter } from './objects/class-filter.ts';
import type { DataReader } from './objects/secret-data.ts';
import type { ObjectStore } from './objects/store.ts';
import type { Gateways } from './routing/gateways.ts';
import type { Grants } from './routing/grants.ts';
import type { KongAbilities, KubernetesSettings } from './settings.ts';

/** What all parts of one translation work with. */
export interface Translation {
  readonly settings: KubernetesSettings;
  readonly kong: KongAbilities;
  readonly store: ObjectStore;
  readonly classes: ClassFilter;
  readonly data: DataReader;
  readonly grants: Grants;
  readonly gateways: Gateways;
  readonly findings: KubernetesFindings;
}
