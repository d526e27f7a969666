import { describe, type Entity } from '../model/entity.ts';
import { idOf, textOf } from './fields.ts';
import { findingAt } from './finding.ts';
import { page } from './page.ts';
import { certificateIn } from './pem.ts';
import type { Rule } from './rule.ts';
import { isSecret } from './secret.ts';

/** A certificate is made out for the names that it is served for. */
export const certificateName: Rule = {
  name: 'certificate-name',
  severity: 'warning',
  summary: 'Each SNI is among the names that its certificate is made out for.',
  kinds: ['snis'],
  check: (entity, context) => {
    const certificate = context.state.byId('certificates', idOf(entity, 'certificate') ?? '');
    const name = textOf(entity, 'name');
    // The one for every name is for clients that ask for none that is known.
    if (certificate === undefined || name === null || name === '*') return [];
    const made = certificateIn(certificate, 'cert', context);
    const names = made === null ? [] : dnsNames(made.subjectAltName, made.subject);
    // A certificate without any name is one for clients, or made by hand.
    if (names.length === 0 || names.some((one) => covers(one, name.toLowerCase().replace(/\.$/, '')))) return [];
    return [
      findingAt(
        entity,
        ['name'],
        `The certificate of the ${described(entity)} is made out for ${listed(names)}, and not for that name.`,
        'Clients that ask for this name will refuse the certificate: correct the name, or take the certificate that is made out for it.',
        [{ entity: certificate, path: ['cert'] }],
      ),
    ];
  },
  documentation: page({
    title: 'certificate-name',
    what: `Compares each SNI with the DNS names in its certificate (the subject alternative names, or the common name where there
are none). A wildcard in the certificate stands for one label; a wildcard SNI needs a wildcard in the certificate.`,
    why: 'Kong serves whatever certificate the SNI leads to. A client that finds another name in it breaks off the connection.',
    bad: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: shop.example.org`,
    good: `
_format_version: "3.0"
certificates:
  - cert: \${{ env "DECK_SHOP_CERT" }}
    key: \${{ env "DECK_SHOP_KEY" }}
    snis:
      - name: shop.example.com`,
    fix: 'Correct the SNI, or have the certificate made out for it, too.',
  }),
};

function described(sni: Entity): string {
  return isSecret(sni, ['name']) ? 'SNI' : describe(sni);
}

function dnsNames(alternative: string | undefined, subject: string): readonly string[] {
  const names = (alternative ?? '')
    .split(/,\s*/)
    .flatMap((part) => /^DNS:(.+)$/.exec(part)?.[1]?.toLowerCase().replaceAll('"', '') ?? []);
  if (names.length > 0) return names;
  const common = /^CN=(.+)$/m.exec(subject ?? '')?.[1]?.toLowerCase();
  return common !== undefined && /^[*a-z0-9.-]+\.[a-z0-9-]+$/.test(common) ? [common] : [];
}

function covers(name: string, sni: string): boolean {
  if (name === sni) return true;
  // The certificate's wildcard stands for one label (RFC 6125); Kong's for any number, of which one has to do.
  if (name.startsWith('*.')) return sni.slice(sni.indexOf('.')) === name.slice(1);
  return sni.endsWith('.*') && name.startsWith(sni.slice(0, -1));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more names` : shown;
}
