import type { SimEvent } from './events.ts';

/** What was offered in a run: which revision a generation is, and what it holds. */
export interface Past {
  readonly contentOf: (revision: string | null) => string | null;
  /** What has to be in place of it where broken parts are in quarantine. */
  readonly goodOf: (revision: string | null) => string | null;
  /** Whether this is what a revision holds, or what is good of it. */
  readonly isOf: (revision: string | null, content: string) => boolean;
  readonly revisionOf: (generation: number) => string | null;
}

/** Gathers what the events say of the offers. */
export function pastOf(events: readonly SimEvent[]): Past {
  const contents = new Map<string, string>();
  const good = new Map<string, string>();
  const revisions = new Map<number, string>();
  for (const event of events) {
    if (event.type !== 'published') continue;
    contents.set(event.revision, event.content);
    good.set(event.revision, event.good);
    revisions.set(event.generation, event.revision);
  }
  return {
    contentOf: (revision) => (revision === null ? null : (contents.get(revision) ?? null)),
    goodOf: (revision) => (revision === null ? null : (good.get(revision) ?? null)),
    isOf: (revision, content) =>
      revision !== null && (contents.get(revision) === content || good.get(revision) === content),
    revisionOf: (generation) => revisions.get(generation) ?? null,
  };
}
