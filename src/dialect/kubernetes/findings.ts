import type { Diagnostic, EntityName, Severity } from '../../model/diagnostic.ts';
import type { JsonPath } from '../../model/json.ts';
import type { Location } from '../../model/location.ts';
import { type KubeObject, objectKey, placeIn } from './objects/kube-object.ts';

/** What this dialect reports, by the name of the check. The names never change meaning. */
export type KubernetesRule =
  | 'kubernetes-kind-ignored'
  | 'kubernetes-object-ignored'
  | 'kubernetes-object'
  | 'kubernetes-duplicate-object'
  | 'kubernetes-field'
  | 'kubernetes-unknown-field'
  | 'kubernetes-field-rule'
  | 'kubernetes-annotation'
  | 'kubernetes-missing-service'
  | 'kubernetes-missing-port'
  | 'kubernetes-missing-secret'
  | 'kubernetes-missing-plugin'
  | 'kubernetes-missing-policy'
  | 'kubernetes-missing-group'
  | 'kubernetes-missing-grant'
  | 'kubernetes-missing-gateway'
  | 'kubernetes-missing-object'
  | 'kubernetes-no-targets'
  | 'kubernetes-not-attached'
  | 'kubernetes-listener-conflict'
  | 'kubernetes-switched-off'
  | 'kubernetes-route'
  | 'kubernetes-backend'
  | 'kubernetes-backends-disagree'
  | 'kubernetes-default-backend'
  | 'kubernetes-name-clash'
  | 'kubernetes-plugin'
  | 'kubernetes-global-plugin'
  | 'kubernetes-consumer'
  | 'kubernetes-credential'
  | 'kubernetes-certificate'
  | 'kubernetes-sni-conflict'
  | 'kubernetes-vault'
  | 'kubernetes-custom-entity'
  | 'kubernetes-license'
  | 'kubernetes-tls'
  | 'helm-chart'
  | 'kustomize'
  | 'kustomize-reference'
  | 'kustomize-overlays'
  | 'kustomize-patch'
  | 'kustomize-unlisted'
  | 'quarantine-unknown';

/** A condition as a controller writes it to an object's status. */
export interface Condition {
  readonly type: 'Accepted' | 'Programmed' | 'ResolvedRefs' | 'Conflicted';
  readonly status: 'True' | 'False';
  readonly reason: string;
  /** Empty where all is well. */
  readonly message: string;
}

/** Where a finding is: a part of an object; its name where no path is given. */
export interface Spot {
  readonly object: KubeObject;
  readonly path?: JsonPath;
  readonly part?: 'value' | 'key';
}

/** More that a finding may say. */
export interface FindingDetails {
  /** Places that it conflicts with. */
  readonly others?: readonly Spot[];
  /** The type and the reason of the condition that a controller would write; Programmed and Invalid where left out. */
  readonly condition?: readonly [type: Condition['type'], reason: string];
  readonly entities?: readonly EntityName[];
}

/** The findings of one reading, in the order in which they were made, and what they say of each object. */
export class KubernetesFindings {
  readonly list: Diagnostic[] = [];
  readonly #conditions = new Map<string, Condition[]>();
  readonly #broken = new Set<string>();
  readonly #ignored = new Set<string>();
  readonly #about = new Map<Diagnostic, readonly KubeObject[]>();

  /** A finding that keeps the object from being delivered as it was meant; others are listed with it. */
  error(rule: KubernetesRule, spot: Spot, message: string, hint: string, details: FindingDetails = {}): void {
    this.#broken.add(objectKey(spot.object));
    this.#note(spot, message, details);
    this.#add('error', rule, spot, message, hint, details);
  }

  /** A finding that keeps nothing from being delivered. */
  warning(rule: KubernetesRule, spot: Spot, message: string, hint: string, details: FindingDetails = {}): void {
    if (details.condition !== undefined) this.#note(spot, message, details);
    this.#add('warning', rule, spot, message, hint, details);
  }

  /** A remark. */
  info(rule: KubernetesRule, spot: Spot, message: string, hint: string): void {
    this.#add('info', rule, spot, message, hint, {});
  }

  /** An object that is passed over, for it is meant for something else, or does not say for what. */
  ignored(object: KubeObject, message: string, hint: string, severity: 'warning' | 'info' = 'info'): void {
    this.#ignored.add(objectKey(object));
    this.#add(severity, 'kubernetes-object-ignored', { object }, message, hint, {});
  }

  /** An error about no object: at a place, or at none. */
  loose(rule: KubernetesRule, message: string, hint: string, locations: readonly Location[]): void {
    this.list.push({ rule, severity: 'error', message: `${message}.`, hint, locations, entities: [] });
  }

  /** Whether an error was found in an object. */
  isBroken(object: KubeObject): boolean {
    return this.#broken.has(objectKey(object));
  }

  /** Whether an object was passed over, for it is meant for something else. */
  isIgnored(object: KubeObject): boolean {
    return this.#ignored.has(objectKey(object));
  }

  /** The conditions that a controller would write to an object's status. */
  conditionsOf(object: KubeObject): readonly Condition[] {
    return this.#conditions.get(objectKey(object)) ?? [];
  }

  /** The objects that a finding names; none for what is about no object. */
  objectsOf(diagnostic: Diagnostic): readonly KubeObject[] {
    return this.#about.get(diagnostic) ?? [];
  }

  #note({ object }: Spot, message: string, { condition = ['Programmed', 'Invalid'] }: FindingDetails): void {
    const [type, reason] = condition;
    const key = objectKey(object);
    const known = this.#conditions.get(key) ?? [];
    this.#conditions.set(key, known);
    known.push({ type, status: type === 'Conflicted' ? 'True' : 'False', reason, message: `${message}.` });
  }

  #add(
    severity: Severity,
    rule: KubernetesRule,
    spot: Spot,
    message: string,
    hint: string,
    { others = [], entities = [] }: FindingDetails,
  ): void {
    const locations = [spot, ...others].map(({ object, path, part }) => placeIn(object, path, part));
    const diagnostic = { rule, severity, message: `${message}.`, hint, locations, entities };
    this.list.push(diagnostic);
    this.#about.set(
      diagnostic,
      [spot, ...others].map(({ object }) => object),
    );
  }
}
