import type { Diagnostic } from '../model/diagnostic.ts';
import type { KindName } from '../model/kind.ts';

/** What a validation came to. */
export interface ValidationReport {
  /** A full SHA, or null for a working tree. */
  readonly revision: string | null;
  /** Null when there is no complete state. */
  readonly digest: string | null;
  readonly valid: boolean;
  /** How many entities of each kind there are. */
  readonly entities: { readonly [K in KindName]?: number };
  readonly diagnostics: readonly Diagnostic[];
}

/** A validation in the stable JSON form (DESIGN.md 5), ending in a line break. */
export function renderDiagnosticsJson(report: ValidationReport): string {
  const count = (severity: Diagnostic['severity']) =>
    report.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const form = {
    revision: report.revision,
    digest: report.digest,
    valid: report.valid,
    summary: { entities: report.entities, errors: count('error'), warnings: count('warning') },
    diagnostics: report.diagnostics.map(diagnosticForm),
  };
  return `${JSON.stringify(form, null, 2)}\n`;
}

/** One diagnostic in the stable JSON form. */
function diagnosticForm({ rule, severity, message, hint, entities, locations }: Diagnostic): object {
  return {
    rule,
    severity,
    message,
    hint,
    entities: entities.map(({ kind, name }) => ({ kind, name })),
    locations: locations.map(({ file, line, column, endLine, endColumn, pointer }) => ({
      file,
      line,
      column,
      endLine,
      endColumn,
      pointer,
    })),
  };
}
