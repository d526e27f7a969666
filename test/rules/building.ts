import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from '../../src/build/build.ts';
import type { Built } from '../../src/build/built.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { certificate, type Pair } from '../support/pem.ts';

/** The instant at which the cases are judged. */
export const caseInstant = Date.UTC(2026, 0, 1);

const day = 86_400_000;
const period = { notBefore: new Date(caseInstant - 400 * day), notAfter: new Date(caseInstant + 400 * day) };
const old = { notBefore: period.notBefore, notAfter: new Date(caseInstant - day) };
const ending = { notBefore: period.notBefore, notAfter: new Date(caseInstant + 10 * day) };

function made(): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const add = (name: string, pair: Pair) =>
    variables.set(`DECK_${name}_CERT`, pair.cert).set(`DECK_${name}_KEY`, pair.key);
  const ca = certificate({ commonName: 'Root', authority: true, ...period });
  add('SHOP', certificate({ commonName: 'shop.example.com', ...period }));
  add('OTHER', certificate({ commonName: 'other.example.com', ...period }));
  add('RSA', certificate({ commonName: 'shop.example.com', keyType: 'rsa', ...period }));
  add('OLD', certificate({ commonName: 'shop.example.com', ...old }));
  add('ENDING', certificate({ commonName: 'shop.example.com', ...ending }));
  add('CA', ca);
  add('OLD_CA', certificate({ commonName: 'Old Root', authority: true, ...old }));
  variables.set('DECK_CA_BUNDLE', ca.cert + certificate({ commonName: 'Root 2', authority: true, ...period }).cert);
  variables.set('DECK_WEB_PASSWORD', 'made-for-web').set('DECK_MOBILE_PASSWORD', 'made-for-mobile');
  return variables;
}

const environment = made();

/** Builds files (by name) as `validate` would, with the variables that cases and documentation use. */
export async function buildFiles(
  files: ReadonlyMap<string, Uint8Array>,
  edition: 'oss' | 'enterprise' = 'oss',
): Promise<Built> {
  const entries = new Map([...files].map(([name, bytes]) => [name, { type: 'file' as const, bytes, blob: null }]));
  const schemas = await loadSchemas({ version: '3.9', edition, router: 'traditional_compatible' });
  return build(
    { revision: null, entries },
    { scope: null, schemas, rules: {}, environment: (name) => environment.get(name), instant: caseInstant },
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
