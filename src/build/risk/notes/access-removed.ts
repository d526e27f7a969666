import { describe, type Entity, referenceOf } from '../../../model/entity.ts';
import type { State } from '../../../model/state.ts';
import { configOf, isEnabled } from '../../../rules/fields.ts';
import { isAuthentication } from '../../../rules/security/authentication.ts';
import type { RiskCode } from '../codes.ts';
import { type Compared, noteInBase, noteInHead, pairsOf, placeOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { requestInWords } from '../router/request.ts';
import { countOf, listOf, namesOf } from '../wording.ts';
import { effectivePlugins, isOfConsumers } from './effective-plugins.ts';
import type { Moved } from './moved-requests.ts';

const rateLimits: ReadonlySet<string> = new Set([
  'ai-rate-limiting-advanced',
  'graphql-rate-limiting-advanced',
  'rate-limiting',
  'rate-limiting-advanced',
  'response-ratelimiting',
  'service-protection',
]);

/** Plugins other than authentication and limits that keep requests out. */
const restrictions: ReadonlySet<string> = new Set([
  'acl',
  'bot-detection',
  'injection-protection',
  'ip-restriction',
  'json-threat-protection',
  'oas-validation',
  'opa',
  'request-size-limiting',
  'request-termination',
  'request-validator',
  'tls-handshake-modifier',
  'websocket-size-limit',
  'websocket-validator',
  'xml-threat-protection',
]);

type Plugins = ReadonlyMap<string, Entity>;

/** What requests meet no longer. */
interface Loss {
  readonly code: RiskCode;
  /** The plugins as they were. */
  readonly lost: readonly Entity[];
  /** What takes their place, where that matters. */
  readonly now: readonly Entity[];
}

/** Routes that lose the same. */
interface Group {
  readonly code: RiskCode;
  readonly lost: Set<Entity>;
  readonly now: Set<Entity>;
  readonly routes: Entity[];
}

/**
 * Notes about authentication, rate limits and restrictions that a route had and has not, on whatever level they stood,
 * and about requests that now go to a route with less of it than the one they went to.
 */
export function accessNotes(states: Compared, moved: readonly Moved[]): readonly RiskNote[] {
  const before = effectivePlugins(states.base);
  const after = effectivePlugins(states.head);
  const isStopped = [stoppedConsumers(states.base), stoppedConsumers(states.head)] as const;
  const groups = new Map<string, Group>();
  for (const [then, now] of pairsOf('routes', states)) {
    for (const { code, lost, now: others } of lossesOf(before(then), after(now), isStopped)) {
      const key = JSON.stringify([code, lost.map(nameOf), others.map(nameOf)]);
      const group = groups.get(key) ?? { code, lost: new Set(), now: new Set(), routes: [] };
      groups.set(key, group);
      for (const plugin of lost) group.lost.add(plugin);
      for (const plugin of others) group.now.add(plugin);
      group.routes.push(now);
    }
  }
  return [
    ...[...groups.values()].map(({ code, lost, now, routes }) =>
      lossNote({ code, lost: [...lost], now: [...now] }, routesInWords(routes), states),
    ),
    ...movedNotes(moved, states, (one, now) => lossesOf(before(one.before.route), after(now), isStopped)),
    ...consumerLimits(states),
  ];
}

function routesInWords(routes: readonly Entity[]): string {
  return routes.length === 1
    ? `the route ${namesOf(routes)}`
    : `${countOf(routes.length, 'route')} (${namesOf(routes)})`;
}

function lossesOf(
  before: Plugins,
  after: Plugins,
  [wasStopped, isStopped]: readonly [Stopped, Stopped],
): readonly Loss[] {
  const gone = [...before.values()].filter((plugin) => !after.has(nameOf(plugin)));
  const losses: Loss[] = [];
  const wasAsked = [...before.values()].filter(isAuthentication);
  const isAsked = [...after.values()].filter(isAuthentication);
  const lostAuthentication = gone.filter(isAuthentication);
  if (wasAsked.length > 0 && isAsked.length === 0)
    losses.push({ code: 'authentication-removed', lost: wasAsked, now: [] });
  else if (wasAsked.length > 0 && isClosed(wasAsked, wasStopped) && !isClosed(isAsked, isStopped)) {
    losses.push({ code: 'authentication-optional', lost: wasAsked, now: isAsked });
  } else if (lostAuthentication.length > 0) {
    losses.push({ code: 'authentication-changed', lost: lostAuthentication, now: isAsked });
  }
  const limits = gone.filter((plugin) => rateLimits.has(nameOf(plugin)));
  const isLimited = [...after.keys()].some((name) => rateLimits.has(name));
  if (limits.length > 0)
    losses.push({
      code: 'rate-limit-removed',
      lost: limits,
      now: isLimited ? [...after.values()].filter((plugin) => rateLimits.has(nameOf(plugin))) : [],
    });
  const rules = gone.filter((plugin) => restrictions.has(nameOf(plugin)));
  if (rules.length > 0) losses.push({ code: 'restriction-removed', lost: rules, now: [] });
  return losses;
}

type Stopped = (consumer: string) => boolean;

/** Whether a request without credentials is turned away by one of the plugins, or as the anonymous consumer. */
function isClosed(plugins: readonly Entity[], isStopped: Stopped): boolean {
  return plugins.some((plugin) => {
    const { anonymous } = configOf(plugin);
    return typeof anonymous !== 'string' || anonymous === '' || isStopped(anonymous);
  });
}

function stoppedConsumers(state: State): Stopped {
  const stopped = new Set<string>();
  for (const plugin of state.entities.get('plugins') ?? []) {
    const consumer = referenceOf(plugin, 'consumer');
    if (consumer === undefined || nameOf(plugin) !== 'request-termination' || !isEnabled(plugin)) continue;
    stopped.add(consumer.identity);
    if (consumer.id !== null) stopped.add(consumer.id);
  }
  return (consumer) => stopped.has(consumer);
}

function lossNote({ code, lost, now }: Loss, where: string, states: Compared): RiskNote {
  const names = listOf([...new Set(lost.map(nameOf))]);
  const others = listOf([...new Set(now.map(nameOf))]);
  const kept = lost.map((plugin) => states.inHead(plugin)).filter((plugin) => plugin !== undefined);
  const places = (kept.length > 0 ? kept : lost).map((plugin) =>
    isEnabled(plugin) ? placeOf(plugin) : placeOf(plugin, 'enabled'),
  );
  const note = (severity: RiskNote['severity'], message: string) =>
    kept.length > 0 || now.length > 0
      ? noteInHead(code, severity, message, kept.length > 0 ? places : now.map((plugin) => placeOf(plugin)))
      : noteInBase(code, severity, message, places);
  switch (code) {
    case 'authentication-removed':
      return note('danger', `Requests to ${where} no longer have to say who they are: ${names} is gone.`);
    case 'authentication-optional':
      return note(
        'danger',
        `Requests to ${where} pass without credentials: ${others} has an anonymous consumer that nothing stops.`,
      );
    case 'authentication-changed':
      return note(
        'notice',
        `Requests to ${where} have to say who they are in another way: ${names} is gone, ${others} stays.`,
      );
    case 'rate-limit-removed':
      return note(
        'warning',
        now.length === 0
          ? `Requests to ${where} are no longer limited: ${names} is gone.`
          : `Requests to ${where} are limited in another way: ${names} is gone, ${others} stays.`,
      );
    default:
      return note('warning', `${names} no longer stands before ${where}.`);
  }
}

/** One note for each pair of routes and each loss between them. */
function movedNotes(
  moved: readonly Moved[],
  states: Compared,
  losses: (one: Moved, now: Entity) => readonly Loss[],
): readonly RiskNote[] {
  const seen = new Set<string>();
  return moved.flatMap((one) => {
    const now = one.after === null || one.after.refused ? null : one.after.route;
    if (now === null || states.inHead(one.before.route) === now) return [];
    const pair = `${one.before.route.identity}\n${now.identity}`;
    if (seen.has(pair)) return [];
    seen.add(pair);
    const where = `the ${describe(now)} (${requestInWords(one.request)}, which the route "${one.before.route.name}" took)`;
    return losses(one, now).map((loss) => {
      const { severity, message } = lossNote(loss, where, states);
      return noteInHead(loss.code, severity, message, [placeOf(now)]);
    });
  });
}

/** Rate limits of consumers and groups that stay. */
function consumerLimits(states: Compared): readonly RiskNote[] {
  return (states.base.entities.get('plugins') ?? []).flatMap((plugin) => {
    if (!rateLimits.has(nameOf(plugin)) || !isEnabled(plugin) || !isOfConsumers(plugin)) return [];
    const now = states.inHead(plugin);
    if (now !== undefined && isEnabled(now)) return [];
    const of = referenceOf(plugin, 'consumer') ?? referenceOf(plugin, 'consumer_group');
    const owner = of === undefined ? undefined : states.base.byIdentity(of.kind, of.identity);
    if (owner === undefined || states.inHead(owner) === undefined) return [];
    const message = `The ${describe(owner)} loses a limit of its own: ${nameOf(plugin)} is gone.`;
    return [
      now === undefined
        ? noteInBase('rate-limit-removed', 'warning', message, [placeOf(plugin)])
        : noteInHead('rate-limit-removed', 'warning', message, [placeOf(now, 'enabled')]),
    ];
  });
}

function nameOf({ fields }: Entity): string {
  return typeof fields['name'] === 'string' ? fields['name'] : '';
}
