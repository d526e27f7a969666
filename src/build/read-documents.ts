import { withoutCharts } from '../dialect/kubernetes/charts.ts';
import { kustomize } from '../dialect/kubernetes/kustomize/kustomize.ts';
import type { Document } from '../manifest/document.ts';
import { defaultManifestLimits } from '../manifest/limits.ts';
import { type ParsedFile, parseFile } from '../manifest/parse.ts';
import { readSnapshot } from '../manifest/read-snapshot.ts';
import { escapeName } from '../manifest/shown-text.ts';
import type { StandIns } from '../manifest/template/evaluate.ts';
import { expandFile } from '../manifest/template/expand-file.ts';
import { resolveTemplates } from '../manifest/templates.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { BuildSettings } from './built.ts';

/** The documents of a snapshot, with templates carried out and folders with a kustomization built. */
export interface ReadDocuments {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads what a destination gets of a snapshot, or all of it. */
export function readDocuments(snapshot: Snapshot, settings: BuildSettings): ReadDocuments {
  const { scope } = settings;
  const selection = {
    ignore: settings.ignore ?? [],
    include: scope?.include ?? [],
    exclude: scope?.excludeFiles ?? [],
    configuration: settings.configuration ?? [],
    named: settings.named ?? [],
  };
  const read = readSnapshot(snapshot, selection, settings.limits, settings.cache);
  const all = carriedOut(read, settings);
  const selected = withoutCharts(all.documents, all.diagnostics);
  const further: Diagnostic[] = [];
  const built = kustomize(selected.documents, {
    entries: snapshot.entries,
    folders: settings.kubernetes?.kustomize ?? [],
    read: (path) => {
      const { documents, diagnostics } = carriedOut(parsedAt(snapshot, path, settings), settings);
      for (const one of diagnostics) further.push(one);
      return documents;
    },
  });
  const counts = ({ locations }: Diagnostic) => !locations.some(({ file }) => built.texts.has(file));
  return {
    documents: built.documents,
    diagnostics: [...selected.diagnostics.filter(counts), ...further, ...built.diagnostics],
  };
}

/** A file that was not selected, as its parts are read where they were. */
function parsedAt(snapshot: Snapshot, path: string, settings: BuildSettings): Parsed {
  const entry = snapshot.entries.get(path);
  if (entry?.type !== 'file') return { documents: [], diagnostics: [], templates: [] };
  const parsed = parseFile(escapeName(path), entry.bytes, settings.limits);
  return parsed.template === null
    ? { ...parsed, templates: [] }
    : { documents: [], diagnostics: [], templates: [parsed] };
}

type Parsed = ReadDocuments & { readonly templates: readonly ParsedFile[] };

/** The documents with their templates carried out. */
function carriedOut({ documents, diagnostics, templates }: Parsed, settings: BuildSettings): ReadDocuments {
  const world = { environment: settings.environment, standIns: standInsOf(settings) };
  const expanded = templates.map((file) => expandFile(file, world, settings.limits ?? defaultManifestLimits));
  const resolved = [...documents, ...expanded.flatMap((file) => file.documents)].map((document) =>
    resolveTemplates(document, world.environment, world.standIns),
  );
  return {
    documents: resolved.map(({ document }) => document),
    diagnostics: [
      ...diagnostics,
      ...expanded.flatMap((file) => file.diagnostics),
      ...resolved.flatMap((one) => one.diagnostics),
    ],
  };
}

/** Whether values of the environment are not looked at, or may be missing. */
export function valuesStandIn(settings: BuildSettings): boolean {
  return (settings.standIns ?? false) !== false || isForAnyKong(settings);
}

function standInsOf(settings: BuildSettings): StandIns {
  if (settings.standIns === true) return 'always';
  if (settings.standIns === 'where-unset') return 'where-unset';
  return isForAnyKong(settings) ? 'where-needed' : 'never';
}

/** Whether the checks are for no Kong in particular, so that nothing is refused that some Kong may take. */
export function isForAnyKong({ schemas }: BuildSettings): boolean {
  return schemas.version === 'any';
}
