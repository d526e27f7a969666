import { createHash } from 'node:crypto';

/**
 * Whether a context is one of ours: the prefix itself, or below it. Without regard to case, since GitHub tells contexts
 * apart so and no forge has use for two that differ in nothing else.
 */
export function isOurs(context: string, prefix: string): boolean {
  const [given, ours] = [context.toLowerCase(), prefix.toLowerCase()];
  return given === ours || given.startsWith(`${ours}/`);
}

/**
 * A context as a key of at most `limit` characters: itself where it fits, else its beginning and eight digits of its
 * SHA-256, so that two long contexts have two keys and each has the same for ever.
 */
export function contextKey(context: string, limit: number): string {
  if (context.length <= limit) return context;
  const digest = createHash('sha256').update(context, 'utf8').digest('hex').slice(0, 8);
  return `${context.slice(0, limit - digest.length - 1)}-${digest}`;
}
