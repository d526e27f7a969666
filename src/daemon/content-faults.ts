import { signatureFaults } from '../model/commit-text.ts';
import { asFailure } from '../platform/failure.ts';

/** Failures of a fetch or a read that say something of the commit itself, which no further try changes. */
const contentFaults: ReadonlySet<string> = new Set([
  'path-missing',
  'tree-invalid',
  'snapshot-too-large',
  ...signatureFaults,
]);

/** Whether what was thrown says that a commit cannot be read as configuration, however often it is tried. */
export function isContentFault(thrown: unknown): boolean {
  const code = asFailure(thrown)?.facts.code;
  return code !== undefined && contentFaults.has(code);
}
