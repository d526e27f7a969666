import type { Built } from '../../src/build/built.ts';
import type { Offer } from '../../src/lane/offer.ts';
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

/** What is the matter with a revision. `faulty`: its build throws the first time, as a fault of ours would. */
export type Flaw = 'none' | 'invalid' | 'objectionable' | 'refused' | 'faulty';

/** Every flaw. */
export const allFlaws: readonly Flaw[] = ['none', 'invalid', 'objectionable', 'refused', 'faulty'];

/** One revision as it is offered to the lanes of a simulation. */
export interface SimRevision {
  readonly generation: number;
  readonly revision: string;
  readonly content: Content;
  readonly flaw: Flaw;
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
      return revision.flaw === 'invalid' && schemas !== null ? invalid : valid;
    },
    declaredEarlier: async () => new Set(),
  };
}

/** A finding of some rule. */
export function finding(rule: string): Built['diagnostics'][number] {
  return { rule, severity: 'error', message: `found by ${rule}`, hint: '', locations: [], entities: [] };
}

/** Deletes of more than this many services, and of more than half of what is live, are held. */
const mayDelete = 1;

/** Plans over services alone: small, so that thousands of schedules take seconds. */
export const planServices: MakePlan = ({ built, live }) => {
  const before = contentOf(live.state);
  const after = contentOf(built.state);
  const changes: Change[] = [];
  const starts: string[] = [];
  for (const [name, value] of after) {
    const now = before.get(name);
    if (now === value) continue;
    changes.push(change(now === undefined ? 'create' : 'update', name));
    starts.push(`${name}:${now ?? ''}`);
  }
  for (const [name, value] of before) {
    if (after.has(name)) continue;
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
    unread: [],
  };
};

function change(action: Action, name: string): Change {
  return { action, kind: 'services', id: name, name, parent: null, fields: [], location: null };
}

/** The same for a destination that takes its state whole, so that there are no single writes. */
export const planWhole: MakePlan = (request) => ({ ...planServices(request), writes: [] });
