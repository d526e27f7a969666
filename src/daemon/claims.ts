import type { Built } from '../build/built.ts';
import type { Claim } from '../config/claims.ts';
import type { Policy } from '../config/settings.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { KindName } from '../model/kind.ts';
import type { Location } from '../model/location.ts';

/** What a destination may change at its places, by the configuration. */
export interface LaneClaim {
  /** Each place as one text: the address with workspace or control plane. */
  readonly places: readonly string[];
  /** Whether it deletes what is not declared for it. */
  readonly prune: boolean;
  readonly excludeKinds: readonly KindName[];
  /** Entities with any of these tags are left as they are. */
  readonly leaves: readonly string[];
  /** The configuration file that has it; null where there is none. */
  readonly file: string | null;
}

/** A claim with what a revision makes of it: the tags that bound it, where files say them, and the kinds declared. */
export interface BuiltClaim extends LaneClaim {
  readonly name: string;
  readonly tags: readonly string[];
  readonly tagPlaces: readonly Location[];
  readonly kinds: ReadonlySet<KindName>;
}

/** The claim of a destination of the configuration. */
export function laneClaim(
  { places }: Claim,
  scope: { readonly excludeKinds: readonly KindName[]; readonly excludeTags: readonly string[] },
  policy: Pick<Policy, 'prune' | 'protect'>,
  file: string | null,
): LaneClaim {
  const leaves = [...scope.excludeTags, ...policy.protect];
  return { places, prune: policy.prune, excludeKinds: scope.excludeKinds, leaves, file };
}

/** What a revision makes of a destination's claim. */
export function builtClaim(name: string, claim: LaneClaim, { state, tagPlaces = [] }: Built): BuiltClaim {
  const kinds = new Set([...state.entities].flatMap(([kind, list]) => (list.length > 0 ? [kind] : [])));
  return { ...claim, name, tags: state.selectTags, tagPlaces, kinds };
}

/**
 * The destinations of one revision of which one would delete what another delivers, because all that the other's
 * entities carry is among what bounds its own: for each, the errors that name both.
 */
export function overlaps(claims: readonly BuiltClaim[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  for (const [index, one] of claims.entries()) {
    for (const other of claims.slice(index + 1)) {
      const place = contested(one, other);
      if (place === null) continue;
      const finding = overlap(one, other, place, [...one.tagPlaces, ...other.tagPlaces], other.name);
      for (const { name } of [one, other]) found.set(name, [...(found.get(name) ?? []), finding]);
    }
  }
  return found;
}

/**
 * The claims that one process makes, by all the repositories that it follows. What is in force keeps its place: of two
 * repositories, the one whose commit comes later is refused.
 */
export class Claims {
  readonly #inForce = new Map<string, { readonly owner: object; readonly claim: BuiltClaim }>();

  /**
   * Judges what one follower (`owner`) is about to offer, and takes note of what is not refused: for each destination that
   * is, why.
   */
  judge(owner: object, offered: readonly BuiltClaim[]): ReadonlyMap<string, readonly Diagnostic[]> {
    const refused = new Map(overlaps(offered));
    const names = new Set(offered.map(({ name }) => name));
    for (const claim of offered) {
      for (const { owner: holder, claim: held } of this.#inForce.values()) {
        // What is offered anew is judged as it is offered.
        const place = names.has(held.name) ? null : contested(claim, held);
        if (place === null) continue;
        const isElsewhere = holder !== owner;
        const whose = isElsewhere && held.file !== null ? `${held.name}" of "${held.file}` : held.name;
        const finding = overlap(claim, held, place, claim.tagPlaces, whose);
        refused.set(claim.name, [...(refused.get(claim.name) ?? []), finding]);
      }
    }
    for (const claim of offered) if (!refused.has(claim.name)) this.#inForce.set(claim.name, { owner, claim });
    return refused;
  }
}

/** The place at which one of two would delete what the other delivers, or null. */
function contested(one: BuiltClaim, other: BuiltClaim): string | null {
  const place = one.places.find((each) => other.places.includes(each));
  return place !== undefined && (undoes(one, other) || undoes(other, one)) ? place : null;
}

function undoes(one: BuiltClaim, other: BuiltClaim): boolean {
  return (
    one.prune &&
    one.tags.every((tag) => other.tags.includes(tag)) &&
    !one.leaves.some((tag) => other.tags.includes(tag)) &&
    [...other.kinds].some((kind) => !one.excludeKinds.includes(kind))
  );
}

function overlap(
  one: BuiltClaim,
  other: BuiltClaim,
  place: string,
  locations: readonly Location[],
  whose: string,
): Diagnostic {
  return {
    rule: 'overlapping-scope',
    severity: 'error',
    message: `The destinations "${one.name}" (${tagWords(one)}) and "${whose}" (${tagWords(other)}) both own what is at ${place}: each would undo what the other delivers.`,
    hint: 'Give each `tags`, or `select_tags` in its files, that the other does not have; or make one destination of them.',
    locations,
    entities: [],
  };
}

function tagWords({ tags }: BuiltClaim): string {
  return tags.length === 0 ? 'without tags' : `tags ${tags.map((tag) => `"${tag}"`).join(', ')}`;
}
