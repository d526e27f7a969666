import type { DeckInfo, Placed } from '../dialect/deck/deck-info.ts';
import { isUuid } from '../model/derived-id.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';
import type { Scope } from './built.ts';

/** Whether what the files say of their destination agrees with it; an error for each thing that does not. */
export function checkScope(info: DeckInfo, scope: Scope): readonly Diagnostic[] {
  return [
    ...checkWorkspace(info.workspace, scope),
    ...checkControlPlane(info.controlPlane, scope),
    ...checkTags(info, scope),
  ];
}

function checkWorkspace(written: Placed<string> | null, scope: Scope): readonly Diagnostic[] {
  const workspace = scope.workspace ?? 'default';
  if (written === null || written.value === workspace) return [];
  const message = `The files are for workspace ${JSON.stringify(written.value)}, and the destination is workspace ${JSON.stringify(workspace)}`;
  return [mismatch(message, [written.location])];
}

function checkControlPlane(written: Placed<string> | null, scope: Scope): readonly Diagnostic[] {
  if (written === null || written.value === scope.controlPlane) return [];
  if (scope.controlPlane === null) {
    const message = `The files are for Konnect's control plane ${JSON.stringify(written.value)}, and the destination is a Kong`;
    return [mismatch(message, [written.location])];
  }
  // A control plane configured by its id has a name that only Konnect knows.
  if (isUuid(scope.controlPlane)) return [];
  const message = `The files are for control plane ${JSON.stringify(written.value)}, and the destination is ${JSON.stringify(scope.controlPlane)}`;
  return [mismatch(message, [written.location])];
}

function checkTags(info: DeckInfo, scope: Scope): readonly Diagnostic[] {
  const written = info.selectTags.map((tag) => tag.value);
  if (written.length === 0 || scope.tags.length === 0) return [];
  const configured = [...new Set(scope.tags)].sort();
  if (written.length === configured.length && written.every((tag, index) => tag === configured[index])) return [];
  const message = `The files select the tags ${list(written)}, and the destination has ${list(configured)}`;
  return [
    mismatch(
      message,
      info.selectTags.map((tag) => tag.location),
    ),
  ];
}

function list(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(', ');
}

function mismatch(message: string, locations: readonly Location[]): Diagnostic {
  const hint = 'Correct one of them, or give the destination other files with include.';
  return { rule: 'scope-mismatch', severity: 'error', message: `${message}.`, hint, locations, entities: [] };
}
