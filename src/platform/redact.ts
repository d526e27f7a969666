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
  readonly #known = new Set<string>();
  /**
   * The forms of secrets by how the part of them begins that stands in every text that they are quoted in, so that a text
   * is looked at once, however many there are; those with a shorter part by the empty text.
   */
  readonly #byStart = new Map<string, (readonly [form: string, part: string])[]>();

  /** Remembers a secret, however it is quoted, and in Base64. Texts under four characters are ignored. */
  register(secret: string): void {
    for (const form of formsOf(secret)) {
      if (form.length < shortestSecret || this.#known.has(form)) continue;
      this.#known.add(form);
      const part = plainPart(form);
      const start = part.length < startLength ? '' : part.slice(0, startLength);
      const list = this.#byStart.get(start);
      if (list === undefined) this.#byStart.set(start, [[form, part]]);
      else list.push([form, part]);
    }
  }

  /** The text with every known secret replaced by `***`. */
  redact(text: string): string {
    if (this.#known.size === 0) return text;
    const starts = new Set(['']);
    for (let at = 0; at + startLength <= text.length; at += 1) starts.add(text.slice(at, at + startLength));
    const likely = [...starts].flatMap((start) => this.#byStart.get(start) ?? []);
    return withoutThese(
      text,
      likely.flatMap(([form, part]) => (text.includes(part) ? [form] : [])),
    );
  }
}

/** So many characters of a secret's part lead to it. */
const startLength = 4;

/** A text with these secrets replaced by `***`, however short they are and however they are quoted. */
export function withoutThese(text: string, secrets: readonly string[]): string {
  // Longest first, so that a secret that contains another one is masked whole.
  const ordered = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  return ordered.reduce((shown, secret) => {
    const plain = shown.replaceAll(secret, () => mask);
    // An expression takes time to be made, and is seldom needed.
    return plain.includes(plainPart(secret)) ? plain.replace(new RegExp(inAnyQuoting(secret), 'g'), mask) : plain;
  }, text);
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
