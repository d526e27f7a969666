/** A full commit id, SHA-1 or SHA-256, in lower case; null for anything else. */
export function commitId(text: string | null | undefined): string | null {
  const id = (text ?? '').toLowerCase();
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id) ? id : null;
}

/** A branch's full ref; null where Git would not have it (`git check-ref-format`). */
export function branchRef(branch: string | null | undefined): string | null {
  const name = (branch ?? '').replace(/^refs\/heads\//, '');
  const isWrong = /^$|^[/-]|[/.]$|\.\.|\/\/|@\{|(?:^|\/)\.|\.lock(?:\/|$)|[\s\p{Cc}~^:?*[\\]/u.test(name);
  return isWrong ? null : `refs/heads/${name}`;
}

/** An address that people can follow; null for anything that is not http or https. */
export function pageUrl(text: string | null | undefined): string | null {
  const address = text ?? '';
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const isPlain = url.username === '' && url.password === '';
  return (url.protocol === 'https:' || url.protocol === 'http:') && isPlain ? address : null;
}
