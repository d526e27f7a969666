import type { ForgeSettings } from '../config/status.ts';

/** What of a forge's settings its pages are told from. */
export type LinkedForge = Pick<ForgeSettings, 'kind' | 'url' | 'repository'>;

/** Where a forge shows a line of a file at a commit. Lines start at 1. Null where its pages cannot be told from its forge. */
export function fileLink(forge: LinkedForge, revision: string, file: string, line: number): string | null {
  const { repository } = forge;
  const path = encoded(file);
  switch (forge.kind) {
    case 'github':
      return `${githubPages(forge.url)}/${encoded(repository)}/blob/${revision}/${path}#L${line}`;
    case 'gitlab':
      // A project that is given by its number has a page under its name only.
      if (/^\d+$/.test(repository)) return null;
      return `${trimmed(forge.url)}/${encoded(repository)}/-/blob/${revision}/${path}#L${line}`;
    case 'gitea':
    case 'forgejo':
      return `${trimmed(forge.url)}/${encoded(repository)}/src/commit/${revision}/${path}#L${line}`;
    case 'bitbucket':
      return `https://bitbucket.org/${encoded(repository)}/src/${revision}/${path}#lines-${line}`;
    case 'bitbucketDataCenter': {
      const [project = '', name = ''] = repository.split('/');
      const [kind, owner] = project.startsWith('~') ? ['users', project.slice(1)] : ['projects', project];
      const place = `${kind}/${encoded(owner)}/repos/${encoded(name)}`;
      return `${trimmed(forge.url)}/${place}/browse/${path}?at=${revision}#${line}`;
    }
    case 'azure': {
      const [project = '', name = ''] = repository.split('/');
      const query = new URLSearchParams({
        path: `/${file}`,
        version: `GC${revision}`,
        line: String(line),
        lineEnd: String(line + 1),
        lineStartColumn: '1',
        lineEndColumn: '1',
      });
      return `${trimmed(forge.url)}/${encoded(project)}/_git/${encoded(name)}?${query.toString()}`;
    }
  }
}

/** The pages that belong to an API: `api.github.com`, `HOST/api/v3` of an Enterprise Server, `api.SUB.ghe.com`. */
function githubPages(api: string): string {
  const url = new URL(api);
  if (/^api\.(github\.com|[^.]+\.ghe\.com)$/.test(url.hostname)) return `https://${url.hostname.slice('api.'.length)}`;
  return trimmed(api).replace(/\/api\/v3$/, '');
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
