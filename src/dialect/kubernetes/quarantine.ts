import { dependenciesOf } from './dependencies.ts';
import type { KubernetesFindings } from './findings.ts';
import { type KubeObject, objectKey } from './objects/kube-object.ts';
import { ObjectStore } from './objects/store.ts';
import type { KubernetesSettings } from './settings.ts';

/** An object that is not as it was written, and the broken objects on account of which. */
export interface Quarantined {
  /** As `KIND/NAMESPACE/NAME`, or `KIND/NAME`. */
  readonly object: string;
  readonly causes: readonly string[];
  /** Whether its last good version stands in for it; else it is not there at all. */
  readonly keptLastGood: boolean;
}

/** What remains of the objects of a revision when some of them are broken. */
export interface Quarantine {
  readonly objects: readonly KubeObject[];
  readonly leftOut: readonly Quarantined[];
}

/** What a quarantine starts from. */
export interface QuarantineOptions {
  /** As `KIND/NAMESPACE/NAME`, or `KIND/NAME` for what stands in no namespace. */
  readonly broken: readonly string[];
  /** The objects of the last good revision; null where there is none. */
  readonly lastGood: readonly KubeObject[] | null;
  readonly settings: KubernetesSettings;
}

/**
 * Leaves out broken objects and all that depends on them, to any depth, or puts their last good version in their place
 * (kic.md 2.5 and 2.6, with the edges that 2.4 lists as missing). A last good version stands in only where all that it
 * depended on is there. Whatever a broken plugin protects goes with it, for it depends on the plugin.
 */
export function quarantineObjects(
  objects: readonly KubeObject[],
  { broken, lastGood, settings }: QuarantineOptions,
  findings: KubernetesFindings,
): Quarantine {
  if (broken.length === 0) return { objects, leftOut: [] };
  const keys = new Map(objects.map((object) => [objectKey(object), object]));
  const graph = dependants(objects, settings);
  const causes = new Map<KubeObject, Set<string>>();
  for (const name of [...new Set(broken)].sort()) {
    const start = keys.get(keyOf(name));
    if (start === undefined) {
      const message = `There is no object ${JSON.stringify(name)} to leave out`;
      findings.loose(
        'quarantine-unknown',
        message,
        'Name it as KIND/NAMESPACE/NAME, or KIND/NAME where it has no namespace.',
        [],
      );
      continue;
    }
    for (const object of reachable(start, graph))
      causes.set(object, (causes.get(object) ?? new Set()).add(shown(start)));
  }
  const remaining = objects.filter((object) => !causes.has(object));
  const kept = lastGood === null ? [] : standIns(causes, remaining, lastGood, settings);
  const keptKeys = new Set(kept.map(objectKey));
  const leftOut = [...causes].map(([object, names]) => ({
    object: shown(object),
    causes: [...names].sort(),
    keptLastGood: keptKeys.has(objectKey(object)),
  }));
  return { objects: [...remaining, ...kept], leftOut };
}

/** The last good versions of what is left out whose dependencies are all there, found round by round. */
function standIns(
  causes: ReadonlyMap<KubeObject, unknown>,
  remaining: readonly KubeObject[],
  lastGood: readonly KubeObject[],
  settings: KubernetesSettings,
): readonly KubeObject[] {
  const lost = new Set([...causes.keys()].map(objectKey));
  const candidates = new Set(lastGood.filter((object) => lost.has(objectKey(object))));
  const before = new ObjectStore(lastGood);
  for (;;) {
    const there = new ObjectStore([...remaining, ...candidates]);
    const unfit = [...candidates].filter((object) =>
      dependenciesOf(object, before, settings).some(
        ({ kind, namespace, name }) =>
          before.get(kind, namespace, name) !== undefined && there.get(kind, namespace, name) === undefined,
      ),
    );
    if (unfit.length === 0) return [...candidates];
    for (const object of unfit) candidates.delete(object);
  }
}

/** Who depends on each object. */
function dependants(
  objects: readonly KubeObject[],
  settings: KubernetesSettings,
): ReadonlyMap<KubeObject, readonly KubeObject[]> {
  const store = new ObjectStore(objects);
  const found = new Map<KubeObject, KubeObject[]>();
  for (const object of objects) {
    for (const { kind, namespace, name } of dependenciesOf(object, store, settings)) {
      const on = store.get(kind, namespace, name);
      if (on === undefined || on === object) continue;
      const list = found.get(on);
      if (list === undefined) found.set(on, [object]);
      else list.push(object);
    }
  }
  return found;
}

function reachable(start: KubeObject, graph: ReadonlyMap<KubeObject, readonly KubeObject[]>): ReadonlySet<KubeObject> {
  const seen = new Set([start]);
  // What is added on the way is gone through as well.
  for (const object of seen) for (const next of graph.get(object) ?? []) seen.add(next);
  return seen;
}

/** All that is wrong when these objects are: themselves, and what depends on them, to any depth. */
export function withDependants(
  starts: readonly KubeObject[],
  objects: readonly KubeObject[],
  settings: KubernetesSettings,
): ReadonlyMap<KubeObject, ReadonlySet<KubeObject>> {
  const graph = dependants(objects, settings);
  // Of an object that is declared twice, one stands for both.
  const known = new Map(objects.map((object) => [objectKey(object), object]));
  return new Map(starts.map((start) => [start, reachable(known.get(objectKey(start)) ?? start, graph)]));
}

function shown(object: KubeObject): string {
  return objectKey(object).replace('//', '/');
}

function keyOf(name: string): string {
  const [kind = '', second = '', third] = name.split('/');
  return third === undefined ? `${kind}//${second}` : `${kind}/${second}/${third}`;
}
