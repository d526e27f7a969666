import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isPatchFile } from '../dialect/deck/patch/apply-patches.ts';
import { formatOf, upgradeFile } from '../dialect/deck/upgrade/upgrade.ts';
import type { UpgradeNote } from '../dialect/deck/upgrade/upgrade-parts.ts';
import { folderSnapshot } from '../git/folder-snapshot.ts';
import type { Document } from '../manifest/document.ts';
import { readSnapshot } from '../manifest/read-snapshot.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { isJsonObject } from '../model/json.ts';
import { stateOf } from '../model/state.ts';
import { pluginSchema } from '../schema/entity-schema.ts';
import type { Schemas } from '../schema/schema.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { exitCode, type Io } from './io.ts';
import { openSession, type Session } from './session.ts';
import { configured } from './source-files.ts';

/** `konverge convert`: rewrite files of Kong 2.x in place, keeping comments. */
export const convert: Command = {
  name: 'convert',
  summary: 'Rewrite decK files of Kong 2.x for Kong 3.x in place, keeping comments and layout',
  positionals: '[PATH…]',
  options: {
    ...configurationOptions,
    check: { help: 'write nothing; exit 1 where something would be rewritten, or is left to do by hand' },
  },
  run: async (args, io) => {
    const session = await openSession(args, io, { needsFile: args.positionals.length === 0, level: 'warn' });
    const given = args.positionals;
    const paths = given.length > 0 ? given : [join(session.folder, session.configuration.repository()?.path ?? '')];
    if (paths.some((path) => path === '-')) throw new UsageError('convert rewrites files, so it cannot read from -');
    const results = [];
    for (const path of paths) {
      const converting = convertPath(path, args.has('check'), io, session);
      results.push(given.length > 0 ? await converting : await configured(converting));
    }
    if (results.includes('broken')) return exitCode.failed;
    return args.has('check') && results.some((result) => result !== 'unchanged') ? exitCode.failed : exitCode.ok;
  },
};

async function convertPath(
  path: string,
  onlyCheck: boolean,
  io: Io,
  session: Session,
): Promise<'changed' | 'left' | 'unchanged' | 'broken'> {
  const absolute = resolve(io.cwd, path);
  const { snapshot, named } = await folderSnapshot([absolute]);
  const selection = {
    ignore: session.settings.ignore ?? [],
    include: [],
    exclude: [],
    configuration: session.settings.configuration ?? [],
    named: [...named],
  };
  const read = readSnapshot(snapshot, selection);
  const diagnostics = [...read.diagnostics, ...read.templates.flatMap((file) => file.diagnostics)];
  if (hasErrors(read.diagnostics)) {
    const files = { snapshot, named: [...named], prefix: '', text: () => undefined };
    const built = { revision: null, state: stateOf([]), digest: null, diagnostics, valid: false };
    io.stderr(diagnosticsText(diagnostics, { session, files, built, colour: io.colour.stderr }));
    return 'broken';
  }
  const isFolder = (await stat(absolute)).isDirectory();
  const deck = read.documents.filter((document) => !isKubernetes(document.value) && !isPatchFile(document));
  const format = formatOf(deck);
  let isLeft = read.templates.length > 0;
  let changed = false;
  for (const [file, documents] of byFile(deck)) {
    const target = isFolder ? join(absolute, file) : absolute;
    const shown = isFolder ? join(path, file) : path;
    const bytes = await readFile(target, 'utf8');
    const mark = bytes.startsWith('\uFEFF') ? '\uFEFF' : '';
    const text = bytes.slice(mark.length);
    const upgraded = upgradeFile(documents, text, format, (plugin, field) =>
      movedTo(session.assumed(null).schemas, plugin, field),
    );
    for (const note of upgraded.notes) io.stdout(line(shown, onlyCheck ? asWouldBe(note) : note));
    isLeft ||= upgraded.notes.some(({ byHand }) => byHand);
    if (upgraded.text === text) continue;
    changed = true;
    if (!onlyCheck) await writeFile(target, `${mark}${upgraded.text}`);
  }
  for (const { template } of read.templates) {
    if (template !== null)
      io.stderr(`konverge: ${template.source.file}: its templates stand outside of values; convert it by hand\n`);
  }
  if (changed) return 'changed';
  return isLeft ? 'left' : 'unchanged';
}

/** What a file would have, where it is left as it is. */
function asWouldBe(note: UpgradeNote): UpgradeNote {
  return note.byHand ? note : { ...note, message: note.message.replace(' is now ', ' would become ') };
}

function line(file: string, { location, message, byHand }: UpgradeNote): string {
  return `${file}:${location.line}:${location.column}: ${byHand ? 'by hand: ' : ''}${message}\n`;
}

function byFile(documents: readonly Document[]): ReadonlyMap<string, readonly Document[]> {
  const files = new Map<string, Document[]>();
  for (const document of documents) {
    const known = files.get(document.file);
    if (known === undefined) files.set(document.file, [document]);
    else known.push(document);
  }
  return files;
}

function isKubernetes(value: Document['value']): boolean {
  return isJsonObject(value) && typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string';
}

/** Where a field of a plugin's configuration stands for another one, by the schema of the Kong that is assumed. */
function movedTo(schemas: Schemas, plugin: string, field: string): readonly string[] | null {
  const config = pluginSchema(schemas, plugin)?.fields['config'];
  if (config?.fields !== undefined && Object.hasOwn(config.fields, field)) return null;
  const shorthand = config?.shorthand_fields?.find(({ name }) => name === field);
  const [path, ...others] = shorthand?.answered === true ? shorthand.paths : [];
  return path === undefined || others.length > 0 ? null : path;
}
