import { type Entity, referenceOf } from '../../../model/entity.ts';
import { jsonEqual } from '../../../model/json.ts';
import type { KindName } from '../../../model/kind.ts';
import { kinds } from '../../../model/kinds.ts';
import type { State } from '../../../model/state.ts';
import { textOf } from '../../../rules/fields.ts';
import { type Compared, noteInBase, noteInHead, pairsOf, placeOf, removedOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { countOf, listOf, namesOf } from '../wording.ts';

const credentialKinds: readonly KindName[] = [
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'mtls_auth_credentials',
];

/** What of a credential proves who somebody is, besides what it is known by. */
const proofs: { readonly [K in KindName]?: readonly string[] } = {
  basicauth_credentials: ['password'],
  hmacauth_credentials: ['secret'],
  jwt_secrets: ['secret', 'rsa_public_key', 'algorithm'],
  oauth2_credentials: ['client_secret'],
};

/** Notes about consumers, credentials and groups that are gone. No key, password or secret is in them. */
export function consumerNotes(states: Compared): readonly RiskNote[] {
  return [
    ...removedConsumers(states),
    ...credentialKinds.flatMap((kind) => removedCredentials(kind, states)),
    ...credentialKinds.flatMap((kind) => changedCredentials(kind, states)),
    ...lostGroups(states),
  ];
}

function removedConsumers(states: Compared): readonly RiskNote[] {
  const removed = removedOf('consumers', states);
  if (removed.length === 0) return [];
  const gone = new Set(removed);
  const credentials = credentialKinds
    .flatMap((kind) => removedOf(kind, states))
    .filter((credential) => gone.has(ownerIn(credential, states.base) ?? credential));
  const also = credentials.length === 0 ? '' : `, with ${countOf(credentials.length, 'credential')}`;
  const message = `${countOf(removed.length, 'consumer is', 'consumers are')} removed: ${namesOf(removed, 5)}${also}.`;
  return [
    noteInBase(
      'consumer-removed',
      'warning',
      message,
      removed.map((entity) => placeOf(entity)),
    ),
  ];
}

function ownerIn(entity: Entity, state: State, field = 'consumer'): Entity | undefined {
  const reference = referenceOf(entity, field);
  if (reference === undefined) return undefined;
  const byId = reference.id === null ? undefined : state.byId(reference.kind, reference.id);
  return byId ?? state.byIdentity(reference.kind, reference.identity);
}

/** Credentials of one kind that consumers lose who stay; a new one of the same consumer takes the place of an old one. */
function removedCredentials(kind: KindName, states: Compared): readonly RiskNote[] {
  const removed = new Map<Entity, Entity[]>();
  for (const credential of removedOf(kind, states)) {
    const owner = ownerIn(credential, states.base);
    if (owner === undefined || states.inHead(owner) === undefined) continue;
    const list = removed.get(owner);
    if (list === undefined) removed.set(owner, [credential]);
    else list.push(credential);
  }
  if (removed.size === 0) return [];
  const added = new Map<Entity, number>();
  for (const credential of states.head.entities.get(kind) ?? []) {
    const owner = ownerIn(credential, states.head);
    if (owner === undefined || states.inBase(credential) !== undefined) continue;
    added.set(owner, (added.get(owner) ?? 0) + 1);
  }
  const parts = [...removed].map(([owner, list]) => {
    const now = states.inHead(owner);
    const fresh = now === undefined ? 0 : (added.get(now) ?? 0);
    return `consumer "${owner.name}": ${list.length} removed${fresh === 0 ? '' : `, ${fresh} added`}`;
  });
  const all = [...removed.values()].flat();
  const message = `${countOf(all.length, kinds[kind].label)} removed from consumers that stay (${listOf(parts, 5)}).`;
  return [
    noteInBase(
      'credential-removed',
      'warning',
      message,
      all.map((entity) => placeOf(entity)),
    ),
  ];
}

function changedCredentials(kind: KindName, states: Compared): readonly RiskNote[] {
  const fields = proofs[kind] ?? [];
  const changed = pairsOf(kind, states).flatMap(([before, after]) => {
    const isKept = fields.every(
      (field) =>
        jsonEqual(before.fields[field], after.fields[field]) &&
        before.fromEnvironment.get(`/${field}`) === after.fromEnvironment.get(`/${field}`),
    );
    return isKept ? [] : [after];
  });
  if (changed.length === 0) return [];
  const message = `${countOf(changed.length, `${kinds[kind].label} gets`, `${kinds[kind].label}s get`)} another secret: ${namesOf(changed, 5)}.`;
  return [
    noteInHead(
      'credential-changed',
      'notice',
      message,
      changed.map((entity) => placeOf(entity)),
    ),
  ];
}

function lostGroups(states: Compared): readonly RiskNote[] {
  const lost = [
    ...removedOf('acls', states).map((entity) => ({ entity, group: textOf(entity, 'group') ?? '' })),
    ...removedOf('consumer_group_consumers', states).map((entity) => ({
      entity,
      group: referenceOf(entity, 'consumer_group')?.identity ?? '',
    })),
  ].flatMap(({ entity, group }) => {
    const owner = ownerIn(entity, states.base);
    return owner === undefined || states.inHead(owner) === undefined ? [] : [{ entity, group, owner }];
  });
  if (lost.length === 0) return [];
  const parts = lost.map(({ group, owner }) => `consumer "${owner.name}" leaves "${group}"`);
  return [
    noteInBase(
      'group-lost',
      'warning',
      `${countOf(lost.length, 'group membership')} lost: ${listOf(parts, 5)}.`,
      lost.map(({ entity }) => placeOf(entity)),
    ),
  ];
}
