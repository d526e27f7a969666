import type { Identified } from '../../destination/destination.ts';
import type { Entity } from '../../model/entity.ts';
import type { Live } from '../../model/live.ts';
import { allEntities, stateOf } from '../../model/state.ts';
import type { FailureFacts } from '../../platform/failure.ts';
import type { LogFields } from '../../platform/log.ts';
import { type PlainSchemas, plainSchemas } from '../../schema/plain-schemas.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { MadeReview, ReviewJob, ReviewSetup, Seen } from './review-maker.ts';

/** What is sent to the thread of the reviews. `id` comes back with the answer. */
export type ToThread =
  | { readonly do: 'open'; readonly setup: ReviewSetup }
  /** Schemas, under a number of their own; the same number is the same schemas. */
  | { readonly do: 'schemas'; readonly number: number; readonly plain: PlainSchemas }
  /** What follows is what was seen of a destination, in parts: one part at a time keeps nobody waiting. */
  | { readonly do: 'see'; readonly id: number; readonly destination: string; readonly head: SeenHead }
  | { readonly do: 'part'; readonly id: number; readonly part: SeenPart }
  | { readonly do: 'seen'; readonly id: number }
  | { readonly do: 'make'; readonly id: number; readonly job: ReviewJob };

/** What the thread of the reviews sends back. */
export type FromThread =
  | { readonly is: 'digest'; readonly id: number; readonly digest: string }
  | { readonly is: 'made'; readonly id: number; readonly made: MadeReview }
  | { readonly is: 'failed'; readonly id: number; readonly facts: FailureFacts }
  /** A fault of ours. */
  | { readonly is: 'fault'; readonly id: number; readonly stack: string }
  | {
      readonly is: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: LogFields;
      readonly message: string;
    };

/** A part of what is long. */
export type SeenPart =
  | { readonly of: 'live' | 'inForce'; readonly entities: readonly Entity[] }
  | { readonly of: 'declared'; readonly names: readonly string[] };

/** What was seen of a destination, but for what is long. */
export interface SeenHead {
  readonly identified: Identified;
  readonly live: Omit<Live, 'state'>;
  readonly selectTags: readonly string[];
  readonly schemas: number;
  /** Null where nothing is in force as yet; else its tags. */
  readonly inForceTags: readonly string[] | null;
}

/** So many entities, or names, are sent at once: copying them takes a few milliseconds. */
const partSize = 400;

/** What was seen as the messages that tell it, one at a time. `schemas` is their number. */
export function* seenMessages(id: number, destination: string, seen: Seen, schemas: number): Generator<ToThread> {
  const { read, declared, inForce } = seen;
  const { state, ...live } = read.live;
  const head: SeenHead = {
    identified: read.identified,
    live,
    selectTags: state.selectTags,
    schemas,
    inForceTags: inForce?.selectTags ?? null,
  };
  yield { do: 'see', id, destination, head };
  for (const entities of partsOf(allEntities(state)))
    yield { do: 'part', id, part: { of: 'live', entities: entities.map(plain) } };
  // Of what is in force a review needs to know what came from the environment, and nothing else.
  const concerned =
    inForce === null ? [] : allEntities(inForce).filter(({ fromEnvironment }) => fromEnvironment.size > 0);
  for (const entities of partsOf(concerned))
    yield { do: 'part', id, part: { of: 'inForce', entities: entities.map(plain) } };
  for (const names of partsOf([...declared])) yield { do: 'part', id, part: { of: 'declared', names } };
  yield { do: 'seen', id };
}

/** Schemas as a plain value, with those of the names that a destination uses. */
export function plainFor(schemas: Schemas, { state }: Live): PlainSchemas {
  const named = (kind: 'plugins' | 'vaults' | 'partials', field: string) =>
    (state.entities.get(kind) ?? []).flatMap(({ fields }) => {
      const name = fields[field];
      return typeof name === 'string' ? [name] : [];
    });
  return plainSchemas(schemas, {
    plugins: named('plugins', 'name'),
    vaults: named('vaults', 'name'),
    partials: named('partials', 'type'),
  });
}

/** Puts what was seen together again. */
export class SeenParts {
  readonly destination: string;
  readonly #head: SeenHead;
  readonly #live: Entity[] = [];
  readonly #inForce: Entity[] = [];
  readonly #declared = new Set<string>();

  constructor(destination: string, head: SeenHead) {
    this.destination = destination;
    this.#head = head;
  }

  add(part: SeenPart): void {
    switch (part.of) {
      case 'live':
        for (const entity of part.entities) this.#live.push(entity);
        break;
      case 'inForce':
        for (const entity of part.entities) this.#inForce.push(entity);
        break;
      case 'declared':
        for (const name of part.names) this.#declared.add(name);
    }
  }

  seen(schemas: Schemas): Seen {
    const { identified, live, selectTags, inForceTags } = this.#head;
    return {
      read: { identified, live: { ...live, state: stateOf(this.#live, selectTags) }, schemas },
      declared: this.#declared,
      inForce: inForceTags === null ? null : stateOf(this.#inForce, inForceTags),
    };
  }

  /** The number of its schemas. */
  get schemas(): number {
    return this.#head.schemas;
  }
}

/** An entity without what cannot be sent: where it was written, which a review does not ask for. */
function plain(entity: Entity): Entity {
  return entity.source === null ? entity : { ...entity, source: null };
}

function* partsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += partSize) yield all.slice(at, at + partSize);
}
