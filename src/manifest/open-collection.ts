import type { Json } from '../model/json.ts';

/** A finished value; the numbers say how large it is when every alias in it is written out. */
export interface Node {
  readonly place: number;
  readonly value: Json;
  /** Values and keys. */
  readonly nodes: number;
  /** UTF-16 units of all texts. */
  readonly length: number;
  /** Levels of lists and mappings. */
  readonly height: number;
}

/** What an anchor names; null while its value is not finished. */
export interface Anchor {
  node: Node | null;
}

interface Open {
  readonly place: number;
  /** Whether it ends with a bracket or brace. */
  readonly bracketed: boolean;
  readonly anchor: Anchor | null;
  nodes: number;
  length: number;
  height: number;
}

/** A list that is not finished. */
export interface OpenList extends Open {
  readonly mapping: false;
  readonly value: Json[];
}

/** A mapping that is not finished. */
export interface OpenMapping extends Open {
  readonly mapping: true;
  readonly value: { [key: string]: Json };
  /** The key that waits for its value. */
  key: Key | null;
  /** Keys that came in by a merge, which a written key replaces. */
  merged: Set<string> | null;
}

/** A list or mapping that is not finished. */
export type OpenCollection = OpenList | OpenMapping;

/** A key of a mapping; the text is null where it cannot be one. */
export interface Key {
  readonly text: string | null;
  readonly merge: boolean;
  readonly place: number;
}

/** The text of a key: a scalar as it was written, for JSON's keys are texts. Null where it cannot be a key. */
export function keyText(value: Json, source: string | undefined): string | null {
  if (value === null || typeof value === 'object') return null;
  return source ?? String(value);
}
