import type { Command } from './command.ts';

/** Every command, with what the list of commands says of it. Each is loaded only when it is called. */
const table: readonly { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> }[] = [
  {
    name: 'run',
    summary: 'follow the repository and deliver to every destination',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'validate',
    summary: 'build and check configuration files',
    load: async () => (await import('./validate.ts')).validate,
  },
  {
    name: 'render',
    summary: 'print the complete target state',
    load: async () => (await import('./render.ts')).render,
  },
  {
    name: 'plan',
    summary: 'show what would change at each destination',
    load: async () => (await import('./plan.ts')).plan,
  },
  {
    name: 'apply',
    summary: 'plan and deliver once',
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'export',
    summary: 'write a live state as decK files',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'status',
    summary: 'ask a running daemon what it knows',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'history',
    summary: 'say what happened at each destination',
    load: async () => (await import('./history.ts')).history,
  },
  {
    name: 'sync',
    summary: 'have a running daemon look at a destination now',
    load: async () => (await import('./steer.ts')).sync,
  },
  {
    name: 'suspend',
    summary: 'have a running daemon stop delivering to a destination',
    load: async () => (await import('./steer.ts')).suspend,
  },
  {
    name: 'resume',
    summary: 'have a running daemon go on delivering to a destination',
    load: async () => (await import('./steer.ts')).resume,
  },
  {
    name: 'approve',
    summary: 'let a held plan of a running daemon through, once',
    load: async () => (await import('./steer.ts')).approve,
  },
  {
    name: 'init',
    summary: 'write a starter repository',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'convert',
    summary: 'rewrite decK files of Kong 2.x in place',
    load: async () => (await import('./convert.ts')).convert,
  },
  {
    name: 'emulate',
    summary: 'run an emulator of Kong or Konnect on loopback',
    load: async () => (await import('./emulate.ts')).emulate,
  },
  {
    name: 'doctor',
    summary: 'try every connection and permission that is needed',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'explain',
    summary: 'say what a rule checks, why, and how to fix it',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'schemas',
    summary: "keep a destination's schemas for offline checks",
    load: async () => (await import('./schemas.ts')).schemas,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of konverge.yaml',
    load: async () => (await import('./schema.ts')).schema,
  },
];

/** The names of all commands. */
export const commandNames: readonly string[] = table.map(({ name }) => name);

/** Name and summary of all commands, in the order in which they are listed. */
export const commandSummaries: readonly { readonly name: string; readonly summary: string }[] = table;

/** The command of a name, or undefined. */
export async function findCommand(name: string): Promise<Command | undefined> {
  return table.find((entry) => entry.name === name)?.load();
}
