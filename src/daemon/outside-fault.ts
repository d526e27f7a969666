import type { Built, Scope } from '../build/built.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { fromPointer } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { allEntities, type State } from '../model/state.ts';
import type { Schemas } from '../schema/schema.ts';
import type { BuildsWorld } from './builds.ts';

/** What makes a revision invalid that may well have been valid in another process: it is not in the files. */
export interface OutsideFault {
  /** Nothing else is wrong with it. */
  readonly alone: boolean;
  /** It is only what is assumed of Kong, which the destination itself answers once it is asked. */
  readonly assumed: boolean;
  /** In sentences for people: which variables are missing, say. No value of any. */
  readonly words: string;
}

/** So many findings are told. */
const mostTold = 3;

/** What only a setting decides is told with its name in the hint; what contradicts a destination, under this rule. */
const isAssumed = ({ hint }: Diagnostic) => /\bkong\.(edition|version)\b/.test(hint);
const ofSettings = (error: Diagnostic) => error.rule === 'scope-mismatch' || isAssumed(error);

/**
 * What makes a revision invalid that is not in its files, but in the environment (a variable that is not set, or holds
 * what fits nowhere) or in the settings (the edition of Kong); null where there is no such thing. The files are judged
 * once more with other values in the place of those of the environment: what is not found then was never in them.
 */
export function outsideFault(
  world: BuildsWorld,
  { snapshot, scope, built }: { readonly snapshot: Snapshot; readonly scope: Scope | null; readonly built: Built },
  schemas: Schemas | null = null,
): OutsideFault | null {
  if (built.valid) return null;
  const errors = errorsOf(built);
  const settings = { ...world.settings, scope, schemas: schemas ?? world.assumed, instant: world.now() };
  const inFiles = new Set(errorsOf(world.build(snapshot, { ...settings, standIns: true })).map(keyOf));
  const vanished = errors.filter((error) => !inFiles.has(keyOf(error)));
  // What could not be resolved may have taken any other finding along.
  const isUnresolved = vanished.some(({ rule }) => rule.startsWith('template-'));
  const places = fromEnvironment(built.state);
  const outside = errors.filter(
    (error) =>
      ofSettings(error) ||
      (vanished.includes(error) && (isUnresolved || error.locations.every((place) => places.has(placeKey(place))))),
  );
  if (outside.length === 0) return null;
  const first = outside.filter(({ rule }) => rule.startsWith('template-'));
  const messages = [...new Set((first.length > 0 ? first : outside).map(({ message }) => message))];
  const more = messages.length > mostTold ? ` (and ${messages.length - mostTold} more)` : '';
  const words = `${messages.slice(0, mostTold).join(' ').replace(/\.$/, '')}${more}`;
  return { alone: outside.length === errors.length, assumed: outside.every(isAssumed), words };
}

function errorsOf({ diagnostics }: Built): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}

/** Where values of the environment stand. */
function fromEnvironment(state: State): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { source, fromEnvironment: pointers } of allEntities(state)) {
    if (source === null) continue;
    for (const [pointer, origin] of pointers) {
      if (isVariable(origin)) places.add(placeKey(source.at(fromPointer(pointer))));
    }
  }
  return places;
}

/** What comes from a Secret of the repository is called by words, and is in the files. */
function isVariable(origin: string): boolean {
  return /^\w+(, ?\w+)*$/.test(origin);
}

/**
 * Whether nothing older may be put in the place of a revision for what is not in its files. With quarantine every part is
 * taken from where it was good last, so that one such part is enough; but what is only assumed of a destination is
 * not, since its lane goes by what the destination says itself.
 */
export function leavesAsItIs(outside: OutsideFault, onInvalid: 'reject' | 'quarantine'): boolean {
  return onInvalid === 'quarantine' ? !outside.assumed : outside.alone;
}

/** The message may hold what the environment brought. */
function keyOf({ rule, locations: [first] }: Diagnostic): string {
  return `${rule} ${first === undefined ? '' : placeKey(first)}`;
}

function placeKey({ file, line, column }: Location): string {
  return `${line}:${column} ${file}`;
}
