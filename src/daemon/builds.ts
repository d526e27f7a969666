import type { Build, BuildSettings, Built, Scope } from '../build/built.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Schemas } from '../schema/schema.ts';

/** What all builds of a process have in common. */
export interface BuildsWorld {
  readonly build: Build;
  /** Everything but what a single build varies. */
  readonly settings: Omit<BuildSettings, 'scope' | 'schemas' | 'instant'>;
  /** The schemas that the configuration assumes. */
  readonly assumed: Schemas;
  /** Now, in milliseconds since 1970. */
  readonly now: () => number;
}

/** How long a build is taken for the same: what depends on the instant (a certificate's expiry) is looked at again after it. */
const freshMs = 60 * 60_000;

/** All builds of a process, for a destination of which something else is assumed. */
export function buildsFor(builds: BuildsWorld, { assumed }: { readonly assumed?: Schemas }): BuildsWorld {
  return assumed === undefined || assumed === builds.assumed ? builds : { ...builds, assumed };
}

/** A function that builds one revision for one destination, and builds nothing twice. */
export type RevisionBuild = (schemas: Schemas | null) => Built;

/** Makes the build of a snapshot for a scope. Its results are kept by the schemas that they were made with. */
export function revisionBuild(world: BuildsWorld, snapshot: Snapshot, scope: Scope | null): RevisionBuild {
  const known = new Map<Schemas, { readonly built: Built; readonly at: number }>();
  return (schemas) => {
    const used = schemas ?? world.assumed;
    const at = world.now();
    const before = known.get(used);
    if (before !== undefined && at - before.at < freshMs) return before.built;
    const built = world.build(snapshot, { ...world.settings, scope, schemas: used, instant: at });
    // A destination's schemas replace each other as it is upgraded; those of the configuration are the one other entry.
    for (const key of known.keys()) if (key !== world.assumed) known.delete(key);
    known.set(used, { built, at });
    return built;
  };
}
