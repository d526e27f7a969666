/** What was done with a file, by the system call that failed. Those of the network are no part of this. */
const doings: ReadonlyMap<string, string> = new Map([
  ['open', 'opened'],
  ['read', 'read'],
  ['write', 'written'],
  ['mkdir', 'made'],
  ['mkdtemp', 'made'],
  ['rename', 'put in place'],
  ['unlink', 'removed'],
  ['rm', 'removed'],
  ['rmdir', 'removed'],
  ['scandir', 'listed'],
  ['opendir', 'listed'],
  ['stat', 'looked at'],
  ['lstat', 'looked at'],
  ['access', 'looked at'],
  ['realpath', 'looked at'],
  ['copyfile', 'copied'],
  ['ftruncate', 'written'],
  ['fsync', 'written'],
  ['close', 'written'],
]);

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'a part of the path is not there'],
  ['EACCES', 'this user may not'],
  ['EPERM', 'this user may not'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it is there already'],
  ['ENOSPC', 'there is no space left'],
  ['EDQUOT', 'there is no space left for this user'],
  ['EROFS', 'the file system cannot be written to'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links lead in a circle'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
]);

/** What kept a file from being read or written, for a person; null for anything else that was thrown. */
export function fileErrorText(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('syscall' in thrown)) return null;
  const doing = doings.get(String(thrown.syscall));
  if (doing === undefined) return null;
  const code = String(thrown.code);
  const file = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : 'a file';
  const reason = reasons.get(code);
  return `${file} cannot be ${doing}: ${reason === undefined ? code : `${reason} (${code})`}`;
}
