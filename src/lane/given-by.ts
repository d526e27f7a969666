/** Who steers a lane and why, in their own words: the API has one token for all, so that nothing of it is proven. */
export interface GivenBy {
  readonly who: string | null;
  readonly reason: string | null;
}

/** Nothing was said. */
export const unsaid: GivenBy = { who: null, reason: null };

/** Who and why in words, to follow what was done: ` by ann: incident 42`; empty where nothing was said. */
export function givenByWords({ who, reason }: GivenBy): string {
  return `${who === null ? '' : ` by ${who}`}${reason === null ? '' : `: ${reason}`}`;
}
