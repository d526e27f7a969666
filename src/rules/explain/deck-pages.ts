import type { Pages } from '../../model/page.ts';

const left = 'What cannot be understood is not guessed at: it would be left out, and so deleted at the destination.';

/** What reading decK files, and fitting them to a destination, may find. */
export const deckPages: Pages = {
  'format-version': {
    what: '`_format_version` is missing in all files, is no text, or is not that of Kong 3 (`"3.0"`).',
    why: 'In files of Kong 2.x, paths that are regular expressions have no `~`, so that they would silently match nothing.',
    fix: 'Write `_format_version: "3.0"`, in quotes, and put a `~` before each path that is a regular expression. `konverge convert` does both.',
  },
  'wrong-shape': {
    what: 'A value is of another shape than its key holds: a text where a list belongs, say.',
    why: left,
    fix: 'Correct it at the place shown; often a dash or a level of indentation is missing.',
  },
  'unknown-key': {
    what: 'A key at the top of a file, or in `_info`, is none of the format.',
    why: left,
    fix: 'Correct the name (the nearest known one is suggested), or delete the key. Anchors can be defined where they are first used.',
  },
  'misplaced-list': {
    what: 'A list stands under an entity that has no such children: targets under a service, for example.',
    why: left,
    fix: 'Move it to where it belongs; look at the indentation first.',
  },
  'invalid-id': {
    what: 'An `id` is no UUID.',
    why: 'Kong takes nothing else, and references by id would lead nowhere.',
    fix: 'Delete it (the same name then gives the same id everywhere), or write a UUID.',
  },
  'invalid-reference': {
    what: 'A reference to another entity is neither a name, nor an id, nor a mapping with one of them.',
    why: left,
    fix: 'Write the name, as in `service: orders`, or `service: { name: orders }`.',
  },
  'nested-reference': {
    what: 'An entity that stands under another one names one of that kind as well.',
    why: 'Where it stands and what it says may differ, and then one of the two is silently ignored.',
    fix: 'Delete the reference, or move the entity to the top of the file.',
  },
  'invalid-url': {
    what: `The \`url\` of a service cannot be taken apart into protocol, host, port and path. A warning: it has parts that Kong
has no field for, or a field beside it says something else.`,
    why: 'Without a host Kong refuses the service. A field beside the url counts, as with decK, and the url then misleads.',
    fix: 'Write it in full, as in `https://orders.internal:8443/v1`, or give `host`, `port` and `protocol`.',
  },
  'unknown-shared-config': {
    what: '`_config` of a plugin names a shared configuration that no file has under `_plugin_configs`.',
    why: 'The plugin would run with its defaults instead of with what was meant.',
    fix: 'Correct the name, or define it under `_plugin_configs` in any of the files.',
  },
  'custom-entity-type': {
    what: 'An item of `custom_entities` has a type that is not known, or none.',
    why: left,
    fix: 'Use one of the types that the message lists.',
  },
  'plugin-definitions': {
    what: 'Files define custom or cloned plugins without saying so in `_info`.',
    why: 'decK reads such files only with `include_plugin_definitions: true`; Konverge reads them anyway.',
    fix: 'Add `include_plugin_definitions: true` to `_info` if decK is to read the files as well.',
  },
  'forbidden-default': {
    what: '`_info.defaults` gives a default to a field that has to be each entity’s own, such as its name or id.',
    why: 'Several entities would become one.',
    fix: 'Remove it from the defaults.',
  },
  'hashed-credentials': {
    what: '`_transform: false` says that passwords are hashed already.',
    why: 'Kong hashes what it is given once more, so that nobody could log in.',
    fix: 'Remove `_transform` and give the passwords themselves, from the environment or a vault.',
  },
  'policy-overrides': {
    what: '`_info.consumer_group_policy_overrides` asks for the way in which Kong up to 3.3 kept plugins of consumer groups.',
    why: 'Since 3.4 they are plugins scoped to the group, and are delivered so.',
    fix: 'Remove the key.',
  },
  'too-many-select-tags': {
    what: 'There are more select tags than the five that Kong can look for at once.',
    why: 'Konverge could not read back what it owns.',
    fix: 'Use fewer: each of them is put on every entity.',
  },
  'files-disagree': {
    what: 'Two files say different things about what there can be one of: the workspace, the control plane, a default, select tags.',
    why: 'Which of them held would depend on the order of files. Select tags are all given to each entity of all files, and bound together what is owned: files that decK was given one by one mean something else so, and what is live with the tags of one is not found.',
    fix: 'Keep one of them. For two destinations, give each its own files with `include`.',
  },
  'old-konnect': {
    what: 'A file is of the time when Konnect had runtime groups or service packages.',
    why: 'Konnect has control planes now, and takes no such file.',
    fix: 'Name the control plane with `_konnect: { control_plane_name: … }` or in the configuration of the destination.',
  },
  'invalid-patch': {
    what: 'A patch (`_transform`, `patches`) does not say what to change, or how.',
    why: left,
    fix: 'Give it selectors, and values or names of fields to remove.',
  },
  'unused-patch': {
    what: 'A patch selects nothing in the files.',
    why: 'Something was renamed, or a selector has a slip; what the patch was to change stays as it is.',
    fix: 'Correct the selector, or delete the patch.',
  },
  'consumer-copies-differ': {
    what: 'A consumer is written in several places with different fields.',
    why: 'A consumer that is named again only to add something must not contradict itself.',
    fix: 'Write its fields in one place.',
  },
  'repeated-entity': {
    what: 'An entity is written twice, with exactly the same content.',
    why: 'It does no harm now. The next change will be made in one of the two places.',
    fix: 'Keep one of them.',
  },
  'kubernetes-not-read': {
    what: 'The file is a Kubernetes manifest, which this build does not read.',
    why: 'Nothing of it is delivered.',
    fix: 'Leave it out with an `ignore` pattern, or write its content as a decK file.',
  },
  'nothing-declared': {
    what: 'The files declare no entity at all.',
    why: 'Delivered, that would delete everything that is in scope. A daemon holds such a plan until somebody approves it.',
    fix: 'Check `repository.path`, `include`, `exclude` and `ignore`.',
  },
  'protection-excluded': {
    what: 'A plugin that keeps people out (it asks who they are, or lets some in only) is left out by `exclude.tags` or `exclude.kinds` of a destination, while routes that it is for go out there.',
    why: 'Those routes are open to everybody at that destination, unless somebody else looks after its plugins.',
    fix: 'Leave the routes out as well, or let the plugin go out. Where others manage the plugins there, set the rule to off. Files that `exclude.files` leaves out are not read, so nothing is known of what stands in them.',
  },
  'scope-mismatch': {
    what: 'The files are for another workspace, control plane or other select tags than the destination they go to.',
    why: 'They would overwrite what belongs to somebody else.',
    fix: 'Correct one of the two, or give the destination other files with `include`.',
  },
  'workspace-edition': {
    what: 'The files name a workspace (`_workspace`), and are checked for an open-source Kong.',
    why: 'Only Kong Enterprise has workspaces; an open-source one answers 404 to every request for one.',
    fix: 'For Kong Enterprise, set `kong: { edition: enterprise }`. Otherwise delete `_workspace`.',
  },
  'invalid-allow': {
    what: 'A comment that starts with `# konverge:` is not understood, or allows something without a reason.',
    why: 'It has no effect, though whoever wrote it believes that it has.',
    fix: 'Write `# konverge: allow RULE because REASON`, on the line of the entity or on the line before it.',
  },
  'unused-allow': {
    what: 'A comment allows a finding that there is not (any more), or of a rule that there is not.',
    why: 'It would allow the next mistake of the kind, too, and nobody would see it.',
    fix: 'Delete the comment, or correct the name of the rule.',
  },
};
