import { jsonSchema } from '../config/json-schema.ts';
import type { Command } from './command.ts';
import { exitCode } from './io.ts';

/** `konverge schema`: the JSON Schema of the configuration, for editors. */
export const schema: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of konverge.yaml',
  positionals: '',
  options: {},
  run: async (_, io) => {
    io.stdout(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
    return exitCode.ok;
  },
};
