import { Failure } from '../../platform/failure.ts';
import type { NodeWorld } from './node.ts';

/** The nodes of a DB-less destination, whether they are listed or found. */
export interface Fleet {
  /** The nodes that were known when they were last looked for; empty before that. */
  readonly nodes: readonly NodeWorld[];
  /** Looks for the nodes. Those that were there before stay the same. Throws Failure where none is known. */
  refresh(signal: AbortSignal): Promise<readonly NodeWorld[]>;
  /** Ends the connections to all of them. */
  close(): Promise<void>;
}

/** The nodes of a list. */
export function listedFleet(nodes: readonly NodeWorld[]): Fleet {
  return {
    nodes,
    refresh: async () => nodes,
    close: async () => {
      await Promise.all(nodes.map((node) => node.http.close()));
    },
  };
}

/** What the name system is asked. Both throw where it gives no answer. */
export interface Resolver {
  /** The addresses of a host name, IPv4 and IPv6. */
  readonly addresses: (host: string) => Promise<readonly string[]>;
  /** The hosts and ports of a service name. */
  readonly services: (name: string) => Promise<readonly { readonly name: string; readonly port: number }[]>;
}

/** What nodes are found with. */
export interface NamedWorld {
  /** `host:port` for the addresses of a host, a name without a port for the hosts of a service (SRV); `https://` may stand before. */
  readonly dns: string;
  readonly resolver: Resolver;
  /** Opens one node; `serverName` is the name that its certificate has to have. */
  readonly open: (url: string, serverName: string) => NodeWorld;
}

/**
 * Nodes that are found by name: looked for anew each time, so that one that joins is fed and one that leaves is
 * forgotten. When the name system does not answer, or with nothing, those known before stay.
 */
export function namedFleet(world: NamedWorld): Fleet {
  const known = new Map<string, NodeWorld>();
  let nodes: readonly NodeWorld[] = [];
  return {
    get nodes() {
      return nodes;
    },
    refresh: async (signal) => {
      const found = await look(world);
      signal.throwIfAborted();
      if (found instanceof Failure || found.size === 0) {
        if (nodes.length > 0) return nodes;
        throw found instanceof Failure ? found : noNodes(world.dns, 'it names no node');
      }
      for (const [url, node] of known) {
        if (found.has(url)) continue;
        known.delete(url);
        await node.http.close();
      }
      for (const [url, serverName] of found) {
        if (!known.has(url)) known.set(url, world.open(url, serverName));
      }
      nodes = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, node]) => node);
      return nodes;
    },
    close: async () => {
      await Promise.all([...known.values()].map((node) => node.http.close()));
    },
  };
}

/** The nodes' addresses, each with the name that its certificate has to have. */
async function look({ dns, resolver }: NamedWorld): Promise<ReadonlyMap<string, string> | Failure> {
  const { scheme, host, port } = dnsParts(dns);
  try {
    if (port === null) {
      const services = await resolver.services(host);
      return new Map(services.map((one) => [`${scheme}://${one.name.replace(/\.$/, '')}:${one.port}`, one.name]));
    }
    const addresses = await resolver.addresses(host);
    return new Map(
      addresses.map((address) => [`${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`, host]),
    );
  } catch (thrown) {
    return noNodes(dns, thrown instanceof Error ? thrown.message : 'no answer');
  }
}

/** The parts of `kong.dns`: `[https://]host:port` or `[https://]service`. */
export function dnsParts(dns: string): {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number | null;
} {
  const [, secure, host = dns, port] = /^(?:http(s?):\/\/)?([^:/]+)(?::(\d+))?\/?$/.exec(dns) ?? [];
  return { scheme: secure === 's' ? 'https' : 'http', host, port: port === undefined ? null : Number(port) };
}

function noNodes(dns: string, why: string): Failure {
  return new Failure({
    class: 'unreachable',
    code: 'no-nodes',
    message: `no node is found under ${dns}: ${why}`,
    hint: 'Check `kong.dns`: HOST:PORT is asked for A and AAAA records, a name without a port for SRV records.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
