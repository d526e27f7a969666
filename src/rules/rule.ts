import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import type { State } from '../model/state.ts';
import type { Schemas } from '../schema/schema.ts';

/** A Kong with a database, one without (fed by `POST /config`), or a Konnect control plane, whose nodes have none. */
export type DestinationMode = 'database' | 'dbless' | 'konnect';

/** What a rule may look at besides the entity in hand. Indexes are made once a run and shared by the rules. */
export interface RuleContext {
  readonly state: State;
  readonly schemas: Schemas;
  /** False where tags bound what is owned, so that a reference by id may name something of others. */
  readonly ownsAll: boolean;
  /** Whether the files are judged for no destination and no Kong in particular, so that they may be a part of a whole. */
  readonly standsAlone: boolean;
  /** Whether other values may stand for those of the environment, so that nothing is said about these. */
  readonly valuesStandIn: boolean;
  /** Kinds of which others own entities that these may name (lookup tags, what a destination leaves out). */
  readonly external: ReadonlySet<KindName>;
  /** What the files declare, or may, and this destination is not given. */
  readonly leftOut: LeftOutHere;
  /** How the destination keeps its configuration; null where that is not known. */
  readonly mode: DestinationMode | null;
  /** The instant at which certificates are judged, in milliseconds since 1970. */
  readonly instant: number;
  /** A value computed once per run, whichever rule asks first. */
  readonly memo: <T>(key: string, make: () => T) => T;
}

/** What a destination is not given of what the files declare. */
export interface LeftOutHere {
  /** Kinds that are left out as such, or looked up at the destination, so that others may have any of them. */
  readonly kinds: ReadonlySet<KindName>;
  /** The entities that are left out. */
  readonly entities: readonly Pick<Entity, 'kind' | 'fields'>[];
}

/**
 * What a rule found: a diagnostic without the name, which the runner adds, and with a severity only where it is not the
 * rule's own.
 */
export type Finding = Omit<Diagnostic, 'rule' | 'severity'> & { readonly severity?: Severity };

/**
 * A check of one entity against the whole state. It may read everything and reports on the entity in hand; the order
 * of rules and of entities never matters; a clash is reported once, on the entity written last, with all its objects.
 */
export interface Rule {
  /** Kebab-case; never changes meaning. */
  readonly name: string;
  readonly severity: Severity;
  /** The name by which the configuration sets severities of several rules at once. */
  readonly group?: 'security';
  /** Whether it runs only where the configuration gives it a severity. */
  readonly onRequest?: boolean;
  /** One sentence. */
  readonly summary: string;
  /** The documentation page, in Markdown: what, why, bad example, good example, fix. */
  readonly documentation: string;
  /** The kinds it looks at, or `all`. */
  readonly kinds: readonly KindName[] | 'all';
  readonly check: (entity: Entity, context: RuleContext) => readonly Finding[];
}
