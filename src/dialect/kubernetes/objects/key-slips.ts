import { editDistance, nearestWord } from '../../../model/suggest.ts';

/** What Kong's keys begin with. */
export const kongPrefix = 'konghq.com/';

const domain = kongPrefix.slice(0, -1);

/** Domains under which somebody may look for Kong's keys, besides those that are misspelt. */
const near: ReadonlySet<string> = new Set([
  'kong',
  'konghq',
  'kong.com',
  'kong.hq.com',
  'kong.io',
  'kong-hq.com',
  'konghq.co',
  'konghq.dev',
  'konghq.io',
  'konghq.net',
  'konghq.org',
]);

/** Longer beginnings of names after which anything may follow. */
const openName = 'headers.';

/**
 * The one of Kong's keys that another was meant to be: written in other letters, with its prefix behind it, with that of
 * a former controller, or with one that is nearly Kong's. Undefined for Kong's own, misspelt or not, and those of others.
 */
export function kongKeyMeant(key: string, names: readonly string[]): string | undefined {
  if (key.startsWith(kongPrefix)) return undefined;
  const name = meantByLetters(key, names) ?? meantByDomain(key.toLowerCase(), names);
  return name === undefined ? undefined : kongPrefix + name;
}

/** The name of Kong's that a name under its prefix is a slip of; undefined for one that is like none. */
export function kongNameMeant(name: string, names: readonly string[]): string | undefined {
  return nearestWord(name, names);
}

/** A key of the same letters, whatever stands between them: `konghq.com.plugins`, `KongHQ.com/Plugins`, `plugins.konghq.com`. */
function meantByLetters(key: string, names: readonly string[]): string | undefined {
  const [written, own] = [letters(key), letters(domain)];
  // An old annotation that named a KongIngress stood alone.
  if (written === `configuration${own}`) return 'override';
  const rest = written.startsWith(own)
    ? written.slice(own.length)
    : written.endsWith(own)
      ? written.slice(0, -own.length)
      : null;
  if (rest === null || rest === '') return undefined;
  return names.find((name) => letters(name) === rest) ?? slip(rest, names) ?? header(key, rest);
}

/** A key under a domain that is Kong's but for a letter or two, or belongs to it: `kong.com/plugins`, `plugins.konghq.com/plugins`. */
function meantByDomain(key: string, names: readonly string[]): string | undefined {
  const slash = key.indexOf('/');
  const [prefix, name] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)];
  if (prefix === '') return undefined;
  const isNear = near.has(prefix) || prefix.endsWith(`.${domain}`) || editDistance(prefix, domain) <= 2;
  if (!isNear) return undefined;
  return names.find((one) => one === name) ?? slip(name, names) ?? (name.startsWith(openName) ? name : undefined);
}

/** A longer name that one differs from by one letter, or two that are swapped. */
function slip(name: string, names: readonly string[]): string | undefined {
  return names.find((one) => one.length > 4 && editDistance(one, name) === 1);
}

function header(key: string, rest: string): string | undefined {
  const named = /headers[./_-](.+)$/i.exec(key)?.[1];
  return rest.startsWith('headers') && named !== undefined ? openName + named : undefined;
}

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
