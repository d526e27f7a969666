import type { Built } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import type { LastGood, Offer } from '../../src/lane/offer.ts';
import type { MakePlan } from '../../src/lane/survey.ts';
import type { Entity } from '../../src/model/entity.ts';
import { type State, stateOf } from '../../src/model/state.ts';
import type { Action, Change, Hold } from '../../src/plan/plan.ts';
import type { Schemas } from '../../src/schema/schema.ts';

/** What a simulated destination holds: the names of services and a value each. */
export type Content = ReadonlyMap<string, string>;

/** A value that a simulated destination refuses to be given. */
export const refusedValue = 'refused';

/** A value that the check before the writing objects to. */
export const objectionable = 'objectionable';

/** A value that is delivered, and with which nothing works. */
export const unhealthyValue = 'unhealthy';

/** A value that the rules find to be broken. */
export const brokenValue = 'broken';

/**
 * What is the matter with a revision. `invalid`: all of it; `broken`: some of its services; `faulty`: its build throws
 * the first time, as a fault of ours would.
 */
export type Flaw = 'none' | 'invalid' | 'broken' | 'objectionable' | 'refused' | 'faulty' | 'unhealthy';

/** Every flaw. */
export const allFlaws: readonly Flaw[] = [
  'none',
  'invalid',
  'broken',
  'objectionable',
  'refused',
  'faulty',
  'unhealthy',
];

/** One revision as it is offered to the lanes of a simulation. */
export interface SimRevision {
  readonly generation: number;
  readonly revision: string;
  readonly content: Content;
  readonly flaw: Flaw;
  /** What its commit says of holds, and what is known of it from before; nothing where they are left out. */
  readonly commit?: Offer['commit'];
  readonly earlier?: Offer['earlier'];
  /** Why it may not go out any more; it always may where it is left out. */
  readonly refusal?: Offer['refusal'];
}

/** Contents as text: equal exactly where they are the same. */
export function textOf(content: Content): string {
  return [...content]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(' ');
}

/** A state with one service for each name. */
export function stateFrom(content: Content): State {
  return stateOf([...content].map(([name, value]) => service(name, value)));
}

/** The content of a state that `stateFrom` made. */
export function contentOf(state: State): Content {
  const services = state.entities.get('services') ?? [];
  return new Map(services.map((entity) => [entity.name, String(entity.fields['host'])]));
}

function service(name: string, value: string): Entity {
  return {
    kind: 'services',
    id: name,
    idGiven: true,
    identity: name,
    name,
    fields: { host: value },
    references: [],
    made: {},
    fromEnvironment: new Map(),
    source: null,
  };
}

/** Schemas that nothing is asked of. */
export const noSchemas: Schemas = {
  version: '3.9',
  edition: 'oss',
  router: 'traditional_compatible',
  entity: () => undefined,
  plugin: () => undefined,
  vault: () => undefined,
  partial: () => undefined,
  pluginNames: [],
};

/** A revision as a lane takes it. Each offer has a state of its own, so that a delivery tells which it came from. */
export function offerOf(revision: SimRevision): Offer {
  const state = stateFrom(revision.content);
  const valid: Built = {
    revision: revision.revision,
    state,
    digest: textOf(revision.content),
    diagnostics: [],
    valid: true,
  };
  const invalid: Built = { ...valid, digest: null, valid: false, diagnostics: [finding('unknown-field')] };
  const found = brokenIn(state);
  const broken: Built = { ...valid, digest: null, valid: false, diagnostics: found, recheck: brokenIn };
  let faults = revision.flaw === 'faulty' ? 1 : 0;
  return {
    generation: revision.generation,
    revision: revision.revision,
    build: (schemas) => {
      if (faults > 0 && schemas !== null) {
        faults -= 1;
        throw new TypeError('a planted fault of ours');
      }
      // What only the destination's own schemas know is found when it is built with them.
      if (revision.flaw === 'invalid' && schemas !== null) return invalid;
      return found.length > 0 ? broken : valid;
    },
    declaredEarlier: async () => new Set(),
    ...(revision.commit === undefined ? {} : { commit: revision.commit }),
    ...(revision.earlier === undefined ? {} : { earlier: revision.earlier }),
    ...(revision.refusal === undefined ? {} : { refusal: revision.refusal }),
  };
}

/** What the rules find in a state. */
function brokenIn(state: State): Built['diagnostics'] {
  return [...contentOf(state)].flatMap(([name, value]) => (value === brokenValue ? [finding('broken', name)] : []));
}

/** The newest of earlier revisions, given newest first, that is good: with quarantine, what is good of it. */
export function lastGoodOf(
  earlier: readonly SimRevision[],
  onInvalid: 'reject' | 'quarantine',
  passedOver: ReadonlySet<string>,
): LastGood | null {
  let good: LastGood | null = null;
  for (const revision of earlier.toReversed()) {
    if (passedOver.has(revision.revision) || revision.flaw === 'invalid') continue;
    const built = offerOf({ ...revision, flaw: 'none' }).build(null);
    const before: State | null = good === null ? null : good.build(null).state;
    const made = built.valid ? built : { ...quarantined(built, before), valid: true, diagnostics: [] };
    if (built.valid || onInvalid === 'quarantine') good = { revision: revision.revision, build: () => made };
  }
  return good;
}

/** What has to be in place of a revision where what is broken in it, or refused, is in quarantine. */
export function goodContent(revision: SimRevision, earlier: readonly SimRevision[]): Content {
  const [last, ...older] = earlier;
  const before: Content = last === undefined ? new Map() : goodContent(last, older);
  if (revision.flaw === 'invalid') return before;
  return new Map(
    [...revision.content].flatMap(([name, value]) => {
      if (![brokenValue, refusedValue, objectionable].includes(value)) return [[name, value] as const];
      const old = before.get(name);
      return old === undefined ? [] : [[name, old] as const];
    }),
  );
}

/** A finding of some rule, about all or about one service. */
export function finding(rule: string, name?: string): Built['diagnostics'][number] {
  const entities = name === undefined ? [] : [{ kind: 'services' as const, name }];
  return { rule, severity: 'error', message: `found by ${rule}`, hint: '', locations: [], entities };
}

/** Deletes of more than this many services, and of more than half of what is live, are held. */
const mayDelete = 1;

/** Plans over services alone: small, so that thousands of schedules take seconds. */
export const planServices: MakePlan = ({ built, live, leave = new Set() }) => {
  const before = contentOf(live.state);
  const after = contentOf(built.state);
  const changes: Change[] = [];
  const left: Change[] = [];
  const starts: string[] = [];
  for (const [name, value] of after) {
    const now = before.get(name);
    if (now === value) continue;
    if (now !== undefined && leave.has(`services/${name}`)) {
      left.push(change('update', name));
      continue;
    }
    changes.push(change(now === undefined ? 'create' : 'update', name));
    starts.push(`${name}:${now ?? ''}`);
  }
  for (const [name, value] of before) {
    if (after.has(name)) continue;
    if (leave.has(`services/${name}`)) {
      left.push(change('delete', name));
      continue;
    }
    changes.push(change('delete', name));
    starts.push(`${name}:${value}:delete`);
  }
  const count = (action: Action) => changes.filter((one) => one.action === action).length;
  const deletes = count('delete');
  const held: Hold | null =
    deletes > mayDelete && deletes * 2 > before.size
      ? { code: 'mass-delete', message: `${deletes} would be deleted`, hint: 'approve it' }
      : null;
  return {
    plan: {
      destination: 'simulated',
      revision: built.revision,
      digest: built.digest ?? '',
      fingerprint: `${built.digest ?? ''} from ${starts.join(',')}`,
      summary: {
        create: count('create'),
        update: count('update'),
        delete: deletes,
        unchanged: after.size - count('create') - count('update'),
      },
      changes,
      warnings: [],
      held,
    },
    writes: changes.map((one, index) => ({
      change: index,
      covers: [],
      action: one.action,
      kind: 'services',
      id: one.id,
      body: one.action === 'delete' ? null : { host: after.get(one.id) ?? '' },
      parentId: null,
      after: [],
    })),
    left,
    unread: [],
  };
};

function change(action: Action, name: string): Change {
  return { action, kind: 'services', id: name, name, parent: null, fields: [], location: null };
}

/** The same for a destination that takes its state whole, so that there are no single writes. */
export const planWhole: MakePlan = (request) => ({ ...planServices(request), writes: [] });

/** Whether to get from one content to another takes a person's approval. */
export function heldBetween(from: Content, to: Content): boolean {
  const state = stateFrom(to);
  const live = { state: stateFrom(from), notManaged: new Map(), nodes: [], readAt: 0 };
  const built = { revision: null, state, digest: textOf(contentOf(state)), diagnostics: [], valid: true };
  const identified = {
    description: '',
    version: null,
    edition: 'oss',
    router: 'traditional',
    mode: 'database',
  } as const;
  const request = { built, live, identified, declaredEarlier: new Set<string>() };
  return planServices({ ...request, schemas: noSchemas }).plan.held !== null;
}

/** The content that `textOf` wrote. */
export function contentFrom(text: string): Content {
  return new Map(text.split(' ').flatMap((part) => (part === '' ? [] : [part.split('=') as [string, string]])));
}
