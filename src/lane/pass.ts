import { type Built, isDeliverable } from '../build/built.ts';
import type { Confirmation, Identified, Outcome } from '../destination/destination.ts';
import { declaredName, declaredNames } from '../model/declared-names.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { State } from '../model/state.ts';
import type { Change, Plan, PlannedDelivery } from '../plan/plan.ts';
import type { Before } from '../plan/plan-input.ts';
import { notListable } from '../plan/undelivered.ts';
import { asFailure, deniesAccess, Failure, type FailureFacts } from '../platform/failure.ts';
import type { Closed } from './gate.ts';
import type { BuildSchemas, Offer } from './offer.ts';
import { heldForLost, type InForceBefore, isEmptied } from './shrunk.ts';
import { type MakePlan, objectionsTo, type PlanRequest, type Survey, survey } from './survey.ts';
import { type Judging, withLastGood } from './with-last-good.ts';

/** How one pass over a destination ended. */
export type PassEnd =
  | {
      readonly end: 'applied';
      readonly confirmation: Confirmation;
      /** What was delivered; null when it was in place already. */
      readonly delivered: Plan | null;
      /** What was planned: what was delivered, or nothing to change. */
      readonly plan: Plan;
      readonly built: Built;
      /** What differs and was left to another writer. */
      readonly left: readonly Change[];
      /** What differs and is only reported, as the policy asks. */
      readonly reported: readonly Change[];
    }
  | { readonly end: 'drifted'; readonly plan: Plan }
  | {
      readonly end: 'held';
      readonly plan: Plan;
      /** Whether that is for what the live state has lost by itself, and should have again. */
      readonly lost?: boolean;
    }
  /** The revision may not go out yet. */
  | { readonly end: 'waiting'; readonly plan: Plan; readonly closed: Closed }
  /** It went out, was confirmed, and does not work. */
  | { readonly end: 'unhealthy'; readonly plan: Plan; readonly wrong: readonly string[] }
  | {
      readonly end: 'rejected';
      readonly diagnostics: readonly Diagnostic[];
      readonly failure: FailureFacts | null;
      readonly plan: Plan | null;
      /**
       * What the refusal leaves the destination with: the last good revision, which is to stay in force; this revision
       * but for what was refused, which another revision must not undo only to have it done again; or what is unknown.
       */
      readonly leaves: 'last-good' | 'this-in-part' | 'unknown';
      /** Why, in one sentence, where that is more than the first of the diagnostics. */
      readonly why?: string;
    }
  | {
      readonly end: 'failed';
      readonly failure: FailureFacts;
      readonly plan: Plan | null;
      /** The changes that were not made, or may not have been; left out where none was begun. */
      readonly open?: readonly Change[];
    }
  | { readonly end: 'unconfirmed'; readonly plan: Plan; readonly confirmation: Confirmation }
  | { readonly end: 'superseded' }
  /** More was refused, and is in quarantine now: the rest can be tried at once. */
  | { readonly end: 'refused-in-part' }
  /** Another instance has the right to write. */
  | { readonly end: 'not-ours' };

/** The end of a pass that found or put a revision in place. */
export type Applied = Extract<PassEnd, { readonly end: 'applied' }>;

/** What a pass is made with. */
export interface PassWorld extends Judging {
  readonly plan: MakePlan;
  /** The offer to deliver: asked again after the live state was read, so that the newest is planned. */
  readonly offer: () => Offer;
  /** Told what the destination refused; whether the rest can be tried at once. */
  readonly refused: (offer: Offer, built: Built, diagnostics: readonly Diagnostic[]) => boolean;
  /** What was in force before, as far as a plan has to know it. */
  readonly before: (offer: Offer, state: State, live: State, schemas: BuildSchemas) => Promise<Before | null>;
  /** What was in force before an offer, that its plan is judged by besides what is live; null where nothing more is. */
  readonly inForce?: (offer: Offer, live: Survey['live'], schemas: BuildSchemas) => Promise<InForceBefore>;
  /** Whether a newer offer waits. */
  readonly superseded: () => boolean;
  /** Whether a person lets a plan that is held for an offer through. */
  readonly approved: (offer: Offer, held: Plan) => boolean;
  /** Why this offer may not go out any more, or null; never where left out. Throws Failure. */
  readonly refusal?: (offer: Offer) => Promise<FailureFacts | null>;
  /** Why this plan for an offer may not go out yet, or null. */
  readonly closed: (offer: Offer, plan: Plan) => Closed | null;
  /** What to do with a difference for this offer: deliver it, or only report it. */
  readonly onDifference: (offer: Offer, plan: Plan) => 'deliver' | 'report';
  /** Whether what differs from this offer was done by another writer; never where left out. */
  readonly isDrift?: (offer: Offer, digest: string) => boolean;
  /** Live entities that are left as they are for now, since another writer keeps changing them. */
  readonly leave: (offer: Offer) => ReadonlySet<string>;
  /** What is reported for this offer and not put right, as `KIND/NAME` or `KIND/NAME/FIELD/…`. */
  readonly report: (offer: Offer, built: Built) => readonly string[];
  /** Entities that this branch is known to have declared; grows. */
  readonly declared: Set<string>;
  /** Whether this process may write to the destination now. */
  readonly mayWrite: () => boolean;
  /**
   * Told when a delivery begins, before its first request; and whether all that differs is that nodes were restarted,
   * joined, or were left behind.
   */
  readonly begins: (offer: Offer, plan: Plan, behind: boolean) => void;
  /** Told what a delivery did. */
  readonly ended: (outcome: Outcome) => void;
  /** Told who the destination is. */
  readonly identified: (identified: Identified) => void;
  /** Told what was read of it, each time that was complete. */
  readonly seen: (read: Omit<Survey, 'built'>) => void;
}

/**
 * One pass over a destination: ask who it is, read it whole, build the newest offer with its schemas, plan, and, where
 * they differ, deliver and read it whole again. Throws Failure when the destination could not be asked.
 */
export async function pass(world: PassWorld, signal: AbortSignal): Promise<PassEnd> {
  let offer = world.offer();
  const seen = await survey(
    world.destination,
    () => {
      const asked = world.offer();
      offer = asked;
      return (schemas) => world.judge(asked, schemas);
    },
    signal,
  );
  const { live } = seen;
  world.identified(seen.identified);
  world.seen(seen);
  const refused = await notAccepted(world, offer);
  if (refused !== null) return refused;
  const { built, schemas } = await withLastGood(world, offer, seen, signal);
  if (schemas !== seen.schemas) world.seen({ ...seen, schemas });
  if (!isDeliverable(built)) {
    const refused = built.quarantine?.refused ?? null;
    const why = refused === null ? {} : { why: `quarantine cannot go on without it: ${refused}` };
    return { end: 'rejected', diagnostics: built.diagnostics, failure: null, plan: null, leaves: 'last-good', ...why };
  }
  const request = {
    ...seen,
    schemas,
    built,
    declaredEarlier: world.declared,
    before: await world.before(offer, built.state, live.state, schemas),
    leave: world.leave(offer),
    report: world.report(offer, built),
  };
  const planned = await planWithHistory(world, offer, request, signal);
  for (const name of declaredNames(built.state)) world.declared.add(name);

  const undelivered = refusedByPlan(planned, planned.plan, 'last-good');
  if (undelivered !== null) {
    // What cannot be read for want of a permission is no fault of the revision, and leaving it out would delete it.
    if (undelivered.leaves === 'last-good' && world.refused(offer, built, undelivered.diagnostics)) {
      return { end: 'refused-in-part' };
    }
    return undelivered;
  }
  const lost =
    planned.plan.held === null
      ? heldForLost(world.plan, request, (await world.inForce?.(offer, live, schemas)) ?? null)
      : null;
  const delivery = lost === null ? planned : { ...planned, plan: { ...planned.plan, held: lost } };
  const before = world.destination.inPlace(built.state, live, delivery);
  // What nodes have that were restarted is nothing: that it is wanted so is not known by that.
  if (before.confirmed && !before.incomplete && !(lost !== null && isEmptied(live))) {
    return {
      end: 'applied',
      confirmation: before,
      delivered: null,
      plan: delivery.plan,
      built,
      ...leftOutOf(delivery),
    };
  }
  // What no other writer did is no drift: such nodes are fed whatever the policy.
  const behind = before.behind === true;
  if (!behind && world.onDifference(offer, delivery.plan) === 'report') return { end: 'drifted', plan: delivery.plan };
  if (delivery.plan.held !== null && !world.approved(offer, delivery.plan)) {
    const putRight = await withoutDeletes(world, offer, { ...request, delivery, behind }, signal);
    return putRight ?? { end: 'held', plan: delivery.plan, lost: lost !== null };
  }
  const closed = world.closed(offer, delivery.plan);
  if (closed !== null) return { end: 'waiting', plan: delivery.plan, closed };
  if (!world.mayWrite()) return { end: 'not-ours' };
  if (world.superseded()) return { end: 'superseded' };
  return deliver(world, offer, { ...request, delivery, behind }, signal);
}

/**
 * Puts right what another writer changed or deleted, where the plan for it is held because of what it would delete: that
 * waits for a person, and what is missing until then serves nobody. Null where nothing of the plan can be done so.
 */
async function withoutDeletes(
  world: PassWorld,
  offer: Offer,
  step: Step,
  signal: AbortSignal,
): Promise<PassEnd | null> {
  const { delivery, identified, built, leave = [] } = step;
  const deletes = delivery.plan.changes.filter(({ action }) => action === 'delete');
  const hasMore = deletes.length > 0 && deletes.length < delivery.plan.changes.length;
  // A DB-less node takes its configuration whole.
  if (world.isDrift?.(offer, delivery.plan.digest) !== true || !hasMore || identified.mode === 'dbless') return null;
  if (world.closed(offer, delivery.plan) !== null || !world.mayWrite() || world.superseded()) return null;
  const request = { ...step, leave: new Set([...leave, ...deletes.map(({ kind, id }) => `${kind}/${id}`)]) };
  const rest = world.plan(request);
  if (rest.plan.held !== null || rest.plan.changes.length === 0) return null;
  // What was made may be in the way of what is to be put back.
  const objections = await objectionsBefore(world.destination, built, rest, signal);
  if ('end' in objections) return objections;
  if (hasErrors(objections)) return null;
  const ended = await deliver(world, offer, { ...request, delivery: rest, objections }, signal);
  if (ended.end !== 'unconfirmed') return ended;
  // Beside what was put back the deletes may be few enough to go out, which the next pass does at once.
  return ended.plan.held === null ? { end: 'superseded' } : { end: 'held', plan: ended.plan };
}

type Step = PlanRequest & {
  readonly delivery: PlannedDelivery;
  readonly behind: boolean;
  /** What the destination objects to, where it was asked already. */
  readonly objections?: readonly Diagnostic[];
};

async function deliver(world: PassWorld, offer: Offer, step: Step, signal: AbortSignal): Promise<PassEnd> {
  const { built, delivery, schemas, identified, behind } = step;
  const { plan } = delivery;
  const objections = step.objections ?? (await objectionsBefore(world.destination, built, delivery, signal));
  if ('end' in objections) return objections;
  if (hasErrors(objections)) {
    if (world.refused(offer, built, objections)) return { end: 'refused-in-part' };
    return { end: 'rejected', diagnostics: objections, failure: null, plan, leaves: 'last-good' };
  }
  const refused = await notAccepted(world, offer);
  if (refused !== null) return refused;
  if (world.superseded()) return { end: 'superseded' };
  const closed = world.closed(offer, plan);
  if (closed !== null) return { end: 'waiting', plan, closed };
  signal.throwIfAborted();
  world.begins(offer, plan, behind);
  // Why writing was stopped, where it was: it may be over by the end, and the delivery is incomplete all the same.
  const writing: { stopped: 'superseded' | 'not-ours' | null } = { stopped: null };
  const outcome = await world.destination.apply(built.state, delivery, signal, () => {
    if (world.superseded()) writing.stopped = 'superseded';
    else if (!world.mayWrite()) writing.stopped = 'not-ours';
    return writing.stopped === null;
  });
  world.ended(outcome);
  if (outcome.failure !== null) {
    const open = outcome.changes.flatMap(({ change, result }) =>
      result === 'applied' ? [] : (plan.changes[change] ?? []),
    );
    if (outcome.failure.class !== 'rejected') return { end: 'failed', failure: outcome.failure, plan, open };
    const { diagnostics, failure } = outcome;
    if (world.refused(offer, built, refusedWrites(outcome, delivery))) return { end: 'refused-in-part' };
    return { end: 'rejected', diagnostics, failure, plan, leaves: leftBy(outcome, delivery) };
  }
  if (writing.stopped !== null) return { end: writing.stopped };
  if (world.superseded()) return { end: 'superseded' };

  const after = await world.destination.read(built.state, signal);
  world.seen({ identified, live: after, schemas });
  const remaining = world.plan({
    built,
    live: after,
    schemas,
    identified,
    declaredEarlier: world.declared,
    leave: world.leave(offer),
    report: world.report(offer, built),
  });
  // A permission may be gone since the live state was read first: what cannot be read is not confirmed.
  const lost = refusedByPlan(remaining, plan, 'unknown');
  if (lost !== null) return lost;
  const confirmation = world.destination.inPlace(built.state, after, remaining);
  if (!confirmation.confirmed) return { end: 'unconfirmed', plan: remaining.plan, confirmation };
  return { end: 'applied', confirmation, delivered: plan, plan, built, ...leftOutOf(remaining) };
}

/** The end of a pass for an offer whose commit was accepted once and is not any more; null where it is. */
async function notAccepted(world: PassWorld, offer: Offer): Promise<Extract<PassEnd, { end: 'rejected' }> | null> {
  const failure = (await world.refusal?.(offer)) ?? null;
  return failure === null ? null : { end: 'rejected', diagnostics: [], failure, plan: null, leaves: 'last-good' };
}

/** What a destination objects to before it is written to; where it could not say, nothing is begun. */
async function objectionsBefore(
  destination: PassWorld['destination'],
  built: Built,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<readonly Diagnostic[] | Extract<PassEnd, { readonly end: 'failed' }>> {
  try {
    return await objectionsTo(destination, built, delivery, signal);
  } catch (thrown) {
    const failure = asFailure(thrown)?.facts;
    if (failure === undefined || failure.class === 'rejected' || signal.aborted) throw thrown;
    return { end: 'failed', failure, plan: delivery.plan };
  }
}

function leftOutOf({ left = [], reported = [] }: PlannedDelivery): Pick<Applied, 'left' | 'reported'> {
  return { left, reported };
}

/**
 * The end of a pass whose plan cannot bring all that is declared, or null. Where the live state may not be read it is
 * not known what the destination is left with.
 */
function refusedByPlan(
  { refused = [] }: PlannedDelivery,
  plan: Plan,
  leaves: 'last-good' | 'unknown',
): Extract<PassEnd, { readonly end: 'rejected' }> | null {
  if (refused.length === 0) return null;
  const unread = refused.some(({ rule }) => rule === notListable);
  return { end: 'rejected', diagnostics: refused, failure: null, plan, leaves: unread ? 'unknown' : leaves };
}

/** What the destination refused to be given, in findings about entities. */
function refusedWrites({ diagnostics, changes }: Outcome, { plan, writes }: PlannedDelivery): readonly Diagnostic[] {
  // What takes a state whole refuses it whole, whatever is wrong with it.
  if (hasErrors(diagnostics) || writes.length === 0) return diagnostics;
  return changes.flatMap((outcome): readonly Diagnostic[] => {
    const change = plan.changes[outcome.change];
    if (outcome.result !== 'rejected' || change === undefined || deniesAccess(outcome.failure)) return [];
    const { message, hint } = outcome.failure;
    return [
      {
        rule: 'refused-by-destination',
        severity: 'error',
        message,
        hint,
        locations: change.location === null ? [] : [change.location],
        entities: [{ kind: change.kind, name: change.name }],
      },
    ];
  });
}

/** Where a destination takes entity by entity, all that it did not refuse is live; else it took all or nothing. */
function leftBy(outcome: Outcome, delivery: PlannedDelivery): 'last-good' | 'this-in-part' {
  const inPart =
    delivery.writes.length > 0 || outcome.changes.some(({ result }) => result === 'applied' || result === 'unknown');
  return inPart ? 'this-in-part' : 'last-good';
}

/** A plan that prunes what this process never saw declared is planned again once the branch's history was asked. */
async function planWithHistory(
  world: PassWorld,
  offer: Offer,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<PlannedDelivery> {
  const delivery = world.plan(request);
  if (delivery.plan.held?.code !== 'foreign-prune') return delivery;
  const wanted = new Set<string>();
  for (const change of delivery.plan.changes) {
    if (change.action !== 'delete') continue;
    const entity = request.live.state.byId(change.kind, change.id);
    if (entity === undefined) continue;
    const name = declaredName(entity.kind, entity.identity);
    if (!world.declared.has(name)) wanted.add(name);
  }
  const found = await askHistory(offer, wanted, signal);
  if (found.size === 0) return delivery;
  for (const name of found) world.declared.add(name);
  return world.plan({ ...request, declaredEarlier: world.declared });
}

/** A repository that cannot be asked is no failure of the destination, and may be asked again. */
async function askHistory(
  offer: Offer,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  try {
    return await offer.declaredEarlier(wanted, signal);
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts === undefined) throw thrown;
    throw new Failure({
      ...facts,
      class: 'transient',
      message: `what the branch declared earlier could not be read: ${facts.message}`,
    });
  }
}
