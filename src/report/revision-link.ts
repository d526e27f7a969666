/** The page of a revision on the status page; null where people cannot reach that. */
export function revisionLink(publicUrl: string | null, revision: string): string | null {
  return publicUrl === null ? null : `${publicUrl.replace(/\/+$/, '')}/revisions/${revision}`;
}
