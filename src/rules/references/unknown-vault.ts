import { describe, type Entity } from '../../model/entity.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../model/json.ts';
import { comesFromEnvironment } from '../../model/secret.ts';
import { nearestWord } from '../../model/suggest.ts';
import { findingAt } from '../finding.ts';
import { mayBeLeftOut } from '../left-out.ts';
import { page } from '../page.ts';
import type { Finding, Rule, RuleContext } from '../rule.ts';

/** What Kong resolves without a vault entity, by the edition that has it. */
const builtIn = { oss: ['env'], enterprise: ['env', 'aws', 'gcp', 'hcv', 'azure', 'conjur', 'konnect'] } as const;

/** A reference to a secret names a vault that there is. */
export const unknownVault: Rule = {
  name: 'unknown-vault',
  severity: 'warning',
  summary: 'Each {vault://…} reference names a vault that is declared or built in.',
  kinds: 'all',
  check: (entity, context) => check(entity.fields, [], entity, context),
  documentation: page({
    title: 'unknown-vault',
    what: `Looks at every \`{vault://PREFIX/…}\` in any field of any entity. The prefix has to be that of a declared vault, or the
name of one that Kong has built in (\`env\`; with Enterprise also \`aws\`, \`gcp\`, \`hcv\`, \`azure\` and \`conjur\`).`,
    why: `Kong takes any reference when the entity is written and resolves it when the value is needed. With a prefix that
nothing has, the field is then empty: a plugin cannot reach what it logs to, or lets nobody in.`,
    bad: `
_format_version: "3.0"
vaults:
  - name: env
    prefix: shop-secrets
plugins:
  - name: http-log
    config:
      http_endpoint: "{vault://shop-secret/log-endpoint}"`,
    good: `
_format_version: "3.0"
vaults:
  - name: env
    prefix: shop-secrets
plugins:
  - name: http-log
    config:
      http_endpoint: "{vault://shop-secrets/log-endpoint}"`,
    fix: 'Correct the prefix, or declare a vault with it.',
  }),
};

const reference = /^\{vault:\/\/([^/}?#]*)/;

function check(value: Json, path: JsonPath, entity: Entity, context: RuleContext): readonly Finding[] {
  if (typeof value === 'string') return value.startsWith('{vault://') ? ofText(value, path, entity, context) : [];
  if (isJsonArray(value)) return value.flatMap((item, index) => check(item, [...path, index], entity, context));
  if (!isJsonObject(value)) return [];
  const findings: Finding[] = [];
  for (const key in value) {
    const inner = value[key];
    if (inner === undefined || inner === null || typeof inner === 'number' || typeof inner === 'boolean') continue;
    if (typeof inner === 'string' && !inner.startsWith('{vault://')) continue;
    for (const one of check(inner, [...path, key], entity, context)) findings.push(one);
  }
  return findings;
}

function ofText(text: string, path: JsonPath, entity: Entity, context: RuleContext): readonly Finding[] {
  const prefix = reference.exec(text)?.[1];
  if (prefix === undefined || mayBeLeftOut(context, 'vaults', ({ fields }) => fields['prefix'] === prefix)) return [];
  const declared = context.memo(
    'vault prefixes',
    () => new Set((context.state.entities.get('vaults') ?? []).map((vault) => String(vault.fields['prefix']))),
  );
  const known = [...declared, ...builtIn[context.schemas.edition]];
  if (known.includes(prefix)) return [];
  const near = nearestWord(prefix, known);
  // Where tags bound what is owned, others may own the vault.
  const elsewhere = context.ownsAll ? '' : ' here';
  const shown = comesFromEnvironment(entity, path) ? 'a vault' : `the vault ${JSON.stringify(prefix)}`;
  return [
    findingAt(
      entity,
      path,
      `The ${describe(entity)} refers to ${shown}, which is not declared${elsewhere}.`,
      near === undefined
        ? 'Declare a vault with this prefix: Kong finds nothing there otherwise, and says so only when it needs the value.'
        : `Did you mean ${JSON.stringify(near)}?`,
    ),
  ];
}
