import type { PathFault } from './explain.ts';
import type { DestinationSettings } from './settings.ts';
import { isMapping, type Mapping } from './tree.ts';

/** What a destination claims for itself. */
export interface Claim {
  readonly name: string;
  /** Each place as one text: the address with workspace or control plane. */
  readonly places: readonly string[];
  /** Whether it is always owned whole: DB-less nodes. */
  readonly whole: boolean;
  readonly tags: readonly string[];
  /** What is left of the files and kinds, as one text: two that are alike get the same. */
  readonly part: string;
  readonly excludesKinds: boolean;
}

/**
 * The place that two destinations both claim, or null. Scopes that cannot meet are no clash: those of tags of which
 * neither has all of the other's. What files say of select_tags is not known here, so that without tags only two that
 * get the same of one repository are sure to clash; kinds that are left out may be the other's.
 */
export function clashOf(one: Claim, other: Claim, sameRepository: boolean): string | null {
  const place = one.places.find((each) => other.places.includes(each));
  if (place === undefined) return null;
  if (one.whole || other.whole) return place;
  if (one.excludesKinds || other.excludesKinds) return null;
  if (one.tags.length === 0 && other.tags.length === 0) {
    return sameRepository && one.part === other.part ? place : null;
  }
  if (one.tags.length === 0 || other.tags.length === 0) return null;
  return holdsAll(one.tags, other.tags) || holdsAll(other.tags, one.tags) ? place : null;
}

/** Two destinations of one file that claim the same place, as faults of the later one. */
export function claimFaults(destinations: readonly unknown[]): readonly PathFault[] {
  const claims = destinations.map((destination) => (isMapping(destination) ? writtenClaim(destination) : null));
  return claims.flatMap((claim, index): readonly PathFault[] => {
    if (claim === null) return [];
    for (const other of claims.slice(0, index)) {
      const place = other === null ? null : clashOf(claim, other, true);
      if (place === null) continue;
      return [{ path: ['destinations', index], message: claimedWords(place, other?.name ?? ''), hint: claimHint }];
    }
    return [];
  });
}

/** What is said of a destination that claims what another one does. */
export function claimedWords(place: string, other: string): string {
  return `claims ${place}, as \`${other}\` does: each would undo what the other delivers`;
}

/** What to do about it. */
export const claimHint = 'Make one of them, or give each `tags` that the other does not have';

/** The claim of a destination whose settings are known. */
export function claimOf({ name, connection, tags, include, exclude }: DestinationSettings): Claim {
  const shared = { name, tags, part: partOf(include, exclude.files), excludesKinds: exclude.kinds.length > 0 };
  switch (connection.type) {
    case 'kong':
      return { ...shared, places: [kongPlace(connection.url, connection.workspace)], whole: false };
    case 'dbless':
      return { ...shared, places: connection.nodes.map((url) => kongPlace(url, null)), whole: true };
    case 'konnect':
      return { ...shared, places: [konnectPlace(connection.url, connection.controlPlane)], whole: false };
  }
}

/** The claim of a destination as it is written, before any `${…}` in it is resolved: two of one text are one place. */
export function writtenClaim(destination: Mapping): Claim {
  const { name, kong, konnect, include, exclude } = destination;
  const excluded = isMapping(exclude) ? exclude : {};
  const shared = {
    name: String(name),
    tags: texts(destination['tags']),
    part: partOf(texts(include), texts(excluded['files'])),
    excludesKinds: texts(excluded['kinds']).length > 0,
  };
  if (isMapping(konnect)) {
    const { url, region, controlPlane } = konnect;
    const base = typeof url === 'string' ? url : `https://${String(region)}.api.konghq.com`;
    const places = typeof controlPlane === 'string' ? [konnectPlace(base, controlPlane)] : [];
    return { ...shared, places, whole: false };
  }
  const { url, nodes, workspace } = isMapping(kong) ? kong : {};
  if (typeof url !== 'string') {
    return { ...shared, places: texts(nodes).map((node) => kongPlace(node, null)), whole: true };
  }
  return { ...shared, places: [kongPlace(url, typeof workspace === 'string' ? workspace : null)], whole: false };
}

function kongPlace(url: string, workspace: string | null): string {
  return `${plainUrl(url)}${workspace === null || workspace === 'default' ? '' : ` (workspace ${workspace})`}`;
}

function konnectPlace(url: string, controlPlane: string): string {
  return `the control plane ${controlPlane} at ${plainUrl(url)}`;
}

/** Without what tells nothing apart, and without userinfo, which may be secret. */
function plainUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/+$/, '');
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

function partOf(include: readonly string[], files: readonly string[]): string {
  return JSON.stringify([[...include].sort(), [...files].sort()]);
}

function holdsAll(tags: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((tag) => tags.includes(tag));
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
