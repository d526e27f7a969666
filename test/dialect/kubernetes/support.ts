import type { ObjectStatus } from '../../../src/dialect/kubernetes/conditions.ts';
import {
  type KubernetesReading,
  type ReadKubernetesOptions,
  readKubernetes,
} from '../../../src/dialect/kubernetes/read-kubernetes.ts';
import { defaultKubernetesSettings, type KubernetesSettings } from '../../../src/dialect/kubernetes/settings.ts';
import type { Document } from '../../../src/manifest/document.ts';
import { parseFile } from '../../../src/manifest/parse.ts';
import { assemble } from '../../../src/model/assemble.ts';
import { type Diagnostic, sortDiagnostics } from '../../../src/model/diagnostic.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { allEntities, type State } from '../../../src/model/state.ts';

/** Files given as name and text. */
export type Files = readonly (readonly [file: string, text: string])[];

/** How manifests are read, as a case's `settings.json` has it. */
export interface CaseSettings extends Partial<KubernetesSettings> {
  readonly kong?: Partial<ReadKubernetesOptions['kong']>;
  readonly broken?: readonly string[];
}

/** What manifests come to. */
export interface Reading extends KubernetesReading {
  readonly state: State;
  readonly found: readonly Diagnostic[];
  readonly objects: readonly ObjectStatus[];
}

/** The documents of files, in the order in which they are given. */
export function documentsOf(files: Files): readonly Document[] {
  return files.flatMap(([file, text]) => parseFile(file, Buffer.from(text)).documents);
}

/** Reads documents. */
export function readManifests(documents: readonly Document[], given: CaseSettings = {}): Reading {
  const { kong, broken, ...settings } = given;
  const reading = readKubernetes(documents, {
    settings: { ...defaultKubernetesSettings, ...settings },
    kong: { enterprise: true, redirectPlugin: true, stickySessions: true, ...kong },
    quarantine: broken ?? [],
  });
  const state = assemble(reading.raw, { workspace: null, selectTags: [] });
  const found = sortDiagnostics(reading.blame(state));
  return { ...reading, state, found, objects: reading.statuses(state, found) };
}

/** Reads one file of manifests. */
export function readText(text: string, settings: CaseSettings = {}): Reading {
  return readManifests(documentsOf([['a.yaml', text]]), settings);
}

/** Findings as `severity rule file:line`, those that are no remarks. */
export function told({ found }: Reading): readonly string[] {
  return found
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, rule, locations }) => `${severity} ${rule} ${locations.map(({ line }) => line).join(' ')}`);
}

/** The entities of a kind by what they are called. */
export function entitiesOf({ state }: Reading, kind: string): { readonly [identity: string]: JsonObject } {
  const entities = allEntities(state).filter((entity) => entity.kind === kind);
  return Object.fromEntries(entities.map((entity) => [entity.identity, entity.fields]));
}

/** The reading as a case's `expected.json` has it. */
export function summary({ state, found }: Reading): JsonObject {
  const entities: { [kind: string]: Json[] } = {};
  for (const entity of allEntities(state)) {
    const list = entities[entity.kind] ?? [];
    entities[entity.kind] = list;
    const references = entity.references.map(({ field, index, identity, resolved }) => [
      index === null ? field : `${field}/${index}`,
      `${resolved ? '' : 'nothing: '}${identity}`,
    ]);
    list.push({
      identity: entity.identity,
      ...(entity.idGiven ? { id: entity.id } : {}),
      fields: entity.fields,
      ...(references.length === 0 ? {} : { references: Object.fromEntries(references) }),
      ...(entity.fromEnvironment.size === 0 ? {} : { secret: [...entity.fromEnvironment.keys()] }),
    });
  }
  return {
    entities,
    diagnostics: found.map(({ rule, severity, message, locations, entities: about }) => ({
      rule,
      severity,
      message,
      at: locations.map(({ file, line, column }) => `${file}:${line}:${column}`),
      ...(about.length === 0 ? {} : { about: about.map(({ kind, name }) => `${kind} ${name}`) }),
    })),
  };
}
