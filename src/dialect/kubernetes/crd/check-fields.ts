import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  ownValue,
  setOwn,
} from '../../../model/json.ts';
import { nearestWord } from '../../../model/suggest.ts';
import { CelError, celHolds } from './cel.ts';
import type { FieldSchema } from './field-schema.ts';
import { pattern } from './pattern.ts';
import { ruleWords } from './rule-words.ts';

/** What is wrong with a field of an object. No message shows a value. */
export interface FieldFault {
  readonly path: JsonPath;
  readonly part: 'key' | 'value';
  readonly about: 'field' | 'unknown' | 'rule';
  readonly message: string;
  readonly hint: string;
}

/** All that an API server would refuse of a value, and what it would drop without a word. The value has its defaults. */
export function checkFields(value: Json, schema: FieldSchema): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  new FieldChecker(faults).check(value, schema, []);
  return faults;
}

/** A value with the defaults that an API server fills in where a field is not there. */
export function withDefaults(value: Json, schema: FieldSchema): Json {
  if (isJsonArray(value)) {
    const { items } = schema;
    return items === undefined ? value : mapped(value, (item) => withDefaults(item, items));
  }
  if (!isJsonObject(value)) return value;
  const filled: { [key: string]: Json } = {};
  let changed = false;
  for (const [key, inner] of Object.entries(value)) {
    const of = ownValue(schema.properties ?? {}, key) ?? schema.additionalProperties;
    // Null is no value where a default is known.
    if (inner === null && typeof of === 'object' && of.default !== undefined) continue;
    const made = typeof of === 'object' ? withDefaults(inner, of) : inner;
    setOwn(filled, key, made);
    changed ||= made !== inner;
  }
  for (const [key, { default: made }] of Object.entries(schema.properties ?? {})) {
    if (made === undefined || Object.hasOwn(filled, key)) continue;
    filled[key] = withDefaults(made, schema.properties?.[key] ?? {});
    changed = true;
  }
  return changed ? filled : value;
}

function mapped(list: readonly Json[], make: (item: Json) => Json): readonly Json[] {
  const made = list.map(make);
  return made.some((item, index) => item !== list[index]) ? made : list;
}

class FieldChecker {
  readonly #faults: FieldFault[];

  constructor(faults: FieldFault[]) {
    this.#faults = faults;
  }

  check(value: Json, schema: FieldSchema, path: JsonPath): void {
    const before = this.#faults.length;
    if (!this.#hasType(value, schema)) {
      this.#fault(path, `${shown(path)} has to be ${typeWord(schema)}`, 'Correct the value, or its indentation.');
      return;
    }
    if (schema.enum !== undefined && !schema.enum.includes(value)) {
      const nearest = typeof value === 'string' ? nearestWord(value, schema.enum.map(String)) : undefined;
      const hint = nearest === undefined ? 'Write one of them.' : `Did you mean ${JSON.stringify(nearest)}?`;
      this.#fault(path, `${shown(path)} has to be one of ${schema.enum.map(String).join(', ')}`, hint);
    }
    if (typeof value === 'string') this.#checkText(value, schema, path);
    if (typeof value === 'number') this.#checkNumber(value, schema, path);
    if (isJsonArray(value)) this.#checkList(value, schema, path);
    if (isJsonObject(value)) this.#checkMapping(value, schema, path);
    this.#checkChoices(value, schema, path);
    // A rule about parts that are wrong themselves would only say it again.
    const near = this.#faults
      .slice(before)
      .some((fault) => fault.path.length <= path.length + 1 && fault.about === 'field');
    if (!near) this.#checkRules(value, schema, path);
  }

  #hasType(value: Json, schema: FieldSchema): boolean {
    if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || Number.isInteger(value);
    const { type } = schema;
    if (type === undefined) return true;
    if (type === 'object') return isJsonObject(value);
    if (type === 'array') return isJsonArray(value);
    return type === 'integer' ? Number.isInteger(value) : typeof value === type;
  }

  #checkText(value: string, schema: FieldSchema, path: JsonPath): void {
    const { length } = [...value];
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    if (length < minLength) this.#fault(path, `${shown(path)} is shorter than ${minLength}`, 'Write a longer text.');
    if (length > maxLength) this.#fault(path, `${shown(path)} is longer than ${maxLength}`, 'Write a shorter text.');
    if (schema.pattern !== undefined && !pattern(schema.pattern).test(value)) {
      this.#fault(
        path,
        `${shown(path)} has not the form that is asked for`,
        schema.patternHint ?? `It has to match ${schema.pattern}`,
      );
    }
  }

  #checkNumber(value: number, schema: FieldSchema, path: JsonPath): void {
    const { minimum, maximum } = schema;
    if (minimum !== undefined && value < minimum) {
      this.#fault(path, `${shown(path)} has to be ${minimum} or more`, 'Write a larger number.');
    }
    if (maximum !== undefined && value > maximum) {
      this.#fault(path, `${shown(path)} has to be ${maximum} or less`, 'Write a smaller number.');
    }
  }

  #checkList(value: readonly Json[], schema: FieldSchema, path: JsonPath): void {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
    if (value.length < minItems) this.#fault(path, `${shown(path)} needs ${minItems} or more`, 'Add what is missing.');
    if (value.length > maxItems)
      this.#fault(path, `${shown(path)} has more than ${maxItems}`, 'Divide it into several.');
    if (items !== undefined) for (const [index, item] of value.entries()) this.check(item, items, [...path, index]);
    const keys = schema['x-kubernetes-list-map-keys'];
    if (keys === undefined) return;
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      const key = JSON.stringify(keys.map((name) => (isJsonObject(item) ? (item[name] ?? null) : null)));
      if (seen.has(key)) {
        this.#fault([...path, index], `${shown(path)} has two with the same ${keys.join(' and ')}`, 'Remove one.');
      }
      seen.add(key);
    }
  }

  #checkMapping(value: JsonObject, schema: FieldSchema, path: JsonPath): void {
    const { properties = {}, additionalProperties, required = [] } = schema;
    for (const name of required) {
      if (!Object.hasOwn(value, name) || value[name] === null) {
        this.#fault(path, `${shown([...path, name])} is missing`, 'Add it.');
      }
    }
    const count = Object.keys(value).length;
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
    if (count < minProperties) this.#fault(path, `${shown(path)} needs ${minProperties} or more`, 'Add to it.');
    if (count > maxProperties) this.#fault(path, `${shown(path)} has more than ${maxProperties}`, 'Remove some.');
    for (const [key, inner] of Object.entries(value)) {
      const of = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      const at = [...path, key];
      if (typeof of === 'object') {
        if (inner !== null) this.check(inner, of, at);
      } else if (of !== true && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
        if (schema.properties !== undefined) this.#unknown(at, Object.keys(properties));
      }
    }
  }

  #checkChoices(value: Json, schema: FieldSchema, path: JsonPath): void {
    const fits = (choice: FieldSchema) =>
      checkFields(value, { ...choice, ...open }).every(({ about }) => about === 'unknown');
    const hint = 'See the description of the kind.';
    if (schema.anyOf !== undefined && !schema.anyOf.some(fits)) {
      this.#fault(path, `${shown(path)} is none of the forms that there are for it`, hint);
    }
    if (schema.oneOf !== undefined && schema.oneOf.filter(fits).length !== 1) {
      this.#fault(path, `${shown(path)} has to be exactly one of the forms that there are for it`, hint);
    }
    if (schema.not !== undefined && fits(schema.not)) this.#fault(path, `${shown(path)} must not be so`, hint);
  }

  #checkRules(value: Json, schema: FieldSchema, path: JsonPath): void {
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      try {
        if (celHolds(rule, value)) continue;
      } catch (error) {
        // What a rule looks at is not there: an API server refuses that, unless it would have been filled in.
        if (error instanceof CelError) continue;
        throw error;
      }
      const { message, hint, at } = ruleWords(rule, shown(path));
      this.#faults.push({
        path: [...path, ...at],
        part: at.length === 0 ? 'value' : 'key',
        about: 'rule',
        message,
        hint,
      });
    }
  }

  #unknown(path: JsonPath, known: readonly string[]): void {
    const nearest = nearestWord(String(path.at(-1)), known);
    const hint = nearest === undefined ? 'Remove it, or correct its name.' : `Did you mean ${JSON.stringify(nearest)}?`;
    this.#faults.push({
      path,
      part: 'key',
      about: 'unknown',
      message: `${shown(path)} is no field of the kind, so an API server drops it`,
      hint,
    });
  }

  #fault(path: JsonPath, message: string, hint: string): void {
    this.#faults.push({ path, part: 'value', about: 'field', message, hint });
  }
}

const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** A path as people write one: `spec.rules[0].matches`. */
function shown(path: JsonPath): string {
  if (path.length === 0) return 'The object';
  return `\`${path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')}\``;
}

const typeWords: { readonly [type in NonNullable<FieldSchema['type']>]: string } = {
  object: 'a mapping',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function typeWord(schema: FieldSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'a whole number or a text';
  return schema.type === undefined ? 'something else' : typeWords[schema.type];
}
