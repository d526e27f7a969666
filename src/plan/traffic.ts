import { type Entity, referenceOf } from '../model/entity.ts';
import { isJsonArray, type Json } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { isClosed } from './closed-route.ts';
import { isEnabled, type Place } from './guards.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';

/** A route on the way from what it is to what it will be. */
export interface Passage {
  /** Where it is and lets requests through; null where it does not. */
  readonly before: Place | null;
  /** Where it will be, and let requests through; null where it will not. */
  readonly after: Place | null;
  /** The live route, where it is there. */
  readonly live: Entity | null;
  /** Its own operation, where it has one that changes what it lets through. */
  readonly own: number | null;
  /** Every operation that changes which requests it lets through, or where to. */
  readonly changes: readonly number[];
  /** What would let requests through to it as it was, which nothing does: its service is enabled. */
  readonly enabling: number | null;
}

/** Fields that change nothing about which requests are let through, or where to. */
const harmless: { readonly [K in KindName]?: ReadonlySet<string> } = {
  routes: new Set([
    'name',
    'tags',
    'strip_path',
    'preserve_host',
    'path_handling',
    'https_redirect_status_code',
    'request_buffering',
    'response_buffering',
  ]),
  services: new Set(['name', 'tags', 'retries', 'connect_timeout', 'read_timeout', 'write_timeout']),
};

/** Every route of both states. */
export function passagesOf(operations: readonly Operation[], matching: Matching): readonly Passage[] {
  return new Passages(operations, matching).all();
}

class Passages {
  readonly #operations: readonly Operation[];
  readonly #matching: Matching;
  readonly #byEntity = new Map<Entity, number>();
  /** What balances requests to a host, by the host's name. */
  readonly #balancing = new Map<string, number[]>();

  constructor(operations: readonly Operation[], matching: Matching) {
    this.#operations = operations;
    this.#matching = matching;
    for (const [index, { live, target }] of operations.entries()) {
      if (live !== null) this.#byEntity.set(live, index);
      if (target !== null) this.#byEntity.set(target, index);
      for (const host of this.#hostsOf(index)) {
        const known = this.#balancing.get(host);
        if (known === undefined) this.#balancing.set(host, [index]);
        else known.push(index);
      }
    }
  }

  all(): readonly Passage[] {
    const live = this.#matching.live.entities.get('routes') ?? [];
    const target = this.#matching.target.entities.get('routes') ?? [];
    const fresh = target.filter((route) => this.#matching.liveOf(route) === undefined && this.#byEntity.has(route));
    return [...live.map((route) => this.#passage(route, null)), ...fresh.map((route) => this.#passage(null, route))];
  }

  #passage(live: Entity | null, created: Entity | null): Passage {
    const index = this.#byEntity.get(live ?? created ?? nobody);
    const operation = index === undefined ? undefined : this.#operations[index];
    const route = live?.id ?? (created === null ? '' : this.#matching.idOf(created));
    const liveService = live === null ? null : (referenceOf(live, 'service')?.id ?? null);
    // What is left to others stays as it is.
    const target = operation === undefined ? live : operation.target;
    const reference = target === null ? undefined : referenceOf(target, 'service');
    const service =
      reference === undefined ? null : target === live ? reference.id : this.#matching.idOfReference(reference);
    const isServed = live !== null && !isClosed(live.fields) && this.#serves(liveService, 'normalLive');
    const willBe = target !== null && this.#serves(service, 'normalTarget');
    const protocols = (fields: { readonly [field: string]: Json } | null | undefined) => {
      const value = fields?.['protocols'];
      return isJsonArray(value) && value.length > 0 ? value : ['http', 'https'];
    };
    const own = index !== undefined && this.#changesTraffic(index) ? index : null;
    const stays = live !== null && target !== null && liveService === service && service !== null;
    return {
      before: isServed ? { route, service: liveService, protocols: protocols(live.fields) } : null,
      after: willBe ? { route, service, protocols: protocols(operation?.normalTarget ?? target.fields) } : null,
      live,
      own,
      changes: [...(own === null ? [] : [own]), ...(stays ? this.#leadingElsewhere(service) : [])],
      enabling: live === null || isServed ? null : this.#enabling(liveService),
    };
  }

  #enabling(service: string | null): number | null {
    const live = service === null ? undefined : this.#matching.live.byId('services', service);
    const index = live === undefined ? undefined : this.#byEntity.get(live);
    const { normalLive = null, normalTarget = null } = (index === undefined ? null : this.#operations[index]) ?? {};
    return index !== undefined && !isEnabled(normalLive) && isEnabled(normalTarget) ? index : null;
  }

  /** Operations that change where a service sends requests, or whether. */
  #leadingElsewhere(id: string): readonly number[] {
    const service = this.#matching.live.byId('services', id);
    const index = service === undefined ? undefined : this.#byEntity.get(service);
    const operation = index === undefined ? undefined : this.#operations[index];
    const hosts = new Set([service?.fields['host'], operation?.target?.fields['host']].map(nameOf));
    return [
      ...(index !== undefined && this.#changesTraffic(index) ? [index] : []),
      ...[...hosts].flatMap((host) => (host === '' ? [] : (this.#balancing.get(host) ?? []))),
    ];
  }

  #serves(service: string | null, side: 'normalLive' | 'normalTarget'): boolean {
    if (service === null) return true;
    const live = this.#matching.live.byId('services', service);
    const index = live === undefined ? undefined : this.#byEntity.get(live);
    if (index !== undefined) return isEnabled(this.#operations[index]?.[side] ?? null);
    if (live !== undefined || side === 'normalLive') return isEnabled(live?.fields ?? null);
    const target = this.#matching.target.byId('services', service);
    return isEnabled(target?.fields ?? null);
  }

  #changesTraffic(index: number): boolean {
    const { action, entity, fields } = this.#operations[index] ?? {};
    if (action !== 'update' || entity === undefined) return true;
    return fields?.some(({ path }) => harmless[entity.kind]?.has(path.split('/')[1] ?? '') !== true) === true;
  }

  /** The hosts that an operation of an upstream or a target changes the meaning of. */
  #hostsOf(index: number): readonly string[] {
    const { entity, live, target, action, fields } = this.#operations[index] ?? {};
    if (entity?.kind === 'upstreams') {
      const isNamed = action !== 'update' || fields?.some(({ path }) => path === '/name') === true;
      return isNamed ? [...new Set([live?.fields['name'], target?.fields['name']].map(nameOf))] : [];
    }
    if (entity?.kind !== 'targets') return [];
    const names = [live, target].map((side) => {
      const reference = side === null || side === undefined ? undefined : referenceOf(side, 'upstream');
      if (reference === undefined) return '';
      const upstream = side === live ? this.#liveUpstream(reference.id) : this.#matching.referent(reference);
      return nameOf(upstream?.fields['name']);
    });
    return [...new Set(names)];
  }

  #liveUpstream(id: string | null): Entity | undefined {
    return id === null ? undefined : this.#matching.live.byId('upstreams', id);
  }
}

const nobody = {} as Entity;

function nameOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
