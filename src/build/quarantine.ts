import type { EntityName } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import { entityName } from '../model/entity.ts';
import type { Location } from '../model/location.ts';
import type { State } from '../model/state.ts';
import type { Schemas } from '../schema/schema.ts';
import { QuarantineChoice } from './quarantine-choice.ts';
import { exposedBy } from './quarantine-exposure.ts';
import { exposedRequests } from './quarantine-requests.ts';

/** Entities that are broken for one reason: one that is wrong by itself, or all that clash. */
export interface Blame {
  readonly why: string;
  readonly entities: readonly Entity[];
  /** Whether what is wrong is the name by which one of them is known. */
  readonly ofName?: boolean;
}

/** A file that cannot be read, or a part of one, so that what it declares is not known. */
export interface UnreadableFile {
  readonly file: string;
  readonly why: string;
  /** Which entities the part declares; all of the file where it is left out. */
  readonly covers?: (entity: Entity) => boolean;
}

/** An entity that is not as the revision has it. */
export interface LeftOut {
  readonly entity: EntityName;
  /** Where the revision has it; where the last good version was written when it has it no more. */
  readonly location: Location | null;
  readonly why: string;
  /** The broken entity that this one is out for; null where it is broken itself. */
  readonly cause: EntityName | null;
  /** Whether it goes on in its last good version; else it is not there at all. */
  readonly keptLastGood: boolean;
}

/** What remains of a state, or why nothing of it may go out. */
export type Quarantined =
  | { readonly state: State; readonly leftOut: readonly LeftOut[]; readonly refused: null }
  | { readonly state: null; readonly leftOut: readonly LeftOut[]; readonly refused: string };

/** Rounds of checking after which a state is given up: each one leaves out more. */
const roundLimit = 30;

/**
 * What remains of a state without its broken entities. These, and all that depends on them, are kept in their last good
 * version where that still holds in the new state, else left out; `recheck` says what is broken in what remains, until
 * nothing is. It fails closed: what a broken plugin protects is out together with it, and where it protects everything
 * the whole state is refused; so it is where the requests of a protected route would go to one that is less so, unless the
 * route that took them before can be kept instead. A file that cannot be read keeps all entities of its last good version; where there is
 * none, the state is refused. Pure, and the same whatever the order of what is broken.
 */
export function quarantine(
  state: State,
  broken: readonly Blame[],
  lastGood: State | null,
  recheck: (state: State) => readonly Blame[],
  unreadable: readonly UnreadableFile[] = [],
  router: Schemas['router'] = 'traditional_compatible',
): Quarantined {
  const unknown = withoutLastGood(state, lastGood, unreadable);
  if (unknown !== null) return { state: null, leftOut: [], refused: unknown };
  const choice = new QuarantineChoice(state, lastGood, unreadable);
  let found = broken;
  for (let round = 0; round < roundLimit; round += 1) {
    const stray = choice.blame(found);
    if (stray !== null) return { state: null, leftOut: choice.leftOut(), refused: stray };
    choice.settle();
    const unprotected = choice.unprotected();
    if (unprotected !== null) {
      const { name } = entityName(unprotected);
      const refused = `plugin "${name}" is for everything, is broken, and has no last good version`;
      return { state: null, leftOut: choice.leftOut(), refused };
    }
    const remaining = choice.state();
    found = recheck(remaining);
    if (found.length > 0) continue;
    const exposed = exposedRequests({
      before: lastGood,
      written: state,
      remaining,
      router,
      isSound: (route) => choice.isSound(route),
    });
    const kept = exposed.filter((one) => choice.keep(one));
    if (kept.length > 0) continue;
    const exposure = exposed[0] ?? (lastGood === null ? null : exposedBy(choice.lostRoutes(), lastGood, remaining));
    if (exposure !== null) {
      const { route, taker, missing } = exposure;
      const refused = `route "${route.name}" cannot be left out: its requests would reach route "${taker.name}", which lacks ${missing.join(', ')}`;
      return { state: null, leftOut: choice.leftOut(), refused };
    }
    return { state: remaining, leftOut: choice.leftOut(), refused: null };
  }
  const refused = `something new broke each of the ${roundLimit} times that more was left out`;
  return { state: null, leftOut: choice.leftOut(), refused };
}

/** Why a file that cannot be read has nothing to fall back on, or null. */
function withoutLastGood(state: State, lastGood: State | null, unreadable: readonly UnreadableFile[]): string | null {
  // Nothing else can stand in a part, and it may be new.
  const whole = unreadable.filter(({ covers }) => covers === undefined);
  const [first] = whole;
  if (first === undefined) return null;
  const known = new Set<string>();
  for (const list of lastGood?.entities.values() ?? []) {
    for (const { source } of list) if (source !== null) known.add(source.location.file);
  }
  const lost = whole.find(({ file }) => !known.has(file));
  if (lost !== undefined) return `${lost.file} cannot be read and has no last good version: ${lost.why}`;
  if (lastGood !== null && lastGood.selectTags.join() !== state.selectTags.join()) {
    return `${first.file} cannot be read, and without it other tags would bound what is owned`;
  }
  return null;
}
