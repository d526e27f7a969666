import type { Document } from '../../manifest/document.ts';
import type { Placed } from './deck-info.ts';
import type { Findings } from './findings.ts';

/** The only format that decK takes for Kong 3.0 and later (deck.md 1.2). */
export const currentFormat = '3.0';

/**
 * Checks the format that the files are in. Older ones were for Kong 1.x and 2.x: an error, or with `forAnyKong`
 * a warning, because they read alike but for regular expressions in paths.
 */
export function checkFormatVersion(
  version: Placed<string> | null,
  first: Document,
  forAnyKong: boolean,
  findings: Findings,
): void {
  if (version?.value === currentFormat) return;
  const locations = [version?.location ?? first.at([])];
  const hint = `Write _format_version: "${currentFormat}", and begin each path that is a regular expression with ~; konverge convert does both.`;
  const old = version === null || /^[0-2]\.\d+$/.test(version.value);
  const message =
    version === null
      ? 'No file has a _format_version, so the format is that of Kong 2.x'
      : old
        ? `Format ${version.value} was for Kong 2.x and earlier`
        : `There is no format ${JSON.stringify(version.value)}`;
  if (old && forAnyKong) findings.warning('format-version', message, hint, locations);
  else findings.error('format-version', message, hint, locations);
}
