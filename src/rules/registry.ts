import { firstSentence, type Pages, pageText } from '../model/page.ts';
import { certificateAlternative } from './certificate-alternative.ts';
import { certificateCa } from './certificate-ca.ts';
import { certificateChain } from './certificate-chain.ts';
import { certificateExpired } from './certificate-expired.ts';
import { certificateInvalid } from './certificate-invalid.ts';
import { certificateKeyMismatch } from './certificate-key-mismatch.ts';
import { certificateName } from './certificate-name.ts';
import { aclGroup } from './credentials/acl-group.ts';
import { hashedPassword } from './credentials/hashed-password.ts';
import { jwtKey } from './credentials/jwt-key.ts';
import { plainSecret } from './credentials/plain-secret.ts';
import { weakSecret } from './credentials/weak-secret.ts';
import { konnectKind } from './destination/konnect-kind.ts';
import { needsDatabase } from './destination/needs-database.ts';
import { duplicateIdentity } from './duplicate-identity.ts';
import { duplicatePlugin } from './duplicate-plugin.ts';
import { entitySchema } from './entity-schema.ts';
import { deckPages } from './explain/deck-pages.ts';
import { destinationPages } from './explain/destination-pages.ts';
import { filePages } from './explain/file-pages.ts';
import { kubernetesPages } from './explain/kubernetes-pages.ts';
import { missingReference } from './missing-reference.ts';
import { pluginConfig } from './plugin-config.ts';
import { hostNearUpstream } from './references/host-near-upstream.ts';
import { namesAlike } from './references/names-alike.ts';
import { unknownAnonymous } from './references/unknown-anonymous.ts';
import { unknownVault } from './references/unknown-vault.ts';
import { requiredIdentity } from './required-identity.ts';
import { reservedTag } from './reserved-tag.ts';
import { pathLooksLikeRegex } from './routes/path-looks-like-regex.ts';
import { regexPriorityTie } from './routes/regex-priority-tie.ts';
import { sameMatch } from './routes/same-match.ts';
import { shadowedRoute } from './routes/shadowed-route.ts';
import { streamStripPath } from './routes/stream-strip-path.ts';
import { stripPathMixed } from './routes/strip-path-mixed.ts';
import type { Rule } from './rule.ts';
import { adminExposed } from './security/admin-exposed.ts';
import { anonymousAccess } from './security/anonymous-access.ts';
import { corsCredentials } from './security/cors-credentials.ts';
import { openRoute } from './security/open-route.ts';
import { requestTerminated } from './security/request-terminated.ts';
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
  aclGroup,
  adminExposed,
  anonymousAccess,
  certificateAlternative,
  certificateCa,
  certificateChain,
  certificateExpired,
  certificateInvalid,
  certificateKeyMismatch,
  certificateName,
  corsCredentials,
  duplicateIdentity,
  duplicatePlugin,
  entitySchema,
  hashedPassword,
  hostNearUpstream,
  jwtKey,
  konnectKind,
  missingReference,
  namesAlike,
  needsDatabase,
  openRoute,
  pathLooksLikeRegex,
  plainSecret,
  pluginConfig,
  regexPriorityTie,
  requestTerminated,
  requiredIdentity,
  reservedTag,
  sameMatch,
  shadowedRoute,
  streamStripPath,
  stripPathMixed,
  uniqueCredential,
  uniqueId,
  uniqueName,
  uniqueSni,
  uniqueValue,
  unknownAnonymous,
  unknownField,
  unknownPlugin,
  unknownVault,
  weakSecret,
  wrongEdition,
];

/** The names of all rules, sorted. */
export const ruleNames: readonly string[] = rules.map((rule) => rule.name).sort();

const readingPages: Pages = { ...filePages, ...deckPages, ...kubernetesPages, ...destinationPages };

/** The names of all findings that there can be: those of rules, and those of reading files and asking destinations. */
export const findingNames: readonly string[] = [...ruleNames, ...Object.keys(readingPages)].sort();

/** The names of groups of rules, whose severities can be set at once. */
export const ruleGroups: readonly string[] = [...new Set(rules.flatMap((rule) => rule.group ?? []))].sort();

/** The page of a rule, of a group of rules or of another finding, in Markdown, or undefined where there is none of that name. */
export function explain(name: string): string | undefined {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule !== undefined) return rule.documentation;
  if (ruleGroups.includes(name)) return groupPage(name);
  const reading = Object.hasOwn(readingPages, name) ? readingPages[name] : undefined;
  return reading === undefined ? undefined : pageText(name, reading);
}

function groupPage(name: string): string {
  const members = rules.filter((rule) => rule.group === name);
  return [
    `# ${name}`,
    `A group of rules. \`rules: { ${name}: error }\` in the configuration gives all of them that severity, \`off\` switches
them off; what is said of one by its own name wins.`,
    members.map((rule) => `- \`${rule.name}\`: ${rule.summary}`).join('\n'),
    '',
  ].join('\n\n');
}

/** What a rule, or a finding of reading the files, is about, in one line; undefined where there is none of that name. */
export function inOneLine(name: string): string | undefined {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule !== undefined) return rule.summary;
  const reading = Object.hasOwn(readingPages, name) ? readingPages[name] : undefined;
  return reading === undefined ? undefined : firstSentence(reading);
}

/** How bad the findings of a rule are unless the configuration says otherwise; undefined for what reading finds. */
export function usualSeverity(name: string): Rule['severity'] | undefined {
  return rules.find((candidate) => candidate.name === name)?.severity;
}
