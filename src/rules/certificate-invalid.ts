import { describe, type Entity, entityName } from '../model/entity.ts';
import { page } from './page.ts';
import { certificateCount, certificateIn, isVaultReference, pemText, privateKeyIn } from './pem.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';

/** What stands for a certificate or a private key can be read as one. */
export const certificateInvalid: Rule = {
  name: 'certificate-invalid',
  severity: 'error',
  summary: 'Certificates and their private keys are PEM that can be read.',
  kinds: ['certificates', 'ca_certificates'],
  check,
  documentation: page({
    title: 'certificate-invalid',
    what: `Reads \`cert\`, \`cert_alt\`, \`key\` and \`key_alt\` of certificates and \`cert\` of CA certificates. Each has to be PEM: a
certificate (with its chain after it, of a server certificate), or an unencrypted private key. A CA certificate is one
certificate in plain text. References to a vault are left alone where Kong takes them.`,
    why: `Kong refuses what it cannot read. The usual causes are a value pasted without its line breaks, a certificate
where the key should be, and a key that still has its passphrase.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_RSA_KEY" }}
    key: \${{ env "DECK_RSA_CERT" }}
    snis:
      - name: www.example.com`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_RSA_CERT" }}
    key: \${{ env "DECK_RSA_KEY" }}
    snis:
      - name: www.example.com`,
    fix: `Write the PEM as a block (\`cert: |\`) with its line breaks, from \`-----BEGIN\` to \`-----END\`. Take a passphrase off
with \`openssl pkey -in key.pem -out plain.pem\`, and keep the result out of Git: in the environment or a vault.`,
  }),
};

function check(entity: Entity, context: RuleContext): readonly Finding[] {
  const at = (field: string, message: string, hint: string): Finding => ({
    message,
    hint,
    locations: entity.source === null ? [] : [entity.source.at([field])],
    entities: [entityName(entity)],
  });
  if (entity.kind === 'ca_certificates') return checkAuthority(entity, context, at);
  const findings: Finding[] = [];
  for (const field of ['cert', 'cert_alt']) {
    if (pemText(entity, field, context) === null || certificateIn(entity, field, context) !== null) continue;
    findings.push(
      at(field, `The ${field} of ${describe(entity)} cannot be read as a certificate.`, pemHint('CERTIFICATE')),
    );
  }
  for (const field of ['key', 'key_alt']) {
    const text = pemText(entity, field, context);
    if (text === null || privateKeyIn(entity, field, context) !== null) continue;
    const hint = text.includes('ENCRYPTED')
      ? 'It is encrypted with a passphrase, which Kong does not ask for: write it without one.'
      : pemHint('PRIVATE KEY');
    findings.push(at(field, `The ${field} of ${describe(entity)} cannot be read as a private key.`, hint));
  }
  return findings;
}

function checkAuthority(
  entity: Entity,
  context: RuleContext,
  at: (field: string, message: string, hint: string) => Finding,
): readonly Finding[] {
  const value = entity.fields['cert'];
  if (typeof value === 'string' && isVaultReference(value)) {
    return [
      at(
        'cert',
        `The ${describe(entity)} refers to a vault, which Kong does not resolve here.`,
        'Write the certificate itself.',
      ),
    ];
  }
  const text = pemText(entity, 'cert', context);
  if (text === null) return [];
  if (certificateIn(entity, 'cert', context) === null) {
    return [at('cert', `The cert of ${describe(entity)} cannot be read as a certificate.`, pemHint('CERTIFICATE'))];
  }
  const count = certificateCount(text);
  if (count === 1) return [];
  return [
    at(
      'cert',
      `The ${describe(entity)} holds ${count} certificates; Kong takes one in each.`,
      'Declare a CA certificate for each of them.',
    ),
  ];
}

function pemHint(label: string): string {
  return `Kong expects PEM, from "-----BEGIN ${label}-----" to "-----END ${label}-----", with its line breaks.`;
}
