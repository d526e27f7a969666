import type { BuildSettings } from '../build/built.ts';
import { ConfigurationError } from '../config/configuration-error.ts';
import type { SchemasFile } from '../config/schemas-file.ts';
import type { Configuration } from '../config/settings.ts';
import { isPulledSchemas } from '../model/pulled-mark.ts';
import { loadSchemas } from '../schema/bundled.ts';
import { type PulledSchemas, readPulled, schemasOfPulled } from '../schema/pulled.ts';
import type { Schemas } from '../schema/schema.ts';

/** What is assumed of a destination before it is asked, or of a Kong where none is meant. */
export interface Assumed {
  readonly schemas: Schemas;
  /** What a build is told besides its scope. */
  readonly settings: Pick<BuildSettings, 'schemas' | 'mode'>;
  /** The file of pulled schemas that it comes from; null where the configuration alone says it. */
  readonly pulled: { readonly path: string; readonly of: PulledSchemas } | null;
}

/** What a configuration assumes. */
export interface Assumptions {
  /** Of a destination before it is asked, or (null) of a Kong where none is meant. Throws ConfigurationError. */
  readonly of: (name: string | null) => Assumed;
  /** The schemas of `kong.version` and its neighbours: of whatever has no file of its own. */
  readonly plain: Schemas;
}

/**
 * What a configuration assumes of each of its destinations (and, for null, of a Kong in general). Where a file of schemas
 * cannot be used, asking for those who would go by it throws ConfigurationError, and nothing else does.
 */
export async function assumptions(configuration: Configuration): Promise<Assumptions> {
  const known = new Map<string | null, Assumed | ConfigurationError>();
  const flavor = configuration.kong();
  const schemas = await loadSchemas(flavor);
  const plain: Assumed = { schemas, settings: { schemas }, pulled: null };
  const konnect = once(async (): Promise<Assumed> => {
    const ofKonnect = await loadSchemas({ ...flavor, edition: 'enterprise' });
    return { schemas: ofKonnect, settings: { schemas: ofKonnect, mode: 'konnect' }, pulled: null };
  });
  const { destinationNames } = configuration;
  // Checks for no destination in particular are for all that there are.
  const isKonnectOnly = destinationNames.length > 0 && destinationNames.every((name) => isKonnect(configuration, name));
  const read = new Map<string, Promise<Assumed>>();
  for (const name of [null, ...destinationNames]) {
    try {
      const file = configuration.schemas(name);
      const isOurs = file !== null && (file.key !== null || isPulledSchemas(Buffer.from(file.text)));
      const isForKonnect = name === null ? isKonnectOnly : isKonnect(configuration, name);
      if (!isOurs) known.set(name, isForKonnect ? await konnect() : plain);
      else {
        const made = read.get(file.path) ?? assumedOf(file);
        read.set(file.path, made);
        const assumed = await made;
        const mode = name === null ? null : configuration.scope(name).mode;
        known.set(name, mode === null ? assumed : { ...assumed, settings: { ...assumed.settings, mode } });
      }
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      known.set(name, thrown);
    }
  }
  const of = (name: string | null): Assumed => {
    const found = known.get(name) ?? plain;
    if (found instanceof ConfigurationError) throw found;
    return found;
  };
  return { of, plain: schemas };
}

async function assumedOf({ key, path, text }: SchemasFile): Promise<Assumed> {
  const read = readPulled(text);
  if ('fault' in read) {
    const message = key === null ? read.fault : `names ${path}, which ${read.fault}`;
    const hint = 'Write it anew with `konverge schemas pull`';
    throw new ConfigurationError([{ key: key ?? path, message, hint, place: null }]);
  }
  const schemas = await schemasOfPulled(read.pulled);
  const settings = { schemas, mode: read.pulled.kong.mode };
  return { schemas, settings, pulled: { path, of: read.pulled } };
}

/** Whether a destination is of Konnect; false where what is written of it cannot be read, which others say. */
function isKonnect(configuration: Configuration, name: string): boolean {
  try {
    return configuration.scope(name).mode === 'konnect';
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return false;
  }
}

/** A value that is made when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a file of schemas is of, for people: `the schemas of prod (Kong Enterprise 3.9), pulled on 2026-01-31`. */
export function pulledWords({ from, kong, pulled }: PulledSchemas): string {
  const edition = kong.edition === 'enterprise' ? 'Kong Enterprise' : 'open-source Kong';
  const what = kong.mode === 'konnect' ? 'Konnect' : `${edition} ${kong.version}`;
  return `the schemas of ${from} (${what}), pulled on ${pulled}`;
}
