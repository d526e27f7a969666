import { entityName } from '../model/entity.ts';
import { page } from './page.ts';
import type { Rule, RuleContext } from './rule.ts';
import { schemaFaults } from './schema-faults.ts';
import { shownValue } from './secret.ts';

/** Plugins that the files themselves define, as Enterprise and Konnect allow. */
function definitions({ memo, state }: RuleContext): ReadonlySet<string> {
  return memo('plugin definitions', () => {
    const kinds = ['custom_plugins', 'cloned_plugins'] as const;
    return new Set(kinds.flatMap((kind) => (state.entities.get(kind) ?? []).map((entity) => entity.identity)));
  });
}

/** Every plugin is one that the Kong in question has. */
export const unknownPlugin: Rule = {
  name: 'unknown-plugin',
  severity: 'error',
  summary: 'Every plugin is one that Kong has.',
  kinds: ['plugins'],
  check: (entity, context) =>
    schemaFaults(entity, 'unknown-plugin', context).flatMap((fault) => {
      if (definitions(context).has(String(entity.fields['name']))) return [];
      const shown = shownValue(entity, ['name']);
      const { version, edition } = context.schemas;
      const kong = `${edition === 'oss' ? 'Open-source Kong' : 'Kong Enterprise'}${version === null || version === 'any' ? '' : ` ${version}`}`;
      // Some Kong may well have one of its own, but a slip in a name stays a slip.
      const isForeign = context.standsAlone && fault.hint === '';
      return {
        ...(isForeign ? { severity: 'warning' as const } : {}),
        message: `${kong} has no plugin ${shown ?? 'of this name'}.`,
        hint:
          fault.hint === '' || shown === null
            ? context.schemas.assumed === true
              ? 'Correct the name, or set kong.edition and kong.version to what you run; for a plugin of your own, `konverge schemas pull`.'
              : context.schemas.pluginNames.includes(shown === null ? '' : String(entity.fields['name']))
                ? 'It is listed there, and its schema is not known yet: keep it with `konverge schemas pull`.'
                : 'Correct the name, or install the plugin there.'
            : fault.hint,
        locations: entity.source === null ? [] : [entity.source.at(['name'])],
        entities: [entityName(entity)],
      };
    }),
  documentation: page({
    title: 'unknown-plugin',
    what: `Compares the name of each plugin with those that Kong has: the destination's own list once it was asked or its schemas were pulled, else the
plugins that come with the version and edition in \`kong:\` of the configuration. Where a name is near, it is suggested. It is a warning where the files are checked for no Kong in particular
(\`kong.version: any\` and no destination) and no name is near: some Kong may have a plugin of its own.`,
    why: 'Kong refuses a plugin that is not installed. A slip in the name of an authentication plugin would leave a route open.',
    bad: `
_format_version: "3.0"
plugins:
  - name: key-aut`,
    good: `
_format_version: "3.0"
plugins:
  - name: key-auth`,
    fix: `Correct the name. For a plugin of Kong Enterprise, set \`kong: { edition: enterprise }\`; for one of your own, keep
the schemas of the destination with \`konverge schemas pull\`.`,
  }),
};
