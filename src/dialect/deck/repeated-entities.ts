import { findRaw, type RawEntity, type RawReference, rawLookup } from '../../model/assemble.ts';
import { canonicalJson } from '../../model/json.ts';
import { sha256 } from '../../model/kind-parts.ts';
import { kinds, kindsInOrder } from '../../model/kinds.ts';
import type { Findings } from './findings.ts';

/**
 * The entities with each one kept once that several files write in the same words, all that is nested in it included:
 * a warning, for nothing is unclear. A membership written from both sides is simply one. Copies within one file are
 * left for the rules, as are entities that say different things.
 */
export function withoutRepeats(entities: readonly RawEntity[], findings: Findings): readonly RawEntity[] {
  if (!entities.some(isMembership) && new Set(entities.map(fileOf)).size < 2) return entities;
  const contents = contentOf(entities);
  const lookup = rawLookup(entities);
  const final = new Map<RawEntity, RawEntity>();
  const dropped = new Set<RawEntity>();
  const numbers = new Map<RawEntity, number>();
  const firsts = new Map<string, RawEntity>();
  const finalOf = (entity: RawEntity): RawEntity => final.get(entity) ?? entity;
  const keyOf = (entity: RawEntity): string => {
    const references = entity.references.map((reference) => {
      const found = findRaw(lookup, entity.kind, reference);
      const to = found === undefined ? textOf(reference) : `#${numbers.get(finalOf(found))}`;
      return `${reference.field} ${reference.index} ${to}`;
    });
    return [contents.get(entity) ?? '', ...references.sort()].join('\n');
  };
  // By level, so that what an entity names has been settled before it.
  for (const kind of kindsInOrder) {
    for (const entity of entities) {
      if (entity.kind !== kind.name) continue;
      const key = keyOf(entity);
      const first = firsts.get(key);
      if (first !== undefined && (isMembership(entity) || fileOf(first) !== fileOf(entity))) {
        if (!isMembership(entity) && !entity.references.some((reference) => standsIn(reference, dropped))) {
          report(entity, first, findings);
        }
        dropped.add(entity);
        final.set(entity, finalOf(first));
        continue;
      }
      const moved = entity.references.some((reference) => isMoved(reference, final))
        ? { ...entity, references: entity.references.map((reference) => move(reference, finalOf)) }
        : entity;
      final.set(entity, moved);
      numbers.set(moved, numbers.size);
      if (first === undefined) firsts.set(key, entity);
    }
  }
  return entities.filter((entity) => !dropped.has(entity)).map(finalOf);
}

/** What each entity says, with all that is nested in it, as a text; what it names itself is left out. */
function contentOf(entities: readonly RawEntity[]): ReadonlyMap<RawEntity, string> {
  const contents = new Map<RawEntity, string>();
  const nested = new Map<RawEntity, string[]>();
  // From the deepest level up, so that the children are there before their parent.
  for (const kind of [...kindsInOrder].reverse()) {
    for (const entity of entities) {
      if (entity.kind !== kind.name) continue;
      const references = entity.references.map((reference) => `${reference.field} ${textOf(reference)}`).sort();
      const fields = canonicalJson(entity.fields);
      const children = (nested.get(entity) ?? []).sort();
      const content = [entity.kind, entity.id ?? '', fields, ...children].join('\n');
      contents.set(entity, content);
      if (isMembership(entity)) continue;
      const digest = sha256([content, ...references].join('\n'));
      for (const { to } of entity.references) if ('entity' in to) put(nested, to.entity, digest);
    }
  }
  return contents;
}

function put(lists: Map<RawEntity, string[]>, key: RawEntity, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function textOf({ to }: RawReference): string {
  if ('entity' in to) return '';
  return JSON.stringify('id' in to ? to.id : 'name' in to ? to.name : to.nameOrId);
}

function isMembership(entity: RawEntity): boolean {
  return entity.kind === 'consumer_group_consumers';
}

function fileOf(entity: RawEntity): string | undefined {
  return entity.source?.location.file;
}

function standsIn({ to }: RawReference, dropped: ReadonlySet<RawEntity>): boolean {
  return 'entity' in to && dropped.has(to.entity);
}

function isMoved({ to }: RawReference, final: ReadonlyMap<RawEntity, RawEntity>): boolean {
  return 'entity' in to && (final.get(to.entity) ?? to.entity) !== to.entity;
}

function move(reference: RawReference, finalOf: (entity: RawEntity) => RawEntity): RawReference {
  return 'entity' in reference.to ? { ...reference, to: { entity: finalOf(reference.to.entity) } } : reference;
}

function report(entity: RawEntity, first: RawEntity, findings: Findings): void {
  const locations = [entity, first].map((copy) => copy.source?.location).filter((place) => place !== undefined);
  const name = entity.fields['name'] ?? entity.fields['username'];
  const shown = typeof name === 'string' && entity.fromEnvironment.size === 0 ? ` ${JSON.stringify(name)}` : '';
  const message = `The ${kinds[entity.kind].label}${shown} is written in two files with the same content`;
  findings.warning('repeated-entity', message, 'Keep one of them.', locations);
}
