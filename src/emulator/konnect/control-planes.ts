import { createHash } from 'node:crypto';
import { isUuid } from '../../model/derived-id.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Schemas } from '../../schema/schema.ts';
import { type Answer, answer } from '../http/answers.ts';
import { type Chance, emptyGateway, type Gateway, newGateway, newId } from '../state/gateway.ts';
import type { Store } from '../state/store.ts';

/** One control plane: what the v2 API says of it, and the entities that it holds. */
export interface ControlPlane {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly labels: JsonObject;
  readonly clusterType: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly gateway: Gateway;
  readonly nodes: Nodes;
  /** What data planes that are behind have; null where none are. */
  readonly behindHash: string | null;
}

const oneNode: Nodes = { count: 1, lagging: 0 };

/** The control planes of an organisation. */
export class ControlPlanes {
  readonly #planes = new Map<string, ControlPlane>();
  readonly #schemas: Schemas;
  readonly #version: string;
  readonly #chance: Chance;
  #nodes: Nodes = oneNode;

  constructor(schemas: Schemas, version: string, chance: Chance) {
    this.#schemas = schemas;
    this.#version = version;
    this.#chance = chance;
  }

  /** The control plane with an id. */
  get(id: string): ControlPlane | undefined {
    return this.#planes.get(id.toLowerCase());
  }

  /** Empties those that there are from the start, by name, and takes all others away. */
  reset(names: readonly string[]): void {
    for (const plane of [...this.#planes.values()]) {
      if (names.includes(plane.name)) emptyGateway(plane.gateway);
      else this.#planes.delete(plane.id);
    }
    for (const name of names) if (!this.#named(name)) this.add(name);
  }

  #named(name: string): boolean {
    return [...this.#planes.values()].some((plane) => plane.name === name);
  }

  /** Makes one. */
  add(name: string, clusterType = 'CLUSTER_TYPE_CONTROL_PLANE', more: JsonObject = {}): ControlPlane {
    const at = new Date(this.#chance.now()).toISOString();
    const { description, labels } = more;
    const plane: ControlPlane = {
      id: newId(this.#chance),
      name,
      description: typeof description === 'string' ? description : '',
      labels: isJsonObject(labels) ? labels : {},
      clusterType,
      createdAt: at,
      updatedAt: at,
      gateway: newGateway('konnect', this.#version, this.#schemas, this.#chance),
      nodes: this.#nodes,
      behindHash: null,
    };
    if (plane.nodes.lagging > 0) return this.#put({ ...plane, behindHash: stateHash(plane.gateway) });
    return this.#put(plane);
  }

  #put(plane: ControlPlane): ControlPlane {
    this.#planes.set(plane.id, plane);
    return plane;
  }

  /** Says which data planes there are from now on. Those that lag stay at what they have now. */
  setNodes(nodes: Nodes | null): void {
    this.#nodes = nodes ?? oneNode;
    for (const plane of this.#planes.values()) {
      const behindHash = this.#nodes.lagging > 0 ? (plane.behindHash ?? stateHash(plane.gateway)) : null;
      this.#put({ ...plane, nodes: this.#nodes, behindHash });
    }
  }

  /** Answers `/v2/control-planes` and `/v2/control-planes/{id}`. */
  handle(method: string, id: string | undefined, query: ReadonlyMap<string, string>, body: JsonObject): Answer {
    if (id === undefined) {
      if (method === 'GET') return this.#list(query);
      return method === 'POST' ? this.#create(body) : problem(405, 'Method Not Allowed', 'not here');
    }
    const plane = isUuid(id) ? this.get(id) : undefined;
    if (plane === undefined) return problem(404, 'Not Found', 'there is no such control plane');
    switch (method) {
      case 'GET':
        return answer(200, described(plane));
      case 'PATCH': {
        const { name, description, labels } = body;
        const changed: ControlPlane = {
          ...plane,
          name: typeof name === 'string' ? name : plane.name,
          description: typeof description === 'string' ? description : plane.description,
          labels: isJsonObject(labels) ? labels : plane.labels,
          updatedAt: new Date(this.#chance.now()).toISOString(),
        };
        this.#planes.set(plane.id, changed);
        return answer(200, described(changed));
      }
      case 'DELETE':
        this.#planes.delete(plane.id);
        return answer(204);
      default:
        return problem(405, 'Method Not Allowed', 'not here');
    }
  }

  #list(query: ReadonlyMap<string, string>): Answer {
    const size = Number(query.get('page[size]') ?? 10);
    const number = Number(query.get('page[number]') ?? 1);
    if (!Number.isInteger(size) || size < 1 || size > 100 || !Number.isInteger(number) || number < 1) {
      return problem(400, 'Bad Request', 'page[size] must be 1 to 100, page[number] at least 1');
    }
    const found = [...this.#planes.values()].filter((plane) =>
      [...query].every(([key, value]) => passes(plane, key, value)),
    );
    const data = found.slice((number - 1) * size, number * size).map(described);
    return answer(200, { data, meta: { page: { number, size, total: found.length } } });
  }

  #create(body: JsonObject): Answer {
    const { name, cluster_type: type } = body;
    if (typeof name !== 'string' || name.length < 2 || name.length > 256) {
      return problem(400, 'Bad Request', 'the body is not valid', {
        invalid_parameters: [
          { field: 'name', rule: 'required', source: 'body', reason: 'must have 2 to 256 characters' },
        ],
      });
    }
    if (this.#named(name)) {
      return problem(409, 'Conflict', 'a control plane has this name already');
    }
    return answer(201, described(this.add(name, typeof type === 'string' ? type : undefined, body)));
  }
}

/** How many data planes each control plane has, and how many of them are behind: they keep what they had. */
export interface Nodes {
  readonly count: number;
  readonly lagging: number;
}

/** Answers what a control plane's data planes are to have, and what each of them has; null for any other question. */
export function rollout(plane: ControlPlane, what: string, now: number): Answer | null {
  const at = Math.floor(now / 1000);
  const expected = stateHash(plane.gateway);
  switch (what) {
    case 'expected-config-hash':
      return answer(200, { expected_hash: expected, created_at: at, updated_at: at });
    case 'nodes': {
      const { count, lagging } = plane.nodes;
      const items = Array.from({ length: count }, (_, index) => {
        const isBehind = index >= count - lagging;
        return node(plane, index, isBehind ? (plane.behindHash ?? expected) : expected, at);
      });
      return answer(200, { items, page: { total_count: count } });
    }
    default:
      return null;
  }
}

function node(plane: ControlPlane, index: number, hash: string, at: number): JsonObject {
  const { gateway } = plane;
  return {
    id: index === 0 ? gateway.nodeId : `${gateway.nodeId.slice(0, -4)}${index.toString(16).padStart(4, '0')}`,
    version: `${gateway.version}.0.0`,
    hostname: index === 0 ? 'emulator' : `emulator-${index + 1}`,
    type: 'kong-proxy',
    config_hash: hash,
    last_ping: at,
    created_at: at,
    updated_at: at,
    compatibility_status: { state: 'COMPATIBILITY_STATE_FULLY_COMPATIBLE' },
  };
}

const hashes = new WeakMap<Store, { readonly changes: number; readonly hash: string }>();

function stateHash(gateway: Gateway): string {
  const { store } = gateway;
  const known = hashes.get(store);
  if (known?.changes === store.changes) return known.hash;
  const md5 = createHash('md5');
  for (const name of gateway.collections.keys()) {
    for (const entity of store.all(name)) md5.update(name).update(canonicalJson(entity));
  }
  const hash = md5.digest('hex');
  hashes.set(store, { changes: store.changes, hash });
  return hash;
}

function passes(plane: ControlPlane, key: string, value: string): boolean {
  if (key === 'labels') return value.split(',').every((label) => hasLabel(plane, label));
  const filter = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(key);
  if (filter === null) return true;
  const [, field = '', operator = 'eq'] = filter;
  const own =
    field === 'name' ? plane.name : field === 'id' ? plane.id : field === 'cluster_type' ? plane.clusterType : null;
  if (own === null) return true;
  switch (operator) {
    case 'contains':
      return own.includes(value);
    case 'neq':
      return own !== value;
    case 'oeq':
      return value.split(',').includes(own);
    default:
      return own === value;
  }
}

function hasLabel(plane: ControlPlane, label: string): boolean {
  const [key = '', wanted] = label.split(':');
  const own = Object.hasOwn(plane.labels, key) ? plane.labels[key] : undefined;
  return own !== undefined && (wanted === undefined || own === wanted);
}

function described(plane: ControlPlane): JsonObject {
  return {
    id: plane.id,
    name: plane.name,
    description: plane.description,
    labels: plane.labels,
    config: {
      control_plane_endpoint: `https://${plane.id.slice(0, 10)}.cp.invalid`,
      telemetry_endpoint: `https://${plane.id.slice(0, 10)}.tp.invalid`,
      cluster_type: plane.clusterType,
      auth_type: 'pinned_client_certs',
      cloud_gateway: false,
      proxy_urls: [],
    },
    created_at: plane.createdAt,
    updated_at: plane.updatedAt,
  };
}

/** An error of the v2 API (deck.md 5.4). */
export function problem(
  status: number,
  title: string,
  detail: string,
  more: { readonly [key: string]: Json } = {},
): Answer {
  const body = { status, title, instance: 'kong:trace:0', detail, ...more };
  return answer(status, body, { 'Content-Type': 'application/problem+json' });
}
