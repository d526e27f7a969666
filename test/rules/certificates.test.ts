import { describe, expect, test } from 'vitest';
import { certificate } from '../support/pem.ts';
import { brief, diagnosticsOf, written } from './support.ts';

const day = 86_400_000;
const instant = Date.UTC(2026, 0, 1);
const period = { notBefore: new Date(instant - day), notAfter: new Date(instant + 90 * day) };
const shop = certificate({ commonName: 'shop.example.com', ...period });
const other = certificate({ commonName: 'other.example.com', ...period });
const rsa = certificate({ commonName: 'shop.example.com', keyType: 'rsa', ...period });
const authority = certificate({ commonName: 'Root', authority: true, ...period });

function judge(
  fields: Record<string, string>,
  kind: 'certificates' | 'ca_certificates' = 'certificates',
  at = instant,
) {
  return diagnosticsOf([written(kind, 'c.yaml:1', fields)], { instant: at });
}

describe('certificates', () => {
  test('a pair that fits is fine, with an alternative of another type too', () => {
    expect(judge({ cert: shop.cert, key: shop.key, cert_alt: rsa.cert, key_alt: rsa.key })).toEqual([]);
    const issued = certificate({
      commonName: 'issued.example.com',
      issuer: { ...authority, commonName: 'Root' },
      ...period,
    });
    expect(judge({ cert: issued.cert + authority.cert, key: issued.key })).toEqual([]);
    expect(judge({ cert: shop.cert.replaceAll('\n', '\r\n'), key: shop.key })).toEqual([]);
    expect(judge({ cert: '{vault://env/cert}', key: '{vault://env/key}' })).toEqual([]);
  });

  test('a key of another certificate', () => {
    expect(judge({ cert: shop.cert, key: other.key }).map(brief)).toEqual([
      'certificate-key-mismatch error c.yaml:1/key c.yaml:1/cert',
    ]);
  });

  test('two alternatives of one type', () => {
    expect(judge({ cert: shop.cert, key: shop.key, cert_alt: other.cert, key_alt: other.key }).map(brief)).toEqual([
      'certificate-alternative error c.yaml:1/cert_alt c.yaml:1/cert',
    ]);
  });

  test('what is no PEM, in each place, without being shown', () => {
    const found = judge({ cert: shop.key, key: shop.cert });
    expect(found.map(brief).sort()).toEqual([
      'certificate-invalid error c.yaml:1/cert',
      'certificate-invalid error c.yaml:1/key',
    ]);
    expect(JSON.stringify(found)).not.toContain(shop.key.split('\n')[1]);
    expect(judge({ cert: 'junk', key: 'hidden-junk' })).toHaveLength(2);
  });

  test('the end of a certificate, by the given instant', () => {
    const pair = { cert: shop.cert, key: shop.key };
    const ends = instant + 90 * day;
    expect(judge(pair, 'certificates', ends - 31 * day)).toEqual([]);
    expect(judge(pair, 'certificates', ends - 29 * day).map(brief)).toEqual([
      'certificate-expired warning c.yaml:1/cert',
    ]);
    expect(judge(pair, 'certificates', ends + 1).map(brief)).toEqual(['certificate-expired warning c.yaml:1/cert']);
    expect(judge({ cert: authority.cert }, 'ca_certificates', ends - 1).map(brief)).toEqual([
      'certificate-expired warning c.yaml:1/cert',
    ]);
    expect(judge({ cert: authority.cert }, 'ca_certificates', ends + 1).map(brief)).toEqual([
      'certificate-expired error c.yaml:1/cert',
    ]);
  });

  test('a CA certificate is one certificate of an authority, written out', () => {
    expect(judge({ cert: authority.cert }, 'ca_certificates')).toEqual([]);
    expect(judge({ cert: shop.cert }, 'ca_certificates').map(brief)).toEqual(['certificate-ca error c.yaml:1/cert']);
    expect(judge({ cert: authority.cert + authority.cert }, 'ca_certificates').map(brief)).toEqual([
      'certificate-invalid error c.yaml:1/cert',
    ]);
    expect(judge({ cert: '{vault://env/ca}' }, 'ca_certificates').map(brief)).toEqual([
      'certificate-invalid error c.yaml:1/cert',
    ]);
  });

  test('one CA certificate in two entities, whatever its line endings', () => {
    const [one, two] = ['1', '2'].map((line) => `a.yaml:${line}`);
    const found = diagnosticsOf(
      [
        written(
          'ca_certificates',
          one ?? '',
          { cert: authority.cert },
          {},
          { id: '5b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0' },
        ),
        written('ca_certificates', two ?? '', { cert: authority.cert.replaceAll('\n', '\r\n') }),
      ],
      { instant },
    );
    expect(found.map(brief)).toEqual(['unique-value error a.yaml:2/cert a.yaml:1/cert']);
  });
});
