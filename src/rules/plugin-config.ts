import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { faultFinding, schemaFaults } from './schema-faults.ts';

/** A plugin's configuration is one that the plugin takes. */
export const pluginConfig: Rule = {
  name: 'plugin-config',
  severity: 'error',
  summary: "A plugin's configuration fits the plugin's own schema.",
  kinds: ['plugins'],
  check: (entity, context) =>
    schemaFaults(entity, 'plugin-config', context).map((fault) => faultFinding(entity, fault)),
  documentation: page({
    title: 'plugin-config',
    what: `Checks \`config\` of each plugin by the plugin's schema: required fields, types, ranges, words out of a list, and
what depends on other fields (\`policy: redis\` needs a Redis host, say). Shared configurations (\`_config\`) are checked in
each plugin that uses them, at the place where the value was written.`,
    why: `A plugin that Kong refuses is a limit or a lock that is not there. Kong says so only when the plugin is sent, and
in DB-less mode refuses everything that is sent with it.`,
    bad: `
_format_version: "3.0"
plugins:
  - name: request-size-limiting
    config:
      allowed_payload_size: 8
      size_unit: MB`,
    good: `
_format_version: "3.0"
plugins:
  - name: request-size-limiting
    config:
      allowed_payload_size: 8
      size_unit: megabytes`,
    fix: `Correct the value at the place shown. The plugin's page in Kong's documentation lists its fields. For a plugin of
your own, or of another version, keep the schemas of the destination with \`konverge schemas pull\`.`,
  }),
};
