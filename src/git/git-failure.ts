import { Failure, type FailureClass } from '../platform/failure.ts';

/** What a failure of the Git side has to say; the rest of the facts is null unless given. */
export interface GitFailureFacts {
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly method?: string;
  readonly url?: string;
  readonly status?: number;
  readonly retryAfterMs?: number | null;
}

/** A failure of the Git side. A URL is shown without userinfo and query. */
export function gitFailure(facts: GitFailureFacts): Failure {
  return new Failure({
    class: facts.class,
    code: facts.code,
    message: facts.message,
    hint: facts.hint,
    method: facts.method ?? null,
    url: facts.url === undefined ? null : publicUrl(facts.url),
    status: facts.status ?? null,
    retryAfterMs: facts.retryAfterMs ?? null,
    body: null,
  });
}

/** A URL as it may be shown: without userinfo, query and fragment. What is no URL is shown as a local path is. */
export function publicUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}

/** The seven digits that people know a commit by. */
export function shortRevision(revision: string): string {
  return revision.slice(0, 7);
}

/** Whether a text is the full name of a commit; anything shorter would be taken for the name of a ref. */
export function isRevision(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
