import { jsonEqual } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { Location } from '../../model/location.ts';
import type { DeckInfo, Placed, SharedObject } from './deck-info.ts';
import type { Findings } from './findings.ts';

/** What the headers of the documents gather, before it is one DeckInfo. */
export interface Envelope {
  formatVersion: Placed<string> | null;
  transform: Placed<boolean> | null;
  workspace: Placed<string> | null;
  controlPlane: Placed<string> | null;
  pluginDefinitions: boolean;
  readonly selectTags: Map<string, Location>;
  readonly lookupTags: Map<KindName, string[]>;
  readonly defaults: Map<KindName, SharedObject>;
  readonly sharedConfigs: Map<string, SharedObject>;
}

/** The envelope as others see it. */
export function deckInfo(envelope: Envelope): DeckInfo {
  const { formatVersion, workspace, controlPlane, lookupTags, defaults, sharedConfigs } = envelope;
  const selectTags = [...envelope.selectTags]
    .map(([value, location]) => ({ value, location }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
  return { formatVersion, workspace, controlPlane, selectTags, lookupTags, defaults, sharedConfigs };
}

/** Keeps the first of several equal mappings, and reports two that differ. */
export function keepOne(
  known: SharedObject | undefined,
  next: SharedObject,
  what: string,
  findings: Findings,
): SharedObject {
  if (known === undefined || jsonEqual(known.value, next.value)) return known ?? next;
  findings.error('files-disagree', `Two places differ about ${what}`, 'Keep one of them.', [
    next.document.at(next.path, 'key'),
    known.document.at(known.path, 'key'),
  ]);
  return known;
}
