import type { Built } from '../build/built.ts';
import type { Destination } from '../destination/destination.ts';
import { assemble } from '../model/assemble.ts';
import type { State } from '../model/state.ts';
import type { BuildSchemas, Offer } from './offer.ts';
import type { Survey } from './survey.ts';

/** What judging a revision, and looking for its last good state, is done with. */
export interface Judging {
  readonly destination: Destination;
  /** What of an offer may be delivered. */
  readonly judge: (offer: Offer, schemas: BuildSchemas | null) => Built;
  /** Whether the last good state has to be known before what was judged may go out. */
  readonly lacks: (offer: Offer, judged: Built) => boolean;
  /** Finds the last good state. */
  readonly prepare: (offer: Offer, schemas: BuildSchemas, signal: AbortSignal) => Promise<void>;
}

/** How often more schemas are asked for: each time for what was taken in place of what was broken by the ones before. */
const roundLimit = 3;

/**
 * What of a revision may be delivered, with the last good versions of what is broken in it, judged with the destination's
 * schemas of these, too: nobody asked for those of a plugin that the revision and the live state have no more. Throws
 * Failure where the destination, or the repository, could not be asked.
 */
export async function withLastGood(
  world: Judging,
  offer: Offer,
  seen: Survey,
  signal: AbortSignal,
): Promise<Pick<Survey, 'built' | 'schemas'>> {
  let { built, schemas } = seen;
  if (built.quarantine === undefined) return { built, schemas };
  if (world.lacks(offer, built)) {
    const unknown = unknownPlugins(schemas);
    if (unknown !== null) schemas = await world.destination.schemas(unknown, signal);
    await world.prepare(offer, schemas, signal);
    built = world.judge(offer, schemas);
  }
  for (let round = 0; round < roundLimit; round += 1) {
    const known = await world.destination.schemas(built.state, signal);
    if (known === schemas) break;
    schemas = known;
    built = world.judge(offer, schemas);
  }
  return { built, schemas };
}

/** Something that uses every plugin which the destination lists and of which nothing is known; null where there is none. */
function unknownPlugins(schemas: BuildSchemas): State | null {
  const names = schemas.pluginNames.filter((name) => schemas.plugin(name) === undefined);
  if (names.length === 0) return null;
  const using = names.map((name) => ({
    kind: 'plugins' as const,
    id: null,
    fields: { name },
    references: [],
    made: {},
    fromEnvironment: new Map<string, string>(),
    source: null,
  }));
  return assemble(using, { workspace: null, selectTags: [] });
}
