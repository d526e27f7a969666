import { build } from '../build/build.ts';
import { withVariables } from '../build/unfit-values.ts';
import { scopeOf } from '../daemon/scope.ts';
import { renderDeck, renderDeckYaml } from '../dialect/deck/render.ts';
import { renderDbless } from '../model/dbless-form.ts';
import { secretPlaces } from '../rules/secret-places.ts';
import { oneOf, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions, sourceOptions } from './common-options.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { exitCode } from './io.ts';
import { chosenDestinations, openSession } from './session.ts';
import { readSource } from './source-files.ts';

/** `konverge render`: print the complete target state. */
export const render: Command = {
  name: 'render',
  summary: 'Print the complete target state: merged, templated and translated. Secrets are in it, in clear',
  positionals: '[PATH…]',
  options: {
    ...configurationOptions,
    ...sourceOptions,
    to: { value: 'NAME', help: 'only what this destination gets' },
    format: { value: 'FORMAT', help: 'deck (default), json or dbless' },
    ids: { help: 'with the ids that were derived' },
    quarantine: {
      value: 'KIND/[NAMESPACE/]NAME',
      help: 'what would be left if this were broken and had no last good version (repeatable)',
      repeatable: true,
    },
  },
  run: async (args, io) => {
    const format = oneOf(args, 'format', ['deck', 'json', 'dbless']);
    const needsFile = args.positionals.length === 0 && args.value('repo') === undefined;
    const session = await openSession(args, io, { needsFile, level: 'warn' });
    const [name, ...others] =
      args.value('to') === undefined ? [] : chosenDestinations(args, session.configuration, false);
    if (others.length > 0) throw new UsageError('one destination can be rendered at a time');
    const files = await readSource(args, io, session);
    io.endAtOnce?.();
    const built = build(files.snapshot, {
      ...session.settings,
      named: files.named,
      ...session.assumed(name ?? null).settings,
      quarantine: args.values('quarantine'),
      scope: name === undefined ? null : scopeOf(session.configuration, name),
    });
    if (built.diagnostics.some(({ severity }) => severity !== 'info')) {
      io.stderr(diagnosticsText(built.diagnostics, { session, files, built, colour: io.colour.stderr }));
    }
    if (!built.valid) return exitCode.failed;
    if (io.resultsToTerminal === true) {
      const secretsIn = secretPlaces(built.state, session.assumed(name ?? null).schemas);
      if ([...files.snapshot.entries.keys()].some((file) => secretsIn(file).length > 0)) {
        io.stderr('konverge: the state holds secrets, which are printed in clear\n');
      }
    }
    const ids = args.has('ids');
    const state = withVariables(built.state, built.unfit ?? []);
    switch (format) {
      case 'deck':
        io.stdout(renderDeckYaml(state, { ...built.header, ids }));
        break;
      case 'json':
        io.stdout(`${JSON.stringify(renderDeck(state, { ...built.header, ids }), null, 2)}\n`);
        break;
      case 'dbless':
        io.stdout(`${renderDbless(state, { ids: ids ? 'all' : 'given' })}\n`);
        break;
    }
    return exitCode.ok;
  },
};
