import { unescapeText } from '../http/request.ts';
import type { Collection } from '../state/collections.ts';

/** What a path of the Admin API means, with the ids or keys that stood in it. */
export type Place =
  | { readonly place: 'collection'; readonly of: Collection }
  | { readonly place: 'entity'; readonly of: Collection; readonly key: string }
  | {
      readonly place: 'children';
      readonly of: Collection;
      readonly field: string;
      readonly parent: Collection;
      readonly parentKey: string;
    }
  | {
      readonly place: 'child';
      readonly of: Collection;
      readonly field: string;
      readonly parent: Collection;
      readonly parentKey: string;
      readonly key: string;
    }
  | {
      readonly place: 'referenced';
      readonly from: Collection;
      readonly key: string;
      readonly field: string;
      readonly of: Collection;
    };

interface Pattern {
  readonly steps: readonly (string | null)[];
  readonly make: (keys: readonly string[]) => Place;
}

/** A raw path in segments, each unescaped; null where a segment is empty, which no path of Kong's is. */
export function segmentsOf(path: string): readonly string[] | null {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  if (trimmed === '') return path === '/' ? [] : null;
  const parts = trimmed.split('/');
  return parts.some((part) => part === '') ? null : parts.map(unescapeText);
}

/**
 * Finds what a path means among the paths that the collections span: the collection, an entity, what names an entity by
 * a foreign key, one of those, and what a foreign key names.
 */
export function placesOf(collections: readonly Collection[]): (segments: readonly string[]) => Place | null {
  const byLength = new Map<number, Pattern[]>();
  const add = (steps: readonly (string | null)[], make: Pattern['make']) => {
    const known = byLength.get(steps.length) ?? [];
    known.push({ steps, make });
    byLength.set(steps.length, known);
  };
  const named = new Map(collections.map((collection) => [collection.name, collection]));
  for (const of of collections) {
    if (of.path !== null) {
      add(of.path, () => ({ place: 'collection', of }));
      add([...of.path, null], ([key = '']) => ({ place: 'entity', of, key }));
    }
    for (const { field, to } of of.foreign) {
      const parent = named.get(to);
      const nested = of.nested.get(field);
      if (parent === undefined || parent.path === null) continue;
      if (nested !== undefined) {
        const steps = [...parent.path, null, ...nested];
        add(steps, ([parentKey = '']) => ({ place: 'children', of, field, parent, parentKey }));
        add([...steps, null], ([parentKey = '', key = '']) => ({ place: 'child', of, field, parent, parentKey, key }));
      }
      if (of.path !== null) {
        add([...of.path, null, field], ([key = '']) => ({ place: 'referenced', from: of, key, field, of: parent }));
      }
    }
  }
  for (const patterns of byLength.values()) {
    patterns.sort((a, b) => literals(b) - literals(a));
  }
  return (segments) => {
    for (const pattern of byLength.get(segments.length) ?? []) {
      const keys = match(pattern, segments);
      if (keys !== null) return pattern.make(keys);
    }
    return null;
  };
}

function literals(pattern: Pattern): number {
  return pattern.steps.filter((step) => step !== null).length;
}

function match(pattern: Pattern, segments: readonly string[]): readonly string[] | null {
  const keys: string[] = [];
  for (const [index, step] of pattern.steps.entries()) {
    const segment = segments[index] ?? '';
    if (step === null) keys.push(segment);
    else if (step !== segment) return null;
  }
  return keys;
}
