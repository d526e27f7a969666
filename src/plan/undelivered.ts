import type { Diagnostic } from '../model/diagnostic.ts';
import { describe, type Entity, type Reference } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import type { Unlisted } from '../model/live.ts';
import { fileLocation } from '../model/location.ts';
import { environmentMask } from '../model/mask.ts';
import type { State } from '../model/state.ts';

/** Why a declared entity cannot be delivered to a destination, though nothing in the settings leaves it out. */
export type Obstacle =
  /** The destination refuses to list the kind, so that nobody can know what is there. */
  | { readonly is: 'unlisted'; readonly by: Unlisted }
  /** The kind is not managed there. */
  | { readonly is: 'unmanaged'; readonly why: string }
  /** It depends on an entity of a kind that is not managed there. */
  | { readonly is: 'dependant'; readonly on: KindName }
  /** It names what neither the files nor the destination have. */
  | { readonly is: 'unknown-reference'; readonly reference: Reference };

/** A declared entity that would be missing, and why. */
export interface Undelivered {
  readonly entity: Entity;
  readonly obstacle: Obstacle;
}

/** The rule of what cannot be delivered for want of a permission: a matter of the destination, and of no revision. */
export const notListable = 'not-listable';

/**
 * Findings about declared entities that would be missing at a destination, one for each. With one of them nothing goes
 * out: a route without its declared authentication is worse than none.
 */
export function undeliveredDiagnostics(
  destination: string,
  undelivered: readonly Undelivered[],
  declared: State,
): readonly Diagnostic[] {
  const shown = environmentMask(declared);
  return undelivered.map(({ entity, obstacle }) => {
    const name = shown(entity.name);
    const [rule, message, hint] = wording(destination, { ...entity, name }, obstacle, shown);
    return {
      rule,
      severity: 'error',
      message,
      hint,
      locations: [entity.source?.location ?? fileLocation('(not in the files)')],
      entities: [{ kind: entity.kind, name }],
    };
  });
}

/**
 * How to leave an entity out on purpose. Never a word to leave out all plugins for the sake of one: those that
 * authenticate would go with it.
 */
function wayOut(kind: KindName): string {
  return kind === 'plugins'
    ? 'give it a tag that this destination does not get (exclude.tags)'
    : `leave the kind out of this destination on purpose: exclude.kinds: [${kind}]`;
}

type Wording = readonly [rule: string, message: string, hint: string];

function wording(destination: string, entity: Entity, obstacle: Obstacle, shown: (name: string) => string): Wording {
  const leaveOut = wayOut(entity.kind);
  const elsewhere = `Take it out of what this destination gets (include, exclude.files), or ${leaveOut}.`;
  switch (obstacle.is) {
    case 'unlisted': {
      const { status, url } = obstacle.by;
      const asked = `GET ${url} was answered with ${status}`;
      if (status === 403) {
        return [
          notListable,
          `${describe(entity)} cannot be delivered to ${destination}, which does not let this user list ${entity.kind}: ${asked}`,
          entity.kind === 'plugins'
            ? 'Let the user of this destination read and write plugins.'
            : `Let the user of this destination read and write ${entity.kind}; or ${leaveOut}.`,
        ];
      }
      return [
        'not-deliverable',
        `${describe(entity)} cannot be delivered to ${destination}, which has no ${entity.kind} to list: ${asked}`,
        elsewhere,
      ];
    }
    case 'unmanaged':
      return [
        'not-deliverable',
        `${describe(entity)} cannot be delivered to ${destination}: ${obstacle.why}`,
        elsewhere,
      ];
    case 'dependant':
      return [
        'not-deliverable',
        `${describe(entity)} cannot be delivered to ${destination}: it depends on a ${kinds[obstacle.on].label} that cannot be either`,
        // What hangs on a kind goes with it, and nothing else of its own kind does.
        `Take both out of what this destination gets (include, exclude.files), or ${wayOut(obstacle.on)}; what depends on it goes with it.`,
      ];
    case 'unknown-reference': {
      const { kind, identity } = obstacle.reference;
      return [
        'not-deliverable',
        `${describe(entity)} cannot be delivered to ${destination}: it names ${kinds[kind].label} "${shown(identity)}", which is neither declared for this destination nor found there`,
        `Declare the ${kinds[kind].label}, create it there first, or name it by its id; or ${leaveOut}.`,
      ];
    }
  }
}
