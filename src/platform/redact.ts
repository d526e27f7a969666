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
  readonly #secrets = new Set<string>();
  #pattern: RegExp | null = null;

  /** Remembers a secret, also as it looks in a URL, in JSON and in Base64. Texts under four characters are ignored. */
  register(secret: string): void {
    for (const form of formsOf(secret)) {
      if (form.length < shortestSecret || this.#secrets.has(form)) continue;
      this.#secrets.add(form);
      this.#pattern = null;
    }
  }

  /** The text with every known secret replaced by `***`. */
  redact(text: string): string {
    if (this.#secrets.size === 0) return text;
    // Longest first, so that a secret that contains another one is masked whole.
    this.#pattern ??= new RegExp(
      [...this.#secrets]
        .sort((a, b) => b.length - a.length)
        .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
        .join('|'),
      'g',
    );
    return text.replace(this.#pattern, mask);
  }
}

function formsOf(secret: string): readonly string[] {
  const whole = [secret, secret.trim()];
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  return [...whole, ...lines].flatMap((form) => [
    form,
    encoded(form),
    JSON.stringify(form).slice(1, -1),
    ...(form.length < 8 ? [] : [Buffer.from(form, 'utf8').toString('base64')]),
  ]);
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
