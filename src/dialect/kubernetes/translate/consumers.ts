import type { RawEntity } from '../../../model/assemble.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { listAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { credentialOf } from './credentials.ts';
import { rawEntity, refersTo, tagsPlace } from './raw.ts';

/** Consumers and groups of one translation, by their objects, and all entities that they come to. */
export interface AccessEntities {
  readonly consumers: ReadonlyMap<KubeObject, RawEntity>;
  readonly groups: ReadonlyMap<KubeObject, RawEntity>;
  readonly entities: readonly RawEntity[];
}

/** The groups, consumers, memberships and credentials of the class (kic.md 6.10). */
export function accessEntities(to: Translation): AccessEntities {
  const groups = new Map<KubeObject, RawEntity>();
  for (const object of to.classes.annotated('KongConsumerGroup')) {
    const places = [{ field: ['name'], object, path: ['metadata', 'name'] }, tagsPlace(object)];
    groups.set(object, rawEntity('consumer_groups', object, { name: object.name, tags: tagsOf(object) }, { places }));
  }
  const consumers = new Map<KubeObject, RawEntity>();
  const belongings: RawEntity[] = [];
  for (const object of to.classes.annotated('KongConsumer')) {
    const consumer = consumerOf(object, to);
    if (consumer === null) continue;
    consumers.set(object, consumer);
    const own = [...memberships(object, consumer, groups, to), ...credentials(object, consumer, to)];
    for (const one of own) belongings.push(one);
  }
  return { consumers, groups, entities: [...groups.values(), ...consumers.values(), ...belongings] };
}

/** What a consumer is called in a reference, or null where it has no name. */
export function consumerName({ value }: KubeObject): string | null {
  return textAt(value, 'username') || textAt(value, 'custom_id') || null;
}

function consumerOf(object: KubeObject, { findings }: Translation): RawEntity | null {
  const [username, customId] = [textAt(object.value, 'username') ?? '', textAt(object.value, 'custom_id') ?? ''];
  if (username === '' && customId === '') {
    if (!findings.isBroken(object)) {
      const hint = 'Add one of them.';
      findings.error(
        'kubernetes-consumer',
        { object },
        `${shownObject(object)} has neither username nor custom_id`,
        hint,
      );
    }
    return null;
  }
  const fields = {
    ...(username === '' ? {} : { username }),
    ...(customId === '' ? {} : { custom_id: customId }),
    tags: tagsOf(object),
  };
  const places = ['username', 'custom_id'].map((field) => ({ field: [field], object, path: [field] }));
  return rawEntity('consumers', object, fields, { places: [...places, tagsPlace(object)] });
}

function memberships(
  object: KubeObject,
  consumer: RawEntity,
  groups: ReadonlyMap<KubeObject, RawEntity>,
  to: Translation,
): readonly RawEntity[] {
  const names = listAt(object.value, 'consumerGroups');
  return names.flatMap((name, index): readonly RawEntity[] => {
    if (typeof name !== 'string' || names.indexOf(name) !== index) return [];
    const path = ['consumerGroups', index];
    const group = to.store.get('KongConsumerGroup', object.namespace, name);
    const entity = group === undefined ? undefined : groups.get(group);
    if (entity !== undefined) {
      const places = ['consumer', 'consumer_group'].map((field) => ({ field: [field], object, path }));
      const references = [refersTo('consumer_group', entity), refersTo('consumer', consumer)];
      return [rawEntity('consumer_group_consumers', object, {}, { places, references })];
    }
    to.findings.error(
      'kubernetes-missing-group',
      { object, path },
      `${shownObject(object)} names the KongConsumerGroup ${JSON.stringify(name)}, which ${group === undefined ? 'is not declared in its namespace' : 'is of another class'}`,
      'Declare the group, or correct its name.',
      { others: group === undefined ? [] : [{ object: group }] },
    );
    return [];
  });
}

function credentials(object: KubeObject, consumer: RawEntity, to: Translation): readonly RawEntity[] {
  const names = listAt(object.value, 'credentials');
  return names.flatMap((name, index): readonly RawEntity[] => {
    if (typeof name !== 'string') return [];
    const spot = { object, path: ['credentials', index] };
    if (names.indexOf(name) !== index) {
      const message = `${shownObject(object)} names the Secret ${JSON.stringify(name)} twice`;
      to.findings.error('kubernetes-credential', spot, message, 'Remove one of the two.');
      return [];
    }
    const secret = to.store.get('Secret', object.namespace, name);
    if (secret !== undefined) return credentialOf(secret, consumer, spot, to);
    to.findings.error(
      'kubernetes-missing-secret',
      spot,
      `${shownObject(object)} names the Secret ${JSON.stringify(name)}, which is not declared in its namespace`,
      'Declare the Secret, or correct its name.',
    );
    return [];
  });
}
