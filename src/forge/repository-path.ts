/** OWNER/NAME as a part of a URL's path. */
export function repositoryPath(repository: string): string {
  return repository.split('/').map(encodeURIComponent).join('/');
}
