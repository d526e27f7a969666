import { scopeOf } from '../daemon/scope.ts';
import { everyFile } from '../manifest/file-selection.ts';
import { selectedFiles } from '../manifest/read-snapshot.ts';
import { escapeName } from '../manifest/shown-text.ts';
import type { Session } from './session.ts';
import type { SourceFiles } from './source-files.ts';

/** How many files are named. */
const mostNamed = 5;

/**
 * What is said of files that no destination of the configuration gets, so that a new folder which nobody includes does
 * not look like one that was checked; null where there are none. What `exclude.files` names is left out on purpose.
 */
export function unclaimedFiles(session: Session, { snapshot }: SourceFiles): string | null {
  const { configuration } = session;
  const scopes = configuration.destinationNames.map((name) => scopeOf(configuration, name));
  if (scopes.some(({ include }) => include.length === 0)) return null;
  const left = new Set(
    selectedFiles(snapshot, { ...selectionOf(session), exclude: scopes.flatMap(({ excludeFiles }) => excludeFiles) }),
  );
  for (const scope of scopes) {
    for (const file of selectedFiles(snapshot, { ...selectionOf(session), include: scope.include })) left.delete(file);
  }
  if (left.size === 0) return null;
  const files = left.size === 1 ? '1 file goes' : `${left.size} files go`;
  const more = left.size > mostNamed ? ` and ${left.size - mostNamed} more` : '';
  const names = [...left].slice(0, mostNamed).map((file) => escapeName(file));
  return `${files} to no destination, as no include takes ${left.size === 1 ? 'it' : 'them'}: ${names.join(', ')}${more}`;
}

function selectionOf({ settings }: Session): typeof everyFile {
  return { ...everyFile, ignore: settings.ignore ?? [], configuration: settings.configuration ?? [] };
}
