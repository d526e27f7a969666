/**
 * The address that a status leads to as a forge may have it: without userinfo, which everybody who sees the commit
 * would read; null where there is none or it is longer than the forge takes, since half an address leads nowhere.
 */
export function statusLink(targetUrl: string | null, limit: number): string | null {
  if (targetUrl === null || !URL.canParse(targetUrl)) return null;
  const url = new URL(targetUrl);
  const isPlain = url.username === '' && url.password === '';
  url.username = '';
  url.password = '';
  const link = isPlain ? targetUrl : url.href;
  return link.length > limit ? null : link;
}
