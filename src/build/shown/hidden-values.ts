import { isKustomization } from '../../dialect/kubernetes/kustomize/kustomization.ts';
import { isManifest } from '../../dialect/kubernetes/objects/read-objects.ts';
import type { Document } from '../../manifest/document.ts';
import { parseFile } from '../../manifest/parse.ts';
import { isCredentialText } from '../../model/credential-text.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, valueAt } from '../../model/json.ts';
import type { Location } from '../../model/location.ts';
import type { State } from '../../model/state.ts';
import { secretPlaces } from '../../rules/secret-places.ts';
import type { Schemas } from '../../schema/schema.ts';
import { hideInDeck } from './hidden-in-deck.ts';
import { hideInKustomization } from './hidden-in-kustomization.ts';
import { hideInManifest } from './hidden-in-manifest.ts';

/** What of a file must not be shown. */
export interface HiddenValues {
  /** Values that are not known to be public. */
  readonly places: readonly Location[];
  /** Whether all of the file was read; otherwise nothing is known of what stands outside of `places`. */
  readonly read: boolean;
}

/**
 * The values of a file that must not be shown: all but those that are known to be public by the place where they stand
 * and by the schema of what they are part of. So a secret under a misspelt key, in the place of a list, or in a file of
 * which only a part can be read, stays hidden.
 */
export function hiddenValues(file: string, text: string, schemas: Schemas): HiddenValues {
  const { documents, diagnostics } = parseFile(file, new TextEncoder().encode(text));
  const places: Location[] = [];
  for (const document of documents) {
    const hide = isKustomization(document) ? hideInKustomization : isManifest(document) ? hideInManifest : hideInDeck;
    hide(document, schemas, (path) => {
      const place = placeOf(document, path);
      if (place !== null) places.push(place);
    });
    for (const path of credentialTexts(document.value)) {
      const place = placeOf(document, path);
      if (place !== null) places.push(place);
    }
  }
  return { places, read: diagnostics.length === 0 };
}

/** The paths of texts that are likely to hold a secret, wherever they stand: a header to send, say. */
function credentialTexts(value: Json, path: JsonPath = []): readonly JsonPath[] {
  if (typeof value === 'string') return isCredentialText(value) ? [path] : [];
  if (isJsonArray(value)) return value.flatMap((item, index) => credentialTexts(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => credentialTexts(inner, [...path, key]));
}

/** Where a value was written; null where there is none, or where a merge brought it, which is hidden where it stands. */
function placeOf(document: Document, path: JsonPath): Location | null {
  const value = valueAt(document.value, path);
  if (value === null || value === undefined) return null;
  const place = document.at(path);
  const around = path.length === 0 ? null : document.at(path.slice(0, -1));
  return around !== null && isSamePlace(place, around) ? null : place;
}

function isSamePlace(a: Location, b: Location): boolean {
  return a.line === b.line && a.column === b.column && a.endLine === b.endLine && a.endColumn === b.endColumn;
}

/** What of files must not be shown: their own values that are not known to be public, and secrets of a state. */
export interface HiddenOf {
  readonly secretsIn: (file: string) => readonly Location[];
  readonly isRead: (file: string) => boolean;
}

/** As `hiddenValues`, of each file when it is first asked for, with what a state's entities hold of it. */
export function hiddenOf(text: (file: string) => string | undefined, state: State, schemas: Schemas): HiddenOf {
  const byFile = new Map<string, HiddenValues>();
  const ofState = secretPlaces(state, schemas);
  const of = (file: string): HiddenValues => {
    const known = byFile.get(file);
    if (known !== undefined) return known;
    const own = hiddenValues(file, text(file) ?? '', schemas);
    const hidden = { ...own, places: [...own.places, ...ofState(file)] };
    byFile.set(file, hidden);
    return hidden;
  };
  return { secretsIn: (file) => of(file).places, isRead: (file) => of(file).read };
}
