import { readDeck } from '../dialect/deck/read-deck.ts';
import { ObjectSource } from '../dialect/kubernetes/objects/object-source.ts';
import { isManifest } from '../dialect/kubernetes/objects/read-objects.ts';
import { readKubernetes } from '../dialect/kubernetes/read-kubernetes.ts';
import type { Document } from '../manifest/document.ts';
import { assemble } from '../model/assemble.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import { fromPointer, valueAt } from '../model/json.ts';
import { leaves } from '../model/secret.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { digestOf, type State } from '../model/state.ts';
import { textMask } from '../rules/mask.ts';
import { type RulesInput, runRules } from '../rules/run.ts';
import { isTextField } from '../schema/text-field.ts';
import { allowancesIn } from './allowances.ts';
import { bounded } from './bounded-words.ts';
import type { BuildSettings, Built } from './built.ts';
import { checkEdition } from './edition-checks.ts';
import { withEmptyVariables } from './empty-values.ts';
import { excludedProtection } from './excluded-protection.ts';
import { kubernetesOptions } from './kubernetes.ts';
import { narrow, notNarrowed } from './narrow.ts';
import { withoutNamed } from './quarantine-named.ts';
import { isForAnyKong, type ReadDocuments, readDocuments, valuesStandIn } from './read-documents.ts';
import { checkScope } from './scope-checks.ts';
import { withoutTextNumbers } from './text-numbers.ts';
import { unfitValues } from './unfit-values.ts';
import { withoutUnresolved, withoutUnshared } from './unresolved-values.ts';
import { unusedIncludes } from './unused-includes.ts';

/**
 * Builds a snapshot to the target state of one destination, or of none in particular, and checks all of it. Never
 * throws for what the files hold: whatever is wrong with them is in the diagnostics, all of it at once. Equal input
 * gives equal output, whatever the order of files.
 */
export function build(snapshot: Snapshot, settings: BuildSettings): Built {
  const { scope } = settings;
  const read = readDocuments(snapshot, settings);
  const [kubernetes, deck] = partition(read.documents, isManifest);
  const reading = readDeck(deck, {
    forAnyKong: isForAnyKong(settings),
    valuesStandIn: valuesStandIn(settings),
    wantsText: (kind, fields, path) => isTextField(settings.schemas, kind, fields, path),
  });
  const { info } = reading;
  const manifests = readKubernetes(kubernetes, kubernetesOptions(settings));
  const raw = [...reading.raw, ...manifests.raw];
  const narrowed = scope === null ? notNarrowed(raw) : narrow(raw, scope);
  const selectTags = [...new Set([...info.selectTags.map((tag) => tag.value), ...(scope?.tags ?? [])])].sort();
  const whole = assemble(narrowed.raw, {
    workspace: scope === null ? (info.workspace?.value ?? null) : scope.workspace,
    selectTags,
  });
  const remaining = withoutNamed(whole, settings.quarantine ?? []);
  const { state } = remaining;
  const comments = allowancesIn(snapshot, read.documents);
  const readFindings = withoutTextNumbers(read.diagnostics, reading.asTexts);
  const before = [
    ...readFindings,
    ...withoutUnresolved(reading.diagnostics, readFindings),
    ...comments.diagnostics,
    ...(scope === null ? [] : [...checkScope(info, scope), ...unusedIncludes(snapshot, scope)]),
    ...(scope === null ? [] : excludedProtection(raw, narrowed.leftOut.entities, scope)),
    ...checkEdition(info, settings),
    ...manifests.blame(state),
    ...remaining.diagnostics,
  ];
  const judging: Omit<RulesInput, 'state'> = {
    schemas: settings.schemas,
    valuesStandIn: valuesStandIn(settings),
    standsAlone: scope === null && isForAnyKong(settings),
    ownsAll: selectTags.length === 0,
    external: new Set([...narrowed.external, ...info.lookupTags.keys()]),
    leftOut: { ...narrowed.leftOut, kinds: new Set([...narrowed.leftOut.kinds, ...info.lookupTags.keys()]) },
    mode: settings.mode ?? scope?.mode ?? null,
    instant: settings.instant,
    allowances: comments.allowances,
    overrides: settings.rules,
  };
  const recheck = (checked: State) => runRules({ ...judging, state: checked });
  const found = withoutUnshared(withoutUnresolved(recheck(state), readFindings), reading.diagnostics);
  const ofUnused = new Set(['plugin-config', 'unknown-plugin', 'unknown-field', 'entity-schema']);
  const unusedState = assemble(manifests.unused, { workspace: null, selectTags: [] });
  const unused = runRules({ ...judging, state: unusedState, allowances: [] }).filter(({ rule }) => ofUnused.has(rule));
  const isJudgedWithoutValues = isForAnyKong(settings) && settings.standIns !== true;
  const unfit = isJudgedWithoutValues
    ? unfitValues(state, found, () => runRules({ ...judging, state, valuesStandIn: false }))
    : [];
  const isPartial =
    hasErrors(readFindings) || reading.diagnostics.some(losesEntities) || hasErrors(manifests.diagnostics);
  const all = [
    ...overridden([...before, ...nothingDeclared(state, before)], settings),
    ...(isPartial ? found.map(withoutBlame) : found),
    ...unfit,
    ...unused.map(withoutEffect),
  ];
  const diagnostics = sortDiagnostics(
    withEmptyVariables(withoutBrought(all, read.documents), read.documents).map(bounded),
  );
  const valid = !hasErrors(diagnostics);
  return {
    revision: snapshot.revision,
    state,
    digest: valid ? digestOf(state) : null,
    header: {
      workspace: scope === null ? (info.workspace?.value ?? null) : scope.workspace,
      controlPlane: scope === null ? (info.controlPlane?.value ?? null) : scope.controlPlane,
      lookupTags: info.lookupTags,
    },
    unfit,
    objects: manifests.statuses(state, all),
    partOf: (diagnostic) => manifests.partOf(diagnostic) ?? partOfBuilt(diagnostic),
    tagPlaces: info.selectTags.map(({ location }) => location),
    files: filesRead(read),
    entries: snapshot.entries,
    rebuild: (entries) => build({ ...snapshot, entries }, settings),
    diagnostics,
    valid,
    router: settings.schemas.router,
    recheck,
  };
}

/** Findings without what the environment brought: keys, and values that stand outside of entities. */
function withoutBrought(diagnostics: readonly Diagnostic[], documents: readonly Document[]): readonly Diagnostic[] {
  const texts = new Set<string>();
  for (const { value, fromEnvironment, environmentKeys, environmentTexts } of documents) {
    for (const key of environmentKeys ?? []) texts.add(key);
    for (const text of environmentTexts?.values() ?? []) texts.add(text);
    for (const pointer of fromEnvironment.keys()) {
      for (const text of leaves(valueAt(value, fromPointer(pointer)))) texts.add(text);
    }
  }
  if (texts.size === 0) return diagnostics;
  const mask = textMask(texts);
  return diagnostics.map((one) => {
    const [message, hint] = [mask(one.message), mask(one.hint)];
    // Others know a finding by its identity.
    return message === one.message && hint === one.hint ? one : { ...one, message, hint };
  });
}

/** The files that were read, or tried. */
function filesRead({ documents, diagnostics }: ReadDocuments): ReadonlySet<string> {
  return new Set([
    ...documents.map(({ file }) => file),
    ...diagnostics.flatMap(({ locations }) => locations.map(({ file }) => file)),
  ]);
}

function nothingDeclared(state: State, before: readonly Diagnostic[]): readonly Diagnostic[] {
  if (state.entities.size > 0 || hasErrors(before)) return [];
  const message = 'The files declare nothing, so everything that is in scope would be deleted.';
  const hint = 'Check the path, and what include, exclude and ignore leave out.';
  return [{ rule: 'nothing-declared', severity: 'warning', message, hint, locations: [], entities: [] }];
}

/**
 * What a folder that cannot be built declares is not known, nor from which files: all that manifests made before may be
 * a part of it. Undefined for other findings.
 */
function partOfBuilt({ rule, severity, locations }: Diagnostic): ((entity: Entity) => boolean) | undefined {
  if (rule !== 'kustomize' || severity !== 'error' || locations.length === 0) return undefined;
  return ({ source }) => source instanceof ObjectSource;
}

/** Whether a finding of the dialect means that entities were left out that the files meant to declare. */
function losesEntities({ rule, severity }: Diagnostic): boolean {
  return severity === 'error' && (rule === 'wrong-shape' || rule === 'misplaced-list' || rule === 'unknown-key');
}

/** What cannot be found may stand in what could not be read, which is the error to put right first. */
function withoutBlame(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.rule !== 'missing-reference' || diagnostic.severity !== 'error') return diagnostic;
  const hint = `${diagnostic.hint} It may stand in what could not be read.`;
  return { ...diagnostic, severity: 'warning', hint };
}

/** What is wrong with something that nothing uses keeps nothing from going out. */
function withoutEffect(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.severity === 'error' ? { ...diagnostic, severity: 'warning', entities: [] } : diagnostic;
}

/** Findings with the severities that the configuration gives. What cannot be read stays an error, whatever it says. */
function overridden(diagnostics: readonly Diagnostic[], settings: BuildSettings): readonly Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const severity = Object.hasOwn(settings.rules, diagnostic.rule) ? settings.rules[diagnostic.rule] : undefined;
    if (severity === undefined || diagnostic.severity === 'error') return [diagnostic];
    return severity === 'off' ? [] : [{ ...diagnostic, severity }];
  });
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
