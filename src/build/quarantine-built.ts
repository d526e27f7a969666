import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { digestOf, type State } from '../model/state.ts';
import { environmentMask } from '../rules/mask.ts';
import type { Built } from './built.ts';
import { type Blame, type LeftOut, quarantine } from './quarantine.ts';
import { blamesOf } from './quarantine-blame.ts';
import { keptWithFiles, type WithFiles, withLastFiles } from './quarantine-files.ts';
import { type Refusal, refusedIn } from './quarantine-refusals.ts';

/**
 * A revision with its broken parts in quarantine: what remains may be delivered, unless `quarantine.refused` says why
 * not. `refusals` are what the destination itself would not take of it or of its last good version; `files` those of the
 * last good revision, each in its last version that could be read. Where nothing is broken, the revision as it is. Pure.
 */
export function quarantined(
  written: Built,
  lastGood: State | null,
  refusals: readonly Refusal[] = [],
  files: Snapshot['entries'] | null = null,
): Built {
  const first = blamesOf(written.state, written.diagnostics, written.partOf);
  const kept = withLastFiles(written, first.unreadable, files);
  const built = kept?.built ?? written;
  const refused = refusedIn(built.state, refusals).map(({ refusal }) => refusal.diagnostic);
  const unread = kept === null ? [] : written.diagnostics.filter((one) => isOfFile(one, kept));
  const found = sortDiagnostics([...built.diagnostics, ...unread, ...refused]);
  if (!hasErrors(found)) return built;
  const { broken, unreadable, stray } = kept === null ? first : blamesOf(built.state, built.diagnostics, built.partOf);
  if (stray !== null) return refusedBuilt(built, found, stray, []);
  const recheck = (state: State): readonly Blame[] => {
    const again = blamesOf(state, built.recheck?.(state) ?? []);
    // A finding without an entity cannot be left out, and ends the search with its sentence.
    const lost = again.unreadable.map(({ why }) => why);
    const strays = again.stray === null ? lost : [...lost, again.stray];
    const refusedStill = refusedIn(state, refusals).map(({ blame }) => blame);
    return [...again.broken, ...refusedStill, ...strays.map((why) => ({ why, entities: [] }))];
  };
  const result = quarantine(built.state, broken, lastGood, recheck, unreadable, built.router);
  const ofFiles = kept === null || result.state === null ? [] : keptWithFiles(result.state, kept, result.leftOut);
  const mask = masking(built.state, lastGood);
  const leftOut = [...result.leftOut, ...ofFiles].map((one) => masked(one, mask));
  if (result.refused !== null) return refusedBuilt(built, found, mask(result.refused), leftOut);
  const { state } = result;
  return {
    ...built,
    state,
    written: built.state,
    digest: digestOf(state),
    diagnostics: found,
    valid: false,
    quarantine: { leftOut, refused: null },
  };
}

/** Whether an error is about a file as a whole that is kept in its last good version. */
function isOfFile({ severity, entities, locations: [place] }: Diagnostic, { why }: WithFiles): boolean {
  return severity === 'error' && entities.length === 0 && place !== undefined && why.has(place.file);
}

function refusedBuilt(built: Built, diagnostics: readonly Diagnostic[], refused: string, leftOut: readonly LeftOut[]) {
  return { ...built, digest: null, diagnostics, valid: false, quarantine: { leftOut, refused } };
}

function masking(state: State, lastGood: State | null): (text: string) => string {
  const [now, before] = [environmentMask(state), lastGood === null ? null : environmentMask(lastGood)];
  return (text) => now(before === null ? text : before(text));
}

function masked(one: LeftOut, mask: (text: string) => string): LeftOut {
  const name = ({ kind, name: text }: LeftOut['entity']) => ({ kind, name: mask(text) });
  return {
    ...one,
    entity: name(one.entity),
    why: mask(one.why),
    cause: one.cause === null ? null : name(one.cause),
  };
}
