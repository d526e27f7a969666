import type { Diagnostic, Severity } from '../model/diagnostic.ts';

const commands: { readonly [S in Severity]: string } = { error: 'error', warning: 'warning', info: 'notice' };

/**
 * Diagnostics as GitHub workflow commands, one a line, which a workflow's run shows beside the lines of a pull request.
 * `prefix` is the folder in the repository that file names are relative to, such as `gateway/`.
 */
export function renderDiagnosticsGitHub(diagnostics: readonly Diagnostic[], prefix = ''): string {
  return diagnostics.map((diagnostic) => `${annotation(diagnostic, prefix)}\n`).join('');
}

function annotation(diagnostic: Diagnostic, prefix: string): string {
  const [first, ...others] = diagnostic.locations;
  const properties: string[] = [];
  if (first !== undefined) {
    properties.push(`file=${property(`${prefix}${first.file}`)}`, `line=${first.line}`, `endLine=${first.endLine}`);
    // Columns count only where the range is within a line; GitHub's end is the last column, not the one behind it.
    if (first.endLine === first.line) {
      properties.push(`col=${first.column}`, `endColumn=${Math.max(first.column, first.endColumn - 1)}`);
    }
  }
  properties.push(`title=${property(diagnostic.rule)}`);
  const related = others.map((place) => `Conflicts with ${prefix}${place.file}:${place.line}:${place.column}`);
  const text = [diagnostic.message, diagnostic.hint, ...related].filter((line) => line !== '').join('\n');
  return `::${commands[diagnostic.severity]} ${properties.join(',')}::${data(text)}`;
}

/** Escapes as the runner reads them back (its toolkit's `escapeData`). */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
