import { build } from '../build/build.ts';
import { pulledWords } from '../daemon/assumed.ts';
import { openWorld } from '../daemon/edge.ts';
import type { Destination } from '../destination/destination.ts';
import { type OpenWorld, openDestination } from '../destination/open.ts';
import { notListed } from '../destination/reading/read-kinds.ts';
import { openRepository } from '../git/open-repository.ts';
import type { CommitObjects, Repository } from '../git/repository.ts';
import { KeyFiles } from '../git/signatures/key-files.ts';
import { notAccepted, VerifiedRepository } from '../git/verified-repository.ts';
import { variablePrefix } from '../manifest/template/problems.ts';
import { stateOf } from '../model/state.ts';
import { silentLog } from '../platform/log.ts';
import { shownUrl } from '../platform/redact.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { configured, type Finding, tried } from './doctor-finding.ts';
import { forgeFindings } from './doctor-forges.ts';
import { exitCode, type Io } from './io.ts';
import { openSession, type Session } from './session.ts';

/** `konverge doctor`: every connection and permission that the configuration needs, tried without changing anything. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Try every connection and permission that the configuration needs, and say what is missing',
  positionals: '',
  options: { ...configurationOptions },
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('doctor takes no PATH');
    const session = await openSession(args, io, { needsFile: true, level: 'error' });
    const world = await openWorld();
    const { head, findings: ofRepository } = await repositoryFindings(session, io);
    const others = await Promise.all([
      ...session.configuration.destinationNames.map((name) => destinationFindings(name, session, world, io)),
      forgeFindings(session, world, head, io),
    ]);
    const findings = [...ofRepository, ...others.flat()];
    for (const { what, well, said, hint } of findings) {
      io.stdout(`${well ? 'ok     ' : 'FAILED '} ${what}: ${said}\n`);
      if (!well && hint !== '') io.stdout(`        ${hint}\n`);
    }
    const failed = findings.filter(({ well }) => !well).length;
    io.stdout(
      failed === 0
        ? 'Everything that is needed is there.\n'
        : `${failed} of ${findings.length} ${failed === 1 ? 'is' : 'are'} missing.\n`,
    );
    return failed === 0 ? exitCode.ok : exitCode.failed;
  },
};

async function repositoryFindings(
  session: Session,
  io: Io,
): Promise<{ readonly head: string | null; readonly findings: readonly Finding[] }> {
  const settings = session.configuration.repository();
  if (settings === null) return { head: null, findings: [] };
  const what = `repository ${shownUrl(settings.url)}`;
  const findings: Finding[] = [];
  let head: string | null = null;
  const finding = await tried(what, io, async () => {
    const repository = await openRepository(settings, null, { log: silentLog });
    try {
      const resolved = await repository.resolve(io.signal);
      if (!resolved.found) throw new Error(resolved.reason);
      head = resolved.revision;
      for (const one of await contentFindings(repository, resolved.revision, session, io)) findings.push(one);
      for (const one of await signatureFindings(repository, resolved.revision, session, io)) findings.push(one);
      return `branch ${settings.branch} is at ${resolved.revision.slice(0, 10)}`;
    } finally {
      await repository.close();
    }
  });
  return { head, findings: [finding, ...findings] };
}

/** Whether the files of keys can be used, and the newest commit is signed by one of them; nothing where none is asked for. */
async function signatureFindings(
  repository: Repository & CommitObjects,
  revision: string,
  session: Session,
  io: Io,
): Promise<readonly Finding[]> {
  const verify = await configured(() => session.configuration.verify());
  const what = 'repository.verify.keys';
  if (verify instanceof Error) return [{ what, well: false, said: verify.message, hint: '' }];
  if (verify === null) return [];
  let files: KeyFiles | null = null;
  const read = await tried(what, io, async () => {
    files = await KeyFiles.open(verify.keys);
    const { pgp, ssh } = files.keys;
    return `${pgp.length} OpenPGP and ${ssh.length} SSH keys in ${files.files.length} files`;
  });
  if (files === null) return [read];
  const verified = new VerifiedRepository(repository, files, () => Date.now());
  const signed = await tried(`signature of ${revision.slice(0, 10)}`, io, async () => {
    const verdict = await verified.verdict(revision, io.signal);
    if (!verdict.accepted) throw notAccepted(revision, verdict);
    return `by ${verdict.by}`;
  });
  return [read, signed];
}

/** Whether the files can be read at the configured path, and the variables that they ask for are set. */
async function contentFindings(
  repository: Repository,
  revision: string,
  session: Session,
  io: Io,
): Promise<readonly Finding[]> {
  const missing = new Set<string>();
  const path = session.configuration.repository()?.path ?? '';
  const read = await tried(`repository.path ${path === '' ? '(all of it)' : path}`, io, async () => {
    await repository.fetch(revision, io.signal);
    const snapshot = await repository.read(revision, io.signal);
    const environment = (name: string) => {
      const value = io.env(name);
      if (value === undefined && name.startsWith(variablePrefix)) missing.add(name);
      return value;
    };
    const { schemas } = session.assumed(null);
    build(snapshot, { ...session.settings, scope: null, schemas, environment });
    return `${snapshot.entries.size} files`;
  });
  if (!read.well) return [read];
  const names = [...missing].sort().join(', ');
  const hint = 'Set each for the process that runs Konverge; an empty value is allowed.';
  const what = 'variables that the files ask for';
  const said = missing.size === 0 ? 'all are set' : `not set: ${names}`;
  return [read, { what, well: missing.size === 0, said, hint }];
}

async function destinationFindings(
  name: string,
  session: Session,
  world: OpenWorld,
  io: Io,
): Promise<readonly Finding[]> {
  const settings = await configured(() => session.configuration.destination(name));
  if (settings instanceof Error) return [{ what: name, well: false, said: settings.message, hint: '' }];
  const destination = openDestination(settings, world);
  const nothing = stateOf([]);
  try {
    const is = await tried(`${name}: reach it`, io, async () => (await destination.identify(io.signal)).description);
    if (!is.well) return [is];
    const read = await tried(`${name}: list what it holds`, io, async () => {
      const { state, notManaged } = await destination.read(nothing, io.signal);
      const count = [...state.entities.values()].reduce((sum, list) => sum + list.length, 0);
      const left = [...notManaged].filter(([, why]) => why === notListed).map(([kind]) => kind);
      return `${count} entities${left.length === 0 ? '' : `; it may not list ${left.join(', ')}, which are left alone`}`;
    });
    const schemas = await tried(`${name}: read its schemas`, io, async () => {
      const { pluginNames } = await destination.schemas(nothing, io.signal);
      return `${pluginNames.length} plugins`;
    });
    const kept = await keptSchemas(name, session, io, destination);
    return [is, read, schemas, ...(kept === null ? [] : [kept])];
  } finally {
    await destination.close();
  }
}

/** Whether the file of schemas that checks go by is of what the destination is now; null where there is none. */
async function keptSchemas(
  name: string,
  session: Session,
  io: Io,
  destination: Pick<Destination, 'identify'>,
): Promise<Finding | null> {
  const what = `${name}: the schemas that are kept`;
  const again = `Write them anew with \`konverge schemas pull --from ${name}\`.`;
  const assumed = await configured(() => session.assumed(name));
  if (assumed instanceof Error) return { what, well: false, said: assumed.message, hint: again };
  const { pulled } = assumed;
  if (pulled === null) return null;
  const finding = await tried(what, io, async () => {
    const { version, edition, router, description } = await destination.identify(io.signal);
    const { kong } = pulled.of;
    if (kong.version !== (version ?? 'any') || kong.edition !== edition || kong.router !== router) {
      throw new Error(`${pulled.path} has ${pulledWords(pulled.of)}, router ${kong.router}; this is ${description}`);
    }
    return pulledWords(pulled.of);
  });
  return finding.well ? finding : { ...finding, hint: finding.hint === '' ? again : finding.hint };
}
