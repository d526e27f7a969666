import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openWorld } from '../daemon/edge.ts';
import { openDestination } from '../destination/open.ts';
import { renderDeckYaml } from '../dialect/deck/render.ts';
import { type Entity, referenceOf } from '../model/entity.ts';
import type { JsonObject } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import { allEntities, countEntities, type State, stateOf } from '../model/state.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { bareEntity } from '../schema/bare.ts';
import type { Schemas } from '../schema/schema.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions, destinationOptions } from './common-options.ts';
import { hashComment, hashedSecrets, hashWarning } from './hashed-secrets.ts';
import { exitCode } from './io.ts';
import { openSession } from './session.ts';

/** `konverge export`: write a live state as decK files. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a live state as decK files. They hold the secrets that the destination gives',
  positionals: '',
  options: {
    ...configurationOptions,
    from: { value: 'NAME', help: 'the destination of the configuration to read' },
    kong: destinationOptions['kong'] ?? { help: '' },
    header: destinationOptions['header'] ?? { help: '' },
    out: { value: 'DIR', help: 'write kong.yaml into this folder (default: standard output)' },
    force: { help: 'write over a kong.yaml that is there' },
    ids: { help: "with the destination's ids" },
  },
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('export takes no PATH; name the destination with --from');
    const session = await openSession(args, io, { needsFile: args.value('kong') === undefined, level: 'warn' });
    const { destinationNames } = session.configuration;
    const name = args.value('from') ?? (destinationNames.length === 1 ? destinationNames[0] : undefined);
    if (name === undefined || !destinationNames.includes(name)) {
      throw new UsageError(`name a destination with --from; there are: ${destinationNames.join(', ') || 'none'}`);
    }
    const destination = openDestination(session.configuration.destination(name), await openWorld());
    try {
      const { mode } = await destination.identify(io.signal);
      const live = await destination.read(stateOf([]), io.signal);
      const schemas = await destination.schemas(live.state, io.signal);
      const bare = withoutDefaults(live.state, schemas);
      const state = args.has('ids') ? bare : withoutIds(bare);
      const hashed = hashedSecrets(state, mode);
      const text = `${hashed.map(hashComment).join('')}${renderDeckYaml(state, { ids: args.has('ids') })}`;
      for (const one of hashed) io.stderr(hashWarning(one));
      for (const [kind, why] of live.notManaged) {
        if (why.startsWith('the destination does not let')) io.stderr(`konverge: ${kind} left out: ${why}\n`);
      }
      const folder = args.value('out');
      if (folder === undefined) io.stdout(text);
      else {
        const file = join(resolve(io.cwd, folder), 'kong.yaml');
        await makeFolder(dirname(file));
        if (!(await written(file, text, args.has('force')))) {
          const shown = join(folder, 'kong.yaml');
          io.stderr(`konverge: ${shown} is there already and was left as it is\n  Write over it with --force.\n`);
          return exitCode.failed;
        }
        const total = Object.values(countEntities(live.state)).reduce((sum, count) => sum + count, 0);
        io.stderr(`${total} entities written to ${join(folder, 'kong.yaml')}\n`);
      }
      return exitCode.ok;
    } finally {
      await destination.close();
    }
  },
};

/** Writes a file that is there only by force. Live states hold credentials: the file is for its owner only. */
async function written(file: string, text: string, force: boolean): Promise<boolean> {
  // What is written over keeps its permissions.
  if (force) await rm(file, { force: true });
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The same state without what the destination fills in by itself. */
function withoutDefaults(state: State, schemas: Schemas): State {
  const entities = allEntities(state).map((entity) => {
    const fields = bareEntity(schemas, entity.kind, entity.fields);
    const identityWith = (given: JsonObject) =>
      kinds[entity.kind].identity({
        fields: given,
        foreign: (field) => referenceOf(entity, field)?.identity ?? null,
        snis: [],
      });
    // What has no name is known by what it matches, defaults and all.
    return identityWith(fields) === identityWith(entity.fields) ? { ...entity, fields } : entity;
  });
  return stateOf(entities, state.selectTags);
}

/**
 * The same state with ids that are nobody's choice: a server gives every entity one, and people name them otherwise. Where
 * nothing else tells two of a kind apart, they keep theirs.
 */
function withoutIds(state: State): State {
  const counts = new Map<string, number>();
  const keyOf = ({ kind, identity }: Entity) => `${kind} ${identity}`;
  const entities = allEntities(state);
  for (const entity of entities) counts.set(keyOf(entity), (counts.get(keyOf(entity)) ?? 0) + 1);
  return stateOf(
    entities.map((entity) => ({ ...entity, idGiven: (counts.get(keyOf(entity)) ?? 0) > 1 })),
    state.selectTags,
  );
}
