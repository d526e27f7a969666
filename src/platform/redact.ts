import { inAnyQuoting, plainPart } from './any-quoting.ts';

/** What stands in for a secret. */
export const mask = '***';

/** Shorter texts are not masked: they would blot out half of every line and protect nothing. */
const shortestSecret = 4;

/**
 * A URL as it may be shown: without userinfo, query and fragment. A text that is no URL is shown without what stands
 * before an `@` and after a `?` or `#`.
 */
export function shownUrl(url: string): string {
  try {
    const parsed = new URL(url);
    // `user:password@host` parses too, as a scheme and its path.
    if (parsed.host === '' && parsed.protocol !== 'file:') return withoutSecrets(url);
    parsed.username = '';
    parsed.password = '';
    parsed.search = '';
    parsed.hash = '';
    return parsed.href;
  } catch {
    return withoutSecrets(url);
  }
}

function withoutSecrets(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^@/]*@/i, '$1');
}

/** Masks the secrets that it was told of in any text. */
export class Redactor {
  /** Each form of a secret, with what of it stands in every text that it is quoted in. */
  readonly #secrets = new Map<string, string>();

  /** Remembers a secret, however it is quoted, and in Base64. Texts under four characters are ignored. */
  register(secret: string): void {
    for (const form of formsOf(secret)) {
      if (form.length < shortestSecret || this.#secrets.has(form)) continue;
      this.#secrets.set(form, plainPart(form));
    }
  }

  /** The text with every known secret replaced by `***`. */
  redact(text: string): string {
    const likely: string[] = [];
    for (const [secret, part] of this.#secrets) if (text.includes(part)) likely.push(secret);
    return withoutThese(text, likely);
  }
}

/** A text with these secrets replaced by `***`, however short they are and however they are quoted. */
export function withoutThese(text: string, secrets: readonly string[]): string {
  const there = secrets.filter((secret) => secret !== '');
  return there.length === 0 ? text : text.replace(patternOf(there), mask);
}

/** Longest first, so that a secret that contains another one is masked whole. */
function patternOf(secrets: readonly string[]): RegExp {
  const ordered = [...secrets].sort((a, b) => b.length - a.length);
  return new RegExp(ordered.map(inAnyQuoting).join('|'), 'g');
}

function formsOf(secret: string): readonly string[] {
  const whole = [secret, secret.trim()];
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  return [...whole, ...lines].flatMap((form) => {
    if (form.length < 8) return [form];
    const bytes = Buffer.from(form, 'utf8');
    return [form, bytes.toString('base64'), bytes.toString('base64url')];
  });
}
