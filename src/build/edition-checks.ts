import type { DeckInfo } from '../dialect/deck/deck-info.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { BuildSettings } from './built.ts';

/** What the files say that only an Enterprise gateway can do, where the checks are for an open-source one. */
export function checkEdition({ workspace }: DeckInfo, { schemas }: BuildSettings): readonly Diagnostic[] {
  if (schemas.edition !== 'oss' || workspace === null || workspace.value === 'default') return [];
  return [
    {
      rule: 'workspace-edition',
      severity: schemas.orEnterprise === undefined ? 'error' : 'warning',
      message: `The files are for workspace ${JSON.stringify(workspace.value)}, and the Kong they are checked for is open source, which has none.`,
      hint:
        schemas.assumed === true
          ? 'Set kong.edition to "enterprise" if that is what you run, or delete _workspace.'
          : 'Delete _workspace, or deliver the files to a Kong Enterprise.',
      locations: [workspace.location],
      entities: [],
    },
  ];
}
