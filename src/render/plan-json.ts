import type { Change, Plan } from '../plan/plan.ts';

/** A plan in the stable JSON form (DESIGN.md 5), ending in a line break. Several come as `{"plans": […]}`. */
export function renderPlansJson(plans: readonly Plan[]): string {
  const [only] = plans;
  const form = plans.length === 1 && only !== undefined ? planForm(only) : { plans: plans.map(planForm) };
  return `${JSON.stringify(form, null, 2)}\n`;
}

/** One plan as a value in the stable JSON form, for whoever puts it into a document of their own. */
export function planForm(plan: Plan): object {
  const { destination, revision, digest, fingerprint, summary, changes, warnings, held } = plan;
  return {
    destination,
    revision,
    digest,
    fingerprint,
    summary: {
      create: summary.create,
      update: summary.update,
      delete: summary.delete,
      unchanged: summary.unchanged,
    },
    changes: changes.map(changeForm),
    warnings: [...warnings],
    held: held === null ? null : { code: held.code, message: held.message, hint: held.hint },
  };
}

function changeForm({ action, kind, id, name, parent, fields, location }: Change): object {
  return {
    action,
    kind,
    id,
    name,
    parent: parent === null ? null : { kind: parent.kind, name: parent.name },
    fields: fields.map((field) => ({
      path: field.path,
      ...(field.from === undefined ? {} : { from: field.from }),
      ...(field.to === undefined ? {} : { to: field.to }),
      ...(field.secret === true ? { secret: true } : {}),
    })),
    location: location === null ? null : { file: location.file, line: location.line, column: location.column },
  };
}
