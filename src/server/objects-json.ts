import { notYetProgrammed, type ObjectReport, objectForm } from '../render/diagnostics-json.ts';
import type { RepositoryStatus } from './status-json.ts';

/** Which objects are asked for; null for all. */
export interface ObjectQuery {
  readonly destination: string | null;
  readonly kind: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
}

/**
 * The status of Kubernetes objects as the API gives it: what a controller would have written there, for each destination.
 * Programmed is Unknown until the destination has confirmed the revision. Undefined for a destination that is not known.
 */
export function objectsJson(repositories: readonly RepositoryStatus[], query: ObjectQuery): object | undefined {
  const lanes = repositories.flatMap(({ status }) =>
    status.lanes.map((lane) => ({ lane, validation: status.validation })),
  );
  const meant = lanes.filter(({ lane }) => query.destination === null || lane.destination === query.destination);
  if (query.destination !== null && meant.length === 0) return undefined;
  const objects = meant.flatMap(({ lane, validation }) => {
    if (validation === null) return [];
    const isInPlace = lane.applied === validation.revision;
    return (validation.objects?.get(lane.destination) ?? [])
      .filter((object) => fits(query, object))
      .map((object) => ({
        destination: lane.destination,
        revision: validation.revision,
        ...objectForm(isInPlace ? object : notYetProgrammed(object, lane.detail)),
      }));
  });
  return { objects };
}

function fits({ kind, namespace, name }: ObjectQuery, object: ObjectReport): boolean {
  return (
    (kind === null || kind === object.kind) &&
    (namespace === null || namespace === object.namespace) &&
    (name === null || name === object.name)
  );
}
