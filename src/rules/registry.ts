import { certificateAlternative } from './certificate-alternative.ts';
import { certificateCa } from './certificate-ca.ts';
import { certificateExpired } from './certificate-expired.ts';
import { certificateInvalid } from './certificate-invalid.ts';
import { certificateKeyMismatch } from './certificate-key-mismatch.ts';
import { duplicateIdentity } from './duplicate-identity.ts';
import { duplicatePlugin } from './duplicate-plugin.ts';
import { entitySchema } from './entity-schema.ts';
import { missingReference } from './missing-reference.ts';
import { pluginConfig } from './plugin-config.ts';
import { requiredIdentity } from './required-identity.ts';
import { reservedTag } from './reserved-tag.ts';
import type { Rule } from './rule.ts';
import { uniqueCredential } from './unique-credential.ts';
import { uniqueId } from './unique-id.ts';
import { uniqueName } from './unique-name.ts';
import { uniqueSni } from './unique-sni.ts';
import { uniqueValue } from './unique-value.ts';
import { unknownField } from './unknown-field.ts';
import { unknownPlugin } from './unknown-plugin.ts';
import { wrongEdition } from './wrong-edition.ts';

/** The only list of rules, by name. */
export const rules: readonly Rule[] = [
  certificateAlternative,
  certificateCa,
  certificateExpired,
  certificateInvalid,
  certificateKeyMismatch,
  duplicateIdentity,
  duplicatePlugin,
  missingReference,
  requiredIdentity,
  unknownPlugin,
  unknownField,
  pluginConfig,
  entitySchema,
  reservedTag,
  uniqueCredential,
  uniqueId,
  uniqueName,
  uniqueSni,
  uniqueValue,
  wrongEdition,
];

/** The names of all rules, sorted. */
export const ruleNames: readonly string[] = rules.map((rule) => rule.name).sort();

/** The documentation page of a rule, in Markdown, or undefined where there is no such rule. */
export function explain(name: string): string | undefined {
  return rules.find((rule) => rule.name === name)?.documentation;
}
