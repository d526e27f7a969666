import { describe, type Entity } from '../model/entity.ts';
import type { Differences, Unpruned } from './differences.ts';
import type { Matching } from './match.ts';
import type { Secrets } from './secrets.ts';
import type { Sequence } from './steps.ts';
import { uniqueValues } from './unique-values.ts';

/** What a reader of the plan should know besides its changes. */
export function planWarnings(
  found: Differences,
  ordered: Sequence,
  matching: Matching,
  secrets: Secrets,
): readonly string[] {
  const named = (entity: Entity) => describeSafely(entity, secrets);
  const warnings: string[] = [];
  const kept = found.unpruned.filter(({ why }) => why === 'prune is off').length;
  if (kept > 0) {
    warnings.push(`${kept} live ${kept === 1 ? 'entity is' : 'entities are'} not declared, and kept: prune is off`);
  }
  for (const { entity, why } of found.unpruned) {
    if (why === 'it is protected') warnings.push(`${named(entity)} is not declared, and kept: it is protected`);
  }
  const holders = new Map<string, Unpruned>();
  for (const unpruned of found.unpruned) {
    const { entity, normal } = unpruned;
    for (const value of uniqueValues(entity, normal, (reference) => reference.id)) holders.set(value.key, unpruned);
  }
  for (const { target, normalTarget } of holders.size === 0 ? [] : found.operations) {
    if (target === null) continue;
    for (const value of uniqueValues(target, normalTarget, matching.idOfReference)) {
      const holder = holders.get(value.key);
      if (holder === undefined) continue;
      warnings.push(
        `${named(target)} needs the ${value.fields.join(', ')} of ${named(holder.entity)}, which is kept because ${holder.why}`,
      );
    }
  }
  for (const entity of ordered.interrupted) {
    warnings.push(`${named(entity)} is deleted and made again at once, so that another one can take what it has`);
  }
  for (const entity of ordered.closed) {
    warnings.push(`${named(entity)} matches nothing for a moment, since what protects it moves`);
  }
  for (const entity of ordered.stuck) {
    warnings.push(
      `${named(entity)} has to give up a value that nothing can free beforehand; its change may be refused`,
    );
  }
  return warnings;
}

function describeSafely(entity: Entity, secrets: Secrets): string {
  return describe({ ...entity, name: secrets.inLiveName(entity.name) });
}
