import type { RepositorySettings } from '../../src/config/settings.ts';

/** Settings of a repository at an address, with whatever else a test needs. */
export function repositorySettings(url: string, other: Partial<RepositorySettings> = {}): RepositorySettings {
  return {
    url,
    branch: 'main',
    path: '',
    ignore: [],
    intervalMs: 30_000,
    history: 500,
    auth: { type: 'none' },
    ca: null,
    proxy: null,
    timeoutMs: 20_000,
    packLimitBytes: 64 * 1024 * 1024,
    ...other,
  };
}
