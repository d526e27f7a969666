import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Location } from '../../model/location.ts';
import { allEntities, type State } from '../../model/state.ts';
import type { Condition, KubernetesFindings } from './findings.ts';
import { type KubeObject, objectKey, placeIn } from './objects/kube-object.ts';
import { ObjectSource } from './objects/object-source.ts';

/** What an object's status would say in a cluster. */
export interface ObjectStatus {
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly location: Location;
  readonly conditions: readonly Condition[];
}

type ConditionType = Condition['type'];

const routeConditions: readonly ConditionType[] = ['Accepted', 'ResolvedRefs', 'Programmed'];

/** The kinds to whose status a controller writes, and which conditions it writes there when all is well. */
const written: { readonly [kind: string]: readonly ConditionType[] } = {
  Ingress: ['Programmed'],
  TCPIngress: ['Programmed'],
  UDPIngress: ['Programmed'],
  KongPlugin: ['Programmed'],
  KongClusterPlugin: ['Programmed'],
  KongConsumer: ['Programmed'],
  KongConsumerGroup: ['Programmed'],
  KongVault: ['Programmed'],
  KongCustomEntity: ['Programmed'],
  KongUpstreamPolicy: ['Accepted', 'Programmed'],
  Gateway: ['Accepted', 'Programmed'],
  HTTPRoute: routeConditions,
  GRPCRoute: routeConditions,
  TCPRoute: routeConditions,
  TLSRoute: routeConditions,
  UDPRoute: routeConditions,
  BackendTLSPolicy: ['Accepted'],
};

/**
 * What a controller would write to the status of each object: what was found in it while it was read, and Programmed
 * false for each of which an entity is made that an error is about. Objects that are none of ours have no status.
 */
export function objectStatuses(
  objects: readonly KubeObject[],
  findings: KubernetesFindings,
  state: State,
  diagnostics: readonly Diagnostic[],
): readonly ObjectStatus[] {
  const shown = objects.filter((object) => written[object.kind] !== undefined && !findings.isIgnored(object));
  if (shown.length === 0) return [];
  const blamed = messagesByObject(state, diagnostics);
  return shown.map((object) => {
    const { kind, namespace, name } = object;
    const conditions = conditionsOf(object, findings.conditionsOf(object), blamed.get(objectKey(object)) ?? []);
    return { kind, namespace, name, location: placeIn(object), conditions };
  });
}

function conditionsOf(
  { kind }: KubeObject,
  found: readonly Condition[],
  blamed: readonly string[],
): readonly Condition[] {
  const isRoute = written[kind] === routeConditions;
  const known = [...found];
  const isKnown = new Set(found.map(({ message }) => message));
  const [type = 'Programmed'] = (written[kind] ?? []).slice(-1);
  const reason = isRoute ? 'TranslationError' : 'Invalid';
  for (const message of blamed) {
    if (!isKnown.has(message)) known.push({ type, status: 'False', reason, message });
  }
  const isWrong = known.some(({ status, type: of }) => (of === 'Conflicted' ? status === 'True' : status === 'False'));
  for (const expected of written[kind] ?? []) {
    if (known.some((condition) => condition.type === expected)) continue;
    // What is not accepted or leads nowhere is not served either.
    if (expected === 'Programmed' && isWrong) {
      const message = known.find(({ status }) => status === 'False')?.message ?? '';
      known.push({ type: expected, status: 'False', reason, message });
    } else {
      const good = isRoute && expected === 'Programmed' ? 'ConfiguredInGateway' : expected;
      known.push({ type: expected, status: 'True', reason: good, message: '' });
    }
  }
  const order: readonly ConditionType[] = ['Accepted', 'ResolvedRefs', 'Programmed', 'Conflicted'];
  const unique = new Map(known.map((condition) => [JSON.stringify(condition), condition]));
  return [...unique.values()].sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
}

/** The messages of errors by the objects of which the entities are made that they are about. */
function messagesByObject(state: State, diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly string[]> {
  const errors = diagnostics.filter(({ severity, entities }) => severity === 'error' && entities.length > 0);
  if (errors.length === 0) return new Map();
  const objects = new Map<string, Set<string>>();
  for (const { kind, name, source } of allEntities(state)) {
    if (!(source instanceof ObjectSource)) continue;
    const key = `${kind}\n${name}`;
    const known = objects.get(key);
    if (known === undefined) objects.set(key, new Set([objectKey(source.object)]));
    else known.add(objectKey(source.object));
  }
  const found = new Map<string, string[]>();
  for (const { message, entities } of errors) {
    for (const object of new Set(entities.flatMap(({ kind, name }) => [...(objects.get(`${kind}\n${name}`) ?? [])]))) {
      const list = found.get(object);
      if (list === undefined) found.set(object, [message]);
      else if (!list.includes(message)) list.push(message);
    }
  }
  return found;
}
