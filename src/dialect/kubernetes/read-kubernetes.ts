import type { Document } from '../../manifest/document.ts';
import type { RawEntity } from '../../model/assemble.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Entity } from '../../model/entity.ts';
import type { State } from '../../model/state.ts';
import { Affected } from './affected.ts';
import { type ObjectStatus, objectStatuses } from './conditions.ts';
import { KubernetesFindings } from './findings.ts';
import { ClassFilter } from './objects/class-filter.ts';
import { checkAnnotations } from './objects/known-annotations.ts';
import { type KubeObject, objectKey } from './objects/kube-object.ts';
import { readObjects } from './objects/read-objects.ts';
import { DataReader } from './objects/secret-data.ts';
import { ObjectStore } from './objects/store.ts';
import { type Quarantine, quarantineObjects } from './quarantine.ts';
import { Gateways } from './routing/gateways.ts';
import { Grants } from './routing/grants.ts';
import type { KongAbilities, KubernetesSettings } from './settings.ts';
import { translate } from './translate/translate.ts';
import type { Translation } from './translation.ts';

/** All that a reading of manifests depends on besides the documents. */
export interface ReadKubernetesOptions {
  readonly settings: KubernetesSettings;
  readonly kong: KongAbilities;
  /** Objects that are taken for broken, as `KIND/NAMESPACE/NAME` or `KIND/NAME`; none where it is left out. */
  readonly quarantine?: readonly string[];
  /** The documents of the last good revision, from which what is broken is taken; nothing is, where there are none. */
  readonly lastGood?: readonly Document[] | null;
}

/** What manifests come to. */
export interface KubernetesReading {
  readonly raw: readonly RawEntity[];
  /** Plugins that nothing uses, which are no part of what is delivered. */
  readonly unused: readonly RawEntity[];
  readonly diagnostics: readonly Diagnostic[];
  /** The same once the state is known, with the entities that each error is about. */
  readonly blame: (state: State) => readonly Diagnostic[];
  /** What an error without entities is about: a test of whether an entity of another revision is a part of it. */
  readonly partOf: (diagnostic: Diagnostic) => ((entity: Entity) => boolean) | undefined;
  /** The objects that are wrong in themselves, as `KIND/NAMESPACE/NAME` or `KIND/NAME`: what quarantine takes. */
  readonly broken: readonly string[];
  /** What was left out or taken from the last good revision, and on account of which broken objects. */
  readonly quarantine: Quarantine;
  /** The status of each object to which a controller writes one, once all that is wrong with the state is known. */
  readonly statuses: (state: State, diagnostics: readonly Diagnostic[]) => readonly ObjectStatus[];
}

/** Reads Kubernetes manifests as a controller would, all of them at once, whatever order they come in. */
export function readKubernetes(documents: readonly Document[], options: ReadKubernetesOptions): KubernetesReading {
  const findings = new KubernetesFindings();
  const { settings } = options;
  const all = readObjects(documents, settings, findings);
  const before = options.lastGood == null ? null : readObjects(options.lastGood, settings, new KubernetesFindings());
  const quarantine = quarantineObjects(all, { broken: options.quarantine ?? [], lastGood: before, settings }, findings);
  const store = new ObjectStore(quarantine.objects);
  const to: Translation = {
    settings,
    kong: options.kong,
    store,
    classes: new ClassFilter(settings.ingressClass, store, findings),
    data: new DataReader(findings),
    grants: new Grants(store),
    gateways: new Gateways(settings, store, findings),
    findings,
  };
  for (const object of quarantine.objects) checkAnnotations(object, settings.apiDefaults, findings);
  const { raw, unused } = translate(to);
  const affected = new Affected(findings, quarantine.objects, settings);
  return {
    raw,
    unused,
    diagnostics: findings.list,
    blame: (state) => affected.diagnostics(state),
    partOf: (diagnostic) => affected.partOf(diagnostic),
    broken: quarantine.objects.filter((object) => findings.isBroken(object)).map(shownKey),
    quarantine,
    statuses: (state, found) => objectStatuses(quarantine.objects, findings, state, found),
  };
}

function shownKey(object: KubeObject): string {
  return objectKey(object).replace('//', '/');
}
