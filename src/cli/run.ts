import type { Command } from './command.ts';
export const run: Command = { name: 'run', summary: '', positionals: '', options: {}, run: async () => 1 };
