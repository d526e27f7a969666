import { jsonSchema } from '../config/json-schema.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode } from './io.ts';

/** `konverge schema`: the JSON Schema of the configuration, for editors. */
export const schema: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of konverge.yaml',
  positionals: '',
  options: {},
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('schema takes no PATH');
    io.stdout(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
    return exitCode.ok;
  },
};
