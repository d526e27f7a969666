import { claimFaults } from './claims.ts';
import type { PathFault } from './explain.ts';
import { hasPlaceholder } from './interpolate.ts';
import { orderFaults } from './order-checks.ts';
import { isMapping, type KeyPath, type Mapping } from './tree.ts';

/**
 * What a schema of single keys cannot say: keys that exclude or need each other, names that clash, and values that no
 * part of Konverge handles yet. Looks at the tree as written, so that all of it is told in one go with the rest.
 */
export function crossFaults(root: unknown): readonly PathFault[] {
  if (!isMapping(root)) return [];
  const destinations = Array.isArray(root['destinations']) ? root['destinations'] : [];
  return [
    ...repositoryFaults(root['repository']),
    ...serverFaults(root['server']),
    ...reviewFaults(root),
    ...nameFaults(destinations),
    ...claimFaults(destinations),
    ...orderFaults(destinations),
    ...destinations.flatMap((destination, index) => destinationFaults(destination, ['destinations', index])),
  ];
}

/** Pull requests are those of the forges that get the commit statuses. */
function reviewFaults({ review, status }: Mapping): readonly PathFault[] {
  if (!isMapping(review) || (isMapping(status) && Object.keys(status).length > 0)) return [];
  const hint = 'Name the forge with its repository and token under status, or delete review';
  return [fault(['review'], 'needs one of the forges, and `status` names no forge', hint)];
}

function repositoryFaults(repository: unknown): readonly PathFault[] {
  if (!isMapping(repository)) return [];
  const faults: PathFault[] = [];
  const url = repository['url'];
  if (typeof url === 'string' && (/^ssh:/i.test(url) || /^[\w.-]+@[\w.-]+:/.test(url))) {
    faults.push(fault(['repository', 'url'], 'is an SSH address, which is not supported yet', 'Use https'));
  } else if (typeof url === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^(https?|file):\/\//i.test(url)) {
    faults.push(fault(['repository', 'url'], 'must be an https or http URL, or a path of this machine', ''));
  }
  const path = repository['path'];
  if (typeof path === 'string' && path.split('/').includes('..')) {
    faults.push(fault(['repository', 'path'], 'must not leave the repository', 'Write it from the repository’s root'));
  }
  const auth = repository['auth'];
  if (isMapping(auth)) for (const one of authFaults(auth, url)) faults.push(one);
  return faults;
}

function authFaults(auth: Mapping, url: unknown): readonly PathFault[] {
  const path = ['repository', 'auth'];
  const has = (key: string) => auth[key] !== undefined;
  if (has('token') && (has('username') || has('password'))) {
    return [fault(path, 'must have either a token or user name and password', '')];
  }
  if (has('username') !== has('password')) {
    return [fault(path, 'must have user name and password together', 'For a token, write `token` alone')];
  }
  if (typeof url === 'string' && /^https?:\/\/[^/]*@/i.test(url)) {
    return [fault(path, 'must not be given when the URL has a user name', 'Take the user name out of the URL')];
  }
  return [];
}

function serverFaults(server: unknown): readonly PathFault[] {
  if (!isMapping(server) || server['token'] !== undefined) return [];
  const listen = server['listen'];
  if (typeof listen !== 'string' || hasPlaceholder(listen) || isLoopback(listen)) return [];
  return [
    fault(
      ['server', 'listen'],
      'is reachable from other machines, so `server.token` is needed',
      'Set a token, or listen on 127.0.0.1',
    ),
  ];
}

/** Whether an address HOST:PORT is of this machine alone. */
export function isLoopback(listen: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]):\d+$/i.test(listen);
}

const reservedNames = new Set(['validate', 'plan']);

function nameFaults(destinations: readonly unknown[]): readonly PathFault[] {
  const seen = new Set<string>();
  return destinations.flatMap((destination, index): readonly PathFault[] => {
    const name = isMapping(destination) ? destination['name'] : undefined;
    if (typeof name !== 'string') return [];
    const path = ['destinations', index, 'name'];
    if (hasPlaceholder(name)) return [fault(path, 'must be written out', `It is needed before any \${…} is resolved`)];
    if (reservedNames.has(name))
      return [fault(path, `must not be \`${name}\``, 'A commit status of Konverge has this name')];
    if (seen.has(name)) return [fault(path, 'is the name of another destination too', 'Names have to differ')];
    seen.add(name);
    return [];
  });
}

function destinationFaults(destination: unknown, path: KeyPath): readonly PathFault[] {
  if (!isMapping(destination)) return [];
  const { kong, konnect, tags } = destination;
  const faults: PathFault[] = [];
  if ((kong === undefined) === (konnect === undefined)) {
    faults.push(fault(path, 'must have exactly one of `kong` and `konnect`', ''));
  }
  const ofKong = isMapping(kong)
    ? [...kongFaults(kong, [...path, 'kong']), ...pairFaults(kong, [...path, 'kong'])]
    : [];
  for (const one of ofKong) faults.push(one);
  const way = isMapping(kong) ? dblessWay(kong) : null;
  if (way !== null && Array.isArray(tags) && tags.length > 0) {
    faults.push(fault([...path, 'tags'], `cannot be used with \`${way}\``, 'A DB-less node is always owned whole'));
  }
  const exclude = destination['exclude'];
  if (way !== null && isMapping(exclude) && exclude['prune'] !== true) {
    for (const key of ['kinds', 'tags']) {
      const left = exclude[key];
      if (!Array.isArray(left) || left.length === 0) continue;
      const message = `cannot be left alone with \`${way}\`: a DB-less node takes its configuration whole, so that what is left out is deleted where it is live`;
      faults.push(fault([...path, 'exclude', key], message, 'Set `exclude.prune: true` if that is meant'));
    }
  }
  const policy = destination['policy'];
  if (way !== null && isMapping(policy)) {
    const message = `cannot be used with \`${way}\``;
    for (const key of ['driftIgnore', 'driftReport']) {
      if (policy[key] === undefined) continue;
      faults.push(fault([...path, 'policy', key], message, 'A DB-less node is always owned whole'));
    }
  }
  if (isMapping(konnect)) {
    for (const one of pairFaults(konnect, [...path, 'konnect'])) faults.push(one);
    if ((konnect['region'] === undefined) === (konnect['url'] === undefined)) {
      faults.push(fault([...path, 'konnect'], 'must have exactly one of `region` and `url`', ''));
    }
  }
  return faults;
}

/** The key by which DB-less nodes are named; null where they are not. */
function dblessWay(kong: Mapping): 'nodes' | 'dns' | null {
  if (kong['nodes'] !== undefined) return 'nodes';
  return kong['dns'] === undefined ? null : 'dns';
}

function kongFaults(kong: Mapping, path: KeyPath): readonly PathFault[] {
  const { url, nodes, dns, quorum, workspace } = kong;
  const faults: PathFault[] = [];
  if ([url, nodes, dns].filter((way) => way !== undefined).length !== 1) {
    faults.push(fault(path, 'must have exactly one of `url`, `nodes` and `dns`', ''));
  }
  if (url !== undefined && quorum !== undefined) {
    faults.push(fault([...path, 'quorum'], 'is for DB-less nodes only', ''));
  }
  const way = dblessWay(kong);
  if (way !== null && workspace !== undefined) {
    faults.push(fault([...path, 'workspace'], `cannot be used with \`${way}\``, 'A DB-less node has no workspaces'));
  }
  if (Array.isArray(nodes)) {
    const texts = nodes.map((node) => (typeof node === 'string' ? node.replace(/\/+$/, '') : node));
    texts.forEach((node, index) => {
      if (texts.indexOf(node) < index) faults.push(fault([...path, 'nodes', index], 'is in the list twice', ''));
    });
    if (typeof quorum === 'number' && quorum > nodes.length) {
      faults.push(fault([...path, 'quorum'], `must not be more than the ${nodes.length} nodes`, ''));
    }
  }
  return faults;
}

function pairFaults(connection: Mapping, path: KeyPath): readonly PathFault[] {
  if ((connection['cert'] === undefined) === (connection['key'] === undefined)) return [];
  return [fault(path, 'must have `cert` and `key` together', '')];
}

function fault(path: KeyPath, message: string, hint: string): PathFault {
  return { path, message, hint };
}
