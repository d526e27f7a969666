import { describe, type Entity, entityName } from '../model/entity.ts';
import { type Json, type JsonObject, type JsonPath, valueAt } from '../model/json.ts';
import { foreignKey, kinds } from '../model/kinds.ts';
import { compareLocations, type Location, type Source } from '../model/location.ts';
import { comesFromEnvironment } from '../model/secret.ts';
import { checkEntity } from '../schema/entity.ts';
import type { Fault } from '../schema/fault.ts';
import type { Finding, RuleContext } from './rule.ts';
import { isSecret } from './secret.ts';

/** The rules that report what an entity's schema finds; each fault belongs to exactly one of them, or to another rule. */
export type SchemaRule = 'entity-schema' | 'plugin-config' | 'unknown-field' | 'unknown-plugin';

/** The faults of an entity that a rule is to report. */
export function schemaFaults(entity: Entity, rule: SchemaRule, context: RuleContext): readonly Fault[] {
  return allFaults(entity, context).filter((fault) => ruleOf(entity, fault) === rule);
}

/** All faults of an entity by its schema, found once a run. */
export function allFaults(entity: Entity, context: RuleContext): readonly Fault[] {
  const known = context.memo('schema faults', () => new Map<Entity, readonly Fault[]>());
  const before = known.get(entity);
  if (before !== undefined) return before;
  const all = checkEntity(context.schemas, entity.kind, checkedValue(entity));
  const faults = all.filter((fault) => !isOfElsewhere(entity, fault, context));
  known.set(entity, faults.length === 0 ? none : faults);
  return faults;
}

const none: readonly Fault[] = [];

/**
 * Whether a fault is of a value that the environment brought, where others may stand for such values: in a review, and
 * in checks for no Kong in particular, which are about the files, read with whatever variables there are.
 */
function isOfElsewhere(entity: Entity, fault: Fault, { valuesStandIn }: RuleContext): boolean {
  if (!valuesStandIn || fault.code === 'unknown-field' || entity.fromEnvironment.size === 0) return false;
  return [fault.path, ...(fault.basis ?? [])].some((path) => path.length > 0 && comesFromEnvironment(entity, path));
}

/** Certificates and keys have rules of their own, which say more. */
const certificateFields = ['cert', 'key', 'cert_alt', 'key_alt'];

function ruleOf(entity: Entity, fault: Fault): SchemaRule | null {
  const field = fault.path[0];
  if (entity.kind === 'certificates' || entity.kind === 'ca_certificates') {
    if (fault.code === 'custom' && fault.ofEntity) return null;
    if (fault.code === 'format' && fault.path.length === 1 && certificateFields.includes(String(field))) return null;
  }
  // A foreign key that the schema does not have belongs to a kind that this Kong does not have, which is reported.
  if (fault.code === 'unknown-field' && fault.path.length === 1 && foreignKey(entity.kind, String(field))) return null;
  if (isUnreadUrl(entity, fault)) return null;
  if (fault.code === 'unknown-field') return 'unknown-field';
  if (fault.code === 'unknown-plugin') return 'unknown-plugin';
  if (entity.kind !== 'plugins') return 'entity-schema';
  const ofConfig = field === 'config' || (field === undefined && fault.basis?.some((path) => path[0] === 'config'));
  return ofConfig ? 'plugin-config' : 'entity-schema';
}

/** Whether a service lacks a host because its `url` could not be read, which is a finding of whoever read it. */
function isUnreadUrl(entity: Entity, fault: Fault): boolean {
  if (entity.kind !== 'services' || fault.code !== 'required' || fault.path[0] !== 'host') return false;
  return entity.source?.at(['url']).pointer?.endsWith('/url') === true;
}

/** Stands for the id of what a reference names where the state does not have it: that is another rule's to report. */
const unknownId = '00000000-0000-4000-8000-000000000000';

/** The entity as the schema sees it: its fields and its foreign keys. The id was looked at when it was read. */
function checkedValue(entity: Entity): JsonObject {
  if (entity.references.length === 0) return entity.fields;
  const value: { [field: string]: Json } = { ...entity.fields };
  const lists = new Map<string, Json[]>();
  for (const { field, id } of entity.references) {
    const key = kinds[entity.kind].foreign.find((candidate) => candidate.field === field);
    const wire: Json = key?.wire === 'id' ? (id ?? unknownId) : { id: id ?? unknownId };
    if (key?.list !== true) {
      value[field] = wire;
      continue;
    }
    const list = lists.get(field) ?? [];
    list.push(wire);
    lists.set(field, list);
    value[field] = list;
  }
  return value;
}

/** A finding for a fault, in a sentence about the entity. */
export function faultFinding(entity: Entity, fault: Fault): Finding {
  return {
    message: sentence(entity, fault),
    // A hint to leave out what is not there would puzzle.
    hint:
      valueAt(entity.fields, fault.path) === undefined && fault.code === 'conditional'
        ? ''
        : (placeholderHint(entity, fault) ?? fault.hint),
    locations: placeOf(entity, fault) ?? [],
    entities: [entityName(entity)],
  };
}

/** What to write where a value has a placeholder of a shell, which nothing fills in. */
function placeholderHint(entity: Entity, { path }: Fault): string | null {
  const value = valueAt(entity.fields, path);
  const name = typeof value === 'string' ? /\$\{([A-Z][A-Z0-9_]*)\}/i.exec(value)?.[1] : undefined;
  if (name === undefined) return null;
  // In the middle of a secret it may be a part of it.
  const mayBeSecret = entity.kind === 'plugins' || kinds[entity.kind].secrets.length > 0 || isSecret(entity, path);
  const shown = mayBeSecret && !name.startsWith('DECK_') ? 'NAME' : name;
  const variable = shown.startsWith('DECK_') ? shown : `DECK_${shown.toUpperCase()}`;
  return `Nothing fills in \${${shown}}. Write \${{ env "${variable}" }}, and set that variable.`;
}

function sentence(entity: Entity, fault: Fault): string {
  const nameless = !entity.idGiven && entity.identity.startsWith('#');
  const called = nameless ? `this ${kinds[entity.kind].label}` : describe(entity);
  const subject = nameless ? `This ${kinds[entity.kind].label}` : `The ${called}`;
  if (fault.code === 'unknown-field') {
    const inside = shownPath(fault.path.slice(0, -1));
    const field = JSON.stringify(String(fault.path.at(-1) ?? ''));
    return inside === '' ? `${subject} has no field ${field}.` : `${inside} of ${called} has no field ${field}.`;
  }
  const path = shownPath(fault.path);
  if (path === '') return `${subject}: ${fault.message}.`;
  return `${path} of ${called}${fault.ofEntity ? ':' : ''} ${fault.message}.`;
}

/** A path as people write one: `"config.hosts[2]"`. */
function shownPath(path: JsonPath): string {
  const text = path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
  return text === '' ? '' : JSON.stringify(text);
}

/** Where to look: the value at fault, the key that nothing knows, or what the missing field is missing from. */
function placeOf(entity: Entity, fault: Fault): readonly Location[] | null {
  const { source } = entity;
  if (source === null) return null;
  if (fault.code === 'unknown-field') return [source.at(fault.path, 'key')];
  const written = writtenPath(entity, fault.path);
  if (fault.code === 'custom') {
    const between = basisOf(entity, fault, source);
    if (between !== undefined) return [between];
  }
  if (written.length === fault.path.length && written.length > 0 && !fault.ofEntity) return [source.at(written)];
  const basis = basisOf(entity, fault, source);
  if (basis !== undefined) return [basis];
  const around = written.length > 0 ? written : writtenPath(entity, fault.basis?.[0] ?? []);
  if (around.length === 0) return [source.location];
  return [source.at(around, typeof around.at(-1) === 'string' ? 'key' : 'value')];
}

/** Of the fields that a check looked at and that were written, the one written last. */
function basisOf(entity: Entity, fault: Fault, source: Source): Location | undefined {
  const places = (fault.basis ?? [])
    .filter((path) => writtenPath(entity, path).length === path.length)
    .map((path) => source.at(path));
  return places.sort(compareLocations).at(-1);
}

/** As much of a path as the entity has. */
function writtenPath(entity: Entity, path: JsonPath): JsonPath {
  const field = path[0];
  if (entity.references.some((reference) => reference.field === field)) return path.slice(0, 1);
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length);
    if (valueAt(entity.fields, part) !== undefined) return part;
  }
  return [];
}
