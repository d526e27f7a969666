import { z } from 'zod';
import type { FailureFacts } from '../platform/failure.ts';

/** So many characters of what a server says are shown. */
const longest = 200;

const sentence = z.object({
  message: z.string().optional(),
  detail: z.string().optional(),
  title: z.string().optional(),
});

/**
 * A failure with what the server says of it at the end of its message, where that is more than the message says.
 * `hide` takes secrets out of it: a server may repeat what it was sent.
 */
export function withServerWords(facts: FailureFacts, hide: (words: string) => string): FailureFacts {
  const { message, detail, title } = sentence.safeParse(facts.body).data ?? {};
  const said = (message ?? detail ?? title ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (said === '' || facts.message.toLowerCase().includes(said.toLowerCase())) return facts;
  // Hidden before it is cut, or the beginning of a secret would be left.
  const words = hide(said);
  const shown = words.length > longest ? `${words.slice(0, longest - 1)}…` : words;
  return { ...facts, message: `${facts.message}: "${shown}"` };
}
