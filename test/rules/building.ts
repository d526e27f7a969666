import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from '../../src/build/build.ts';
import type { Built } from '../../src/build/built.ts';
import type { Severity } from '../../src/model/diagnostic.ts';
import type { DestinationMode } from '../../src/rules/rule.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { certificate, type Pair, publicPair } from '../support/pem.ts';

/** The instant at which the cases are judged. */
export const caseInstant = Date.UTC(2026, 0, 1);

const day = 86_400_000;
const period = { notBefore: new Date(caseInstant - 400 * day), notAfter: new Date(caseInstant + 400 * day) };
const old = { notBefore: period.notBefore, notAfter: new Date(caseInstant - day) };
const ending = { notBefore: period.notBefore, notAfter: new Date(caseInstant + 10 * day) };

const shopNames = ['shop', 'a', 'b', 'www', 'old', 'old-clients', 'ending'].map((label) => `${label}.example.com`);
const otherNames = ['other.example.com', 'www.example.com', 'pay.example.com', '*.shop.example.com'];

function made(): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const add = (name: string, pair: Pair) =>
    variables.set(`DECK_${name}_CERT`, pair.cert).set(`DECK_${name}_KEY`, pair.key);
  const ca = certificate({ commonName: 'Root', authority: true, ...period });
  add('SHOP', certificate({ commonName: 'shop.example.com', names: shopNames, ...period }));
  add('OTHER', certificate({ commonName: 'other.example.com', names: otherNames, ...period }));
  add('RSA', certificate({ commonName: 'shop.example.com', names: shopNames, keyType: 'rsa', ...period }));
  add('OLD', certificate({ commonName: 'shop.example.com', names: shopNames, ...old }));
  add('ENDING', certificate({ commonName: 'shop.example.com', names: shopNames, ...ending }));
  add('CA', ca);
  add('OLD_CA', certificate({ commonName: 'Old Root', authority: true, ...old }));
  variables.set('DECK_CA_BUNDLE', ca.cert + certificate({ commonName: 'Root 2', authority: true, ...period }).cert);
  const root = { ...ca, commonName: 'Root' };
  const middle = certificate({ commonName: 'Middle', authority: true, issuer: root, ...period });
  const leaf = certificate({
    commonName: 'chained.example.com',
    issuer: { ...middle, commonName: 'Middle' },
    ...period,
  });
  add('CHAIN', { cert: leaf.cert + middle.cert, key: leaf.key });
  add('TORN_CHAIN', { cert: leaf.cert + ca.cert + middle.cert, key: leaf.key });
  variables.set('DECK_RSA_PUBLIC', publicPair('rsa').publicKey).set('DECK_EC_PUBLIC', publicPair('ec').publicKey);
  variables.set('DECK_WEB_PASSWORD', 'made-for-web').set('DECK_MOBILE_PASSWORD', 'made-for-mobile');
  return variables;
}

const environment = made();

/** What files are built for, where not for an open-source Kong with the usual router. */
export interface BuildingFor {
  readonly edition?: 'oss' | 'enterprise' | undefined;
  readonly router?: 'traditional' | 'traditional_compatible' | 'expressions' | undefined;
  readonly mode?: DestinationMode | undefined;
  readonly rules?: { readonly [rule: string]: Severity | 'off' } | undefined;
}

/** Builds files (by name) as `validate` would, with the variables that cases and documentation use. */
export async function buildFiles(
  files: ReadonlyMap<string, Uint8Array>,
  { edition = 'oss', router = 'traditional_compatible', mode, rules = {} }: BuildingFor = {},
): Promise<Built> {
  const entries = new Map([...files].map(([name, bytes]) => [name, { type: 'file' as const, bytes, blob: null }]));
  const schemas = await loadSchemas({ version: '3.9', edition, router });
  return build(
    { revision: null, entries },
    {
      scope: null,
      schemas,
      rules,
      mode: mode ?? null,
      environment: (name) => environment.get(name),
      instant: caseInstant,
    },
  );
}

/** The files under a folder, by their names relative to it. */
export function filesUnder(folder: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const walk = (path: string) => {
    for (const name of readdirSync(path).sort()) {
      const inner = join(path, name);
      if (statSync(inner).isDirectory()) walk(inner);
      else files.set(relative(folder, inner), readFileSync(inner));
    }
  };
  walk(folder);
  return files;
}
