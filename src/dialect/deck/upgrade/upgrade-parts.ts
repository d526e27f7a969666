import type { Document } from '../../../manifest/document.ts';
import type { Location } from '../../../model/location.ts';
import type { TextEdits } from './text-edits.ts';

/** One thing that was rewritten, or (`byHand`) that a person has to. */
export interface UpgradeNote {
  readonly location: Location;
  readonly message: string;
  readonly byHand: boolean;
}

/** Where the value of a field of a plugin's configuration belongs now, as a path in it; null where it stays. */
export type FieldMoves = (plugin: string, field: string) => readonly string[] | null;

/** What the upgrade of one document works with. */
export interface Upgrade {
  readonly document: Document;
  readonly edits: TextEdits;
  readonly notes: UpgradeNote[];
  readonly moves: FieldMoves;
}

/** A key in the quotes that it was written in. */
export function renamedKey(written: string, name: string): string {
  const quote = /^["']/.exec(written)?.[0] ?? '';
  return `${quote}${name}${quote}`;
}
