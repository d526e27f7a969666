import { build } from '../build/build.ts';
import type { Built } from '../build/built.ts';
import { openWorld } from '../daemon/edge.ts';
import { hiddenValues, planOf } from '../daemon/plan-of.ts';
import { scopeOf } from '../daemon/scope.ts';
import { openDestination } from '../destination/open.ts';
import { objectionsTo, survey } from '../lane/survey.ts';
import { hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';
import type { SourceFiles } from './source-files.ts';

/**
 * Builds files for one destination, with its own schemas, and has it check what would be created or updated there.
 * Writes nothing. Throws Failure where the destination cannot be asked.
 */
export async function checkAt(name: string, io: Io, session: Session, files: SourceFiles): Promise<Built> {
  const assumed = session.assumed(name);
  const scope = scopeOf(session.configuration, name);
  const settings = { ...session.settings, named: files.named, scope };
  const destination = openDestination(session.configuration.destination(name), await openWorld());
  try {
    const seen = await survey(
      destination,
      () => (schemas) => build(files.snapshot, { ...settings, schemas: schemas ?? assumed.schemas }),
      io.signal,
    );
    const { built } = seen;
    if (!built.valid) return built;
    const make = planOf(session.configuration.destination(name), false, hiddenValues(io));
    const delivery = make({ ...seen, declaredEarlier: new Set() });
    const objections = await objectionsTo(destination, built, delivery, io.signal);
    const diagnostics = sortDiagnostics([...built.diagnostics, ...objections]);
    return { ...built, diagnostics, valid: !hasErrors(diagnostics) };
  } finally {
    await destination.close();
  }
}
