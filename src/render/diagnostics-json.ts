import type { Diagnostic } from '../model/diagnostic.ts';
import type { KindName } from '../model/kind.ts';
import type { Location } from '../model/location.ts';

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
  /** What a controller would write to the status of Kubernetes objects; left out where there are none. */
  readonly objects?: readonly ObjectReport[];
}

/** The status that an object would have in a cluster. */
export interface ObjectReport {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly location: Location;
  readonly conditions: readonly ConditionReport[];
}

/** One condition of an object's status. */
export interface ConditionReport {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * A validation in the stable JSON form (DESIGN.md 5), ending in a line break. `shown` are those of its findings that are
 * listed; all of them are counted.
 */
export function renderDiagnosticsJson(report: ValidationReport, shown = report.diagnostics): string {
  const count = (severity: Diagnostic['severity']) =>
    report.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const form = {
    revision: report.revision,
    digest: report.digest,
    valid: report.valid,
    summary: { entities: report.entities, errors: count('error'), warnings: count('warning') },
    diagnostics: shown.map(diagnosticForm),
    ...(report.objects === undefined || report.objects.length === 0 ? {} : { objects: report.objects.map(objectForm) }),
  };
  return `${JSON.stringify(form, null, 2)}\n`;
}

/** The status of an object whose destination has not confirmed it: what is sound is not programmed yet. */
export function notYetProgrammed(object: ObjectReport, why: string): ObjectReport {
  const conditions = object.conditions.map((condition) =>
    condition.type === 'Programmed' && condition.status === 'True'
      ? { ...condition, status: 'Unknown' as const, reason: 'Pending', message: why }
      : condition,
  );
  return { ...object, conditions };
}

/** The status of one object in the stable JSON form. */
export function objectForm({ kind, namespace, name, location, conditions }: ObjectReport): object {
  return {
    kind,
    namespace,
    name,
    location: locationForm(location),
    conditions: conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
  };
}

function locationForm({ file, line, column, endLine, endColumn, pointer }: Location): object {
  return { file, line, column, endLine, endColumn, pointer };
}

/** One diagnostic in the stable JSON form. */
function diagnosticForm({ rule, severity, message, hint, entities, locations }: Diagnostic): object {
  return {
    rule,
    severity,
    message,
    hint,
    entities: entities.map(({ kind, name }) => ({ kind, name })),
    locations: locations.map(locationForm),
  };
}
