import type { Built, Scope } from '../build/built.ts';
import type { Repository } from '../git/repository.ts';
import { declaredName } from '../lane/offer.ts';
import { allEntities } from '../model/state.ts';
import { type BuildsWorld, type RevisionBuild, revisionBuild } from './builds.ts';

/** A revision of the branch's past, built. */
export interface PastRevision {
  readonly revision: string;
  readonly build: RevisionBuild;
  readonly built: Built;
}

/** How many ancestors are asked for at a time (DESIGN.md 7). */
const step = 50;

/** The first-parent ancestors of a revision, newest first, each built for one scope; unreadable ones are passed over. */
export async function* past(
  repository: Repository,
  builds: BuildsWorld,
  aim: { readonly revision: string; readonly scope: Scope; readonly history: number },
  signal: AbortSignal,
): AsyncGenerator<PastRevision> {
  let seen = 0;
  while (seen < aim.history) {
    const limit = Math.min(aim.history, seen + step);
    const ancestors = await repository.ancestors(aim.revision, limit, signal);
    const next = ancestors.slice(seen);
    if (next.length === 0) return;
    for (const revision of next) {
      signal.throwIfAborted();
      await repository.fetch(revision, signal);
      const build = revisionBuild(builds, await repository.read(revision, signal), aim.scope);
      yield { revision, build, built: build(null) };
    }
    seen = ancestors.length;
  }
}

/** Which of the wanted entities an ancestor of the revision declared. */
export async function declaredInPast(
  repository: Repository,
  builds: BuildsWorld,
  aim: { readonly revision: string; readonly scope: Scope; readonly history: number },
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (wanted.size === 0) return found;
  for await (const { built } of past(repository, builds, aim, signal)) {
    for (const entity of allEntities(built.state)) {
      const name = declaredName(entity.kind, entity.identity);
      if (wanted.has(name)) found.add(name);
    }
    if (found.size === wanted.size) break;
  }
  return found;
}
