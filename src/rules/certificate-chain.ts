import { X509Certificate } from 'node:crypto';
import { describe, type Entity } from '../model/entity.ts';
import { findingAt } from './finding.ts';
import { page } from './page.ts';
import { pemText } from './pem.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';

/** The certificates of a chain stand in order, each with the one that issued it next. */
export const certificateChain: Rule = {
  name: 'certificate-chain',
  severity: 'warning',
  summary: 'In a chain, each certificate is followed by the one that issued it.',
  kinds: ['certificates'],
  check: (entity, context) => ['cert', 'cert_alt'].flatMap((field) => checkChain(entity, field, context)),
  documentation: page({
    title: 'certificate-chain',
    what: `Where \`cert\` or \`cert_alt\` holds several certificates, each has to be signed by the one after it: first that of the
server, then the intermediate ones.`,
    why: `Kong sends the chain as it stands. Many clients follow it from one to the next (TLS 1.2 asks for that order), and
refuse the connection where a link is missing or does not fit; browsers hide the mistake by fetching what is missing.`,
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_TORN_CHAIN_CERT" }}
    key: \${{ env "DECK_TORN_CHAIN_KEY" }}`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_CHAIN_CERT" }}
    key: \${{ env "DECK_CHAIN_KEY" }}`,
    fix: 'Put the certificate of the server first, then the one that issued it, and so on; leave out what does not belong.',
  }),
};

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function checkChain(entity: Entity, field: string, context: RuleContext): readonly Finding[] {
  const text = pemText(entity, field, context);
  const blocks = text?.match(block) ?? [];
  if (blocks.length < 2) return [];
  const chain = blocks.map(read);
  for (const [index, next] of chain.slice(1).entries()) {
    const one = chain[index];
    // What cannot be read is a finding of its own.
    if (one === null || one === undefined || next === null) return [];
    if (one.checkIssued(next) && one.verify(next.publicKey)) continue;
    return [
      findingAt(
        entity,
        [field],
        `In the ${field} of the ${describe(entity)}, certificate ${index + 1} was not issued by certificate ${index + 2}.`,
        'Order them from the server upwards, each followed by its issuer, and leave out what does not belong.',
      ),
    ];
  }
  return [];
}

function read(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
