import type { Options } from './arguments.ts';

/** Options of every command that reads a configuration. */
export const configurationOptions: Options = {
  config: { value: 'FILE', help: 'the configuration file (default: konverge.yaml)' },
  set: { value: 'PATH=VALUE', repeatable: true, help: 'override a key of the configuration' },
};

/** Options of the commands that read a repository's files. */
export const sourceOptions: Options = {
  repo: { value: 'URL', help: 'read the PATHs inside a commit of this repository' },
  revision: { value: 'REV', help: 'the commit to read, with --repo (default: the tip of the branch)' },
};

/** Options that choose a destination. */
export const destinationOptions: Options = {
  to: { value: 'NAME', repeatable: true, help: 'a destination of the configuration' },
  kong: { value: 'URL', help: 'a Kong that is not in the configuration, as the destination "kong"' },
  header: { value: "'NAME: VALUE'", repeatable: true, help: 'a header to send to it, with --kong' },
};
