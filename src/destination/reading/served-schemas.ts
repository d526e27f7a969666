import { z } from 'zod';
import type { JsonObject } from '../../model/json.ts';
import { isJsonObject } from '../../model/json.ts';
import { kinds } from '../../model/kinds.ts';
import { allEntities, type State } from '../../model/state.ts';
import type { RecordSchema, Schemas } from '../../schema/schema.ts';
import { parseServedSchema } from '../../schema/served.ts';
import type { Identified } from '../destination.ts';
import { bounded, type RequestWorld, send, statusOf } from '../requests.ts';

const served = z.json();

/** Schemas that are known without asking, by edition. */
export interface Bundled {
  readonly oss: Schemas;
  readonly enterprise: Schemas;
}

/** Where a destination serves its schemas. */
export interface SchemaWorld extends RequestWorld {
  readonly prefix: string;
  readonly concurrency: number;
  /** The kinds whose schemas are served there; the rest come from `bundled`. */
  readonly servesEntities: boolean;
  /** What is known without asking, for what is not served. */
  readonly bundled: Schemas;
}

/**
 * The schemas that one destination serves, asked for once each and kept for as long as it is the same version. Plugins,
 * vaults and partials are asked for as states use them.
 */
export class ServedSchemas {
  readonly #world: SchemaWorld;
  readonly #identified: Identified & { readonly pluginNames: readonly string[] };
  /** By path; `withheld` where this user may not read it. */
  readonly #known = new Map<string, RecordSchema | 'withheld' | undefined>();
  #schemas: Schemas;

  constructor(world: SchemaWorld, identified: Identified & { readonly pluginNames: readonly string[] }) {
    this.#world = world;
    this.#identified = identified;
    this.#schemas = this.#make();
  }

  /** The schemas that are known by now. */
  get current(): Schemas {
    return this.#schemas;
  }

  /**
   * Schemas for what the state uses. Every read asks for those of what is live: a plan, and the fingerprint by which it
   * is approved, must not depend on what a process asked before. The same object as before where
   * nothing new had to be asked.
   */
  async for(state: State, signal: AbortSignal): Promise<Schemas> {
    const wanted = [...this.#entityPaths(), ...usedPaths(state)].filter((path) => !this.#known.has(path));
    if (wanted.length === 0) return this.#schemas;
    const answers = await bounded(
      this.#world.concurrency,
      wanted.map((path) => async () => [path, await this.#ask(path, signal)] as const),
    );
    for (const [path, schema] of answers) this.#known.set(path, schema);
    this.#schemas = this.#make();
    return this.#schemas;
  }

  #entityPaths(): readonly string[] {
    return this.#world.servesEntities ? Object.keys(kinds) : [];
  }

  async #ask(path: string, signal: AbortSignal): Promise<RecordSchema | 'withheld' | undefined> {
    try {
      const answer = await send(this.#world, { method: 'GET', path: `${this.#world.prefix}/schemas/${path}` }, signal);
      return parseServedSchema(served.parse(answer.json), path.replace(/^.*\//, ''));
    } catch (thrown) {
      if (statusOf(thrown) === 403) return 'withheld';
      if (statusOf(thrown) === 404) return undefined;
      throw thrown;
    }
  }

  #make(): Schemas {
    const { bundled, servesEntities } = this.#world;
    const known = new Map(this.#known);
    const listed = new Set(this.#identified.pluginNames);
    const of = (path: string) => {
      const schema = known.get(path);
      return schema === 'withheld' ? undefined : schema;
    };
    return {
      version: this.#identified.version,
      edition: this.#identified.edition,
      router: this.#identified.router,
      entity: (kind) => (servesEntities ? of(kind) : undefined) ?? bundled.entity(kind),
      // A plugin that is not served is not there. One that is kept back may be what is known of it elsewhere, and so
      // may one that is listed and was not asked about: nothing that was looked at before used it.
      plugin: (name) => {
        const path = `plugins/${name}`;
        const isOpen = known.get(path) === 'withheld' || (!known.has(path) && listed.has(name));
        return isOpen ? bundled.plugin(name) : of(path);
      },
      vault: (name) => of(`vaults/${name}`) ?? bundled.vault(name),
      partial: (type) => of(`partials/${type}`) ?? bundled.partial(type),
      pluginNames: this.#identified.pluginNames,
      answered: (path) => known.get(path),
    };
  }
}

function usedPaths(state: State): readonly string[] {
  const paths = new Set<string>();
  for (const entity of allEntities(state)) {
    const path = schemaPath(entity.kind, entity.fields);
    if (path !== null) paths.add(path);
  }
  return [...paths].sort();
}

function schemaPath(kind: string, fields: JsonObject): string | null {
  const named = kind === 'partials' ? fields['type'] : fields['name'];
  if (typeof named !== 'string' || named === '' || isJsonObject(named)) return null;
  if (kind === 'plugins') return `plugins/${encodeURIComponent(named)}`;
  if (kind === 'vaults') return `vaults/${encodeURIComponent(named)}`;
  return kind === 'partials' ? `partials/${encodeURIComponent(named)}` : null;
}
