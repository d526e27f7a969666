import { z } from 'zod';

/**
 * The part of SARIF 2.1.0 that Konverge writes, as strict as the standard's own JSON Schema: names, types, bounds,
 * required properties, and no others (OASIS, Static Analysis Results Interchange Format, sections 3.11 to 3.58).
 */
const message = z.strictObject({ text: z.string().min(1) });
const help = z.strictObject({ text: z.string().min(1), markdown: z.string().min(1) });
const level = z.enum(['none', 'note', 'warning', 'error']);
/** A relative URI reference: no white space, quotes, brackets or stray percent signs. */
const uri = z.string().regex(/^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/);

const region = z
  .strictObject({
    startLine: z.int().min(1),
    startColumn: z.int().min(1),
    endLine: z.int().min(1),
    endColumn: z.int().min(1),
  })
  .refine(
    ({ startLine, startColumn, endLine, endColumn }) =>
      endLine > startLine || (endLine === startLine && endColumn >= startColumn),
    'a region must not end before it starts',
  );

const physicalLocation = z.strictObject({ artifactLocation: z.strictObject({ uri }), region });
const logicalLocations = z.array(
  z.strictObject({ name: z.string(), kind: z.string(), fullyQualifiedName: z.string() }),
);
const location = z.strictObject({
  id: z.int().min(-1).optional(),
  physicalLocation,
  logicalLocations: logicalLocations.optional(),
  message: message.optional(),
});

const unique = <T>(items: readonly T[]) => new Set(items).size === items.length;

const result = z.strictObject({
  ruleId: z.string().min(1),
  ruleIndex: z.int().min(-1),
  level,
  message,
  locations: z.array(location),
  relatedLocations: z
    .array(location)
    .refine((all) => unique(all.map(({ id }) => id)), 'ids must be unique within a result')
    .optional(),
});

const descriptor = z.strictObject({
  id: z.string().min(1),
  shortDescription: message.optional(),
  help: help.optional(),
  defaultConfiguration: z.strictObject({ level }).optional(),
});

const run = z
  .strictObject({
    tool: z.strictObject({
      driver: z.strictObject({
        name: z.string().min(1),
        semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
        rules: z.array(descriptor).refine((all) => unique(all.map(({ id }) => id)), 'rules must be unique'),
      }),
    }),
    columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
    results: z.array(result),
  })
  .refine(
    ({ tool, results }) => results.every(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex]?.id === ruleId),
    'a rule index must lead to the rule',
  );

/** A whole log. */
export const sarifLog = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(run).min(1),
});
