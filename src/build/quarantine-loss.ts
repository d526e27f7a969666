import type { Entity } from '../model/entity.ts';
import type { UnreadableFile } from './quarantine.ts';

/** Why what declares an entity cannot be read; null where it can. */
export function lossOf(unreadable: readonly UnreadableFile[]): (entity: Entity) => string | null {
  const byFile = new Map<string, UnreadableFile[]>();
  for (const one of unreadable) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one]);
  if (byFile.size === 0) return () => null;
  return (entity) => {
    // What an object is made of may stand in several files, so its parts are looked for wherever they are.
    const file = entity.source?.location.file ?? '';
    const whole = byFile.get(file)?.find(({ covers }) => covers === undefined);
    return whole?.why ?? unreadable.find(({ covers }) => covers?.(entity) === true)?.why ?? null;
  };
}
