import type { Scope } from '../build/built.ts';
import type { Configuration } from '../config/settings.ts';
import { excludedKinds } from './excluded-kinds.ts';

/** What part of the repository a destination of the configuration gets. Needs no secret. */
export function scopeOf(configuration: Configuration, name: string): Scope {
  const scope = configuration.scope(name);
  return {
    destination: name,
    include: scope.include,
    excludeFiles: scope.exclude.files,
    excludeKinds: excludedKinds(name, scope.exclude.kinds),
    excludeTags: scope.exclude.tags,
    tags: scope.tags,
    workspace: scope.workspace,
    controlPlane: scope.controlPlane,
    mode: scope.mode,
  };
}
