import type { Built } from '../build/built.ts';
import { hiddenOf } from '../build/shown/hidden-values.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Checked, renderDiagnosticsText } from '../render/diagnostics-text.ts';
import type { Session } from './session.ts';
import type { SourceFiles } from './source-files.ts';

/** What diagnostics of a build are shown with. */
export interface ShownBuild {
  readonly session: Session;
  readonly files: SourceFiles;
  readonly built: Built;
  readonly colour: boolean;
  /** How many are shown at most; null for all. */
  readonly max?: number | null;
  /** How much was checked, for the line that sums up; left out of it where this is. */
  readonly checked?: Checked;
}

/** Diagnostics with the source lines that they are about, no secret of which is shown. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], shown: ShownBuild): string {
  const { session, files, built, colour, max, checked } = shown;
  return renderDiagnosticsText(diagnostics, {
    sources: files.text,
    ...hiddenOf(files.text, built.state, session.assumed(null).schemas),
    color: colour,
    ...(max == null ? {} : { max }),
    ...(checked === undefined ? {} : { checked }),
  });
}
