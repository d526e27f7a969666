import type { z } from 'zod';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { isPlanned } from './not-yet.ts';
import { nearest } from './suggest.ts';
import { isMapping, type KeyPath, valueAt } from './tree.ts';

/** A fault before its place is known. */
export interface PathFault {
  readonly path: KeyPath;
  readonly message: string;
  readonly hint: string;
}

/** What zod found, in our words: one fault for each unknown key, with the key that was probably meant. */
export function explainIssue(issue: z.core.$ZodIssue, path: KeyPath, tree: unknown): readonly PathFault[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key));
  if (issue.code === 'invalid_key')
    return [{ path, message: issue.issues[0]?.message ?? 'has a wrong name', hint: '' }];
  const value = valueAt(tree, path);
  if (value === undefined) return [{ path, message: 'is missing', hint: '' }];
  if (value === null) return [{ path, message: 'is empty', hint: 'Give it a value, or leave the key out.' }];
  switch (issue.code) {
    case 'invalid_type':
      return [
        {
          path,
          message: issue.message.startsWith('must ') ? issue.message : `must be ${typeWord(issue.expected)}`,
          hint: '',
        },
      ];
    case 'invalid_value':
      return [{ path, ...wrongWord(issue.values.map(String), value) }];
    case 'invalid_union':
    case 'custom':
    case 'invalid_format':
    case 'too_big':
    case 'too_small':
    case 'not_multiple_of':
    case 'invalid_element':
      return [{ path, message: issue.message, hint: '' }];
  }
}

function unknownKey(mapping: KeyPath, key: string): PathFault {
  const path = [...mapping, key];
  if (isPlanned(mapping, key)) {
    return {
      path,
      message: 'is not supported yet',
      hint: 'Take it out: leaving it in would promise what does not happen',
    };
  }
  const known = knownKeys(mapping);
  const meant = nearest(key, known);
  return {
    path,
    message: 'is not a known key',
    hint: meant === undefined ? `Known here: ${known.join(', ')}` : `Did you mean \`${meant}\`?`,
  };
}

function wrongWord(allowed: readonly string[], value: unknown): Omit<PathFault, 'path'> {
  const meant = typeof value === 'string' ? nearest(value, allowed) : undefined;
  return {
    message: `must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}`,
    hint: meant === undefined ? '' : `Did you mean \`${meant}\`?`,
  };
}

function typeWord(expected: string): string {
  switch (expected) {
    case 'string':
      return 'a text';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'a mapping of keys and values';
    case 'number':
      return 'a number';
    default:
      return `a ${expected}`;
  }
}

function knownKeys(mapping: KeyPath): readonly string[] {
  let schema: unknown = jsonSchema();
  for (const key of mapping) {
    if (!isMapping(schema)) return [];
    schema = typeof key === 'number' ? schema['items'] : propertiesOf(schema)[key];
  }
  return isMapping(schema) ? Object.keys(propertiesOf(schema)) : [];
}

function propertiesOf(schema: JsonSchema): { readonly [key: string]: unknown } {
  return isMapping(schema['properties']) ? schema['properties'] : {};
}
