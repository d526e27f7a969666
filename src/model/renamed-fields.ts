/** What became of a field of a plugin's configuration from Kong 2.x to 3.x: another name, or null where it is gone. */
export interface RenamedFields {
  readonly [field: string]: string | null;
}

const lists: RenamedFields = { whitelist: 'allow', blacklist: 'deny' };
const phases: RenamedFields = { functions: 'access' };

/** By the plugin. Kong's own schemas say nothing of these, unlike of later renames, for which they have shorthands. */
const renamed: { readonly [plugin: string]: RenamedFields } = {
  acl: lists,
  'bot-detection': lists,
  'ip-restriction': lists,
  'pre-function': phases,
  'post-function': phases,
  'aws-lambda': { proxy_scheme: null },
};

const none: RenamedFields = {};

/** The fields of a plugin's configuration that Kong 3.0 renamed or removed. */
export function renamedFields(plugin: string): RenamedFields {
  return Object.hasOwn(renamed, plugin) ? (renamed[plugin] ?? none) : none;
}

/** A character that no plain path has: Kong 2.x took a path with one for a regular expression. */
const beyondPlain = /[^A-Za-z0-9._~/%-]/;

/** Whether Kong 2.x took a path for a regular expression; Kong 3.x does only where it begins with `~`. */
export function wasRegexPath(path: string): boolean {
  return beyondPlain.test(path) && !path.startsWith('~');
}
