import { z } from 'zod';
import { rootSection } from './root.ts';

/** A schema of JSON Schema, as far as this folder writes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What a text with a `${…}` in it looks like. */
const placeholder = '\\$\\{';

/**
 * The JSON Schema (2020-12) of `konverge.yaml`, for editors. Wherever a value of a given form is asked for, a text with
 * a `${…}` fits too. It cannot say all: what `loadConfiguration` accepts is a little less.
 */
export function jsonSchema(): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(rootSection, {
    io: 'input',
    override: ({ jsonSchema: made }) => {
      if (Array.isArray(made.enum)) {
        made.anyOf = [{ enum: made.enum }, { type: 'string', pattern: placeholder }];
        delete made.enum;
        delete made.type;
      }
      if (typeof made.pattern === 'string' && !made.pattern.endsWith(placeholder)) {
        made.pattern = `(?:${made.pattern})|${placeholder}`;
      }
    },
  });
  return { ...schema, title: 'konverge.yaml' };
}
