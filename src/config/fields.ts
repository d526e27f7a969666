import { z } from 'zod';
import { parseDuration, parseShare, parseSize } from './units.ts';

/** A text that is not empty. */
export function text(description: string) {
  return z.string().min(1, 'must not be empty').meta({ description });
}

/** A text of a given form; `form` is named in the message as `must be …`. */
export function textOf(pattern: RegExp, form: string, description: string) {
  return z.string().regex(pattern, `must be ${form}`).meta({ description });
}

/** A list of texts, empty by default. */
export function texts(description: string, item = 'One of the list.') {
  return z.array(text(item)).default([]).meta({ description });
}

/** A duration with its unit, in milliseconds when parsed. */
export function duration(description: string, atLeastMs: number) {
  return z
    .string('must be a duration such as 500ms, 30s, 5m or 1h')
    .transform((written, context) => {
      const ms = parseDuration(written);
      if (ms === null) return refuse(context, 'must be a duration such as 500ms, 30s, 5m or 1h');
      if (ms < atLeastMs) return refuse(context, `must be ${atLeastMs} ms or more`);
      return ms;
    })
    .meta({ description, pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$' });
}

/** A size with its unit, in bytes when parsed. */
export function size(description: string) {
  return z
    .string('must be a size such as 512KiB, 64MiB or 10MB')
    .transform((written, context) => {
      const bytes = parseSize(written);
      if (bytes === null || bytes < 1) return refuse(context, 'must be a size such as 512KiB, 64MiB or 10MB');
      return bytes;
    })
    .meta({ description, pattern: '^\\d+(\\.\\d+)?(B|kB|MB|GB|KiB|MiB|GiB)$' });
}

/** A share in per cent, a number from 0 to 1 when parsed. */
export function share(description: string) {
  return z
    .string('must be a share from 0% to 100%, such as 30%')
    .transform((written, context) => {
      const parsed = parseShare(written);
      return parsed ?? refuse(context, 'must be a share from 0% to 100%, such as 30%');
    })
    .meta({ description, pattern: '^\\d{1,3}(\\.\\d+)?%$' });
}

/** A whole number in a range. A text of digits is taken too, since an environment variable gives one. */
export function whole(description: string, from: number, to: number) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .union([z.number(), z.string()], { error: message })
    .transform((written, context) => {
      const number = typeof written === 'number' || /^\d+$/.test(written) ? Number(written) : Number.NaN;
      return Number.isInteger(number) && number >= from && number <= to ? number : refuse(context, message);
    })
    .meta({ description });
}

/** True or false; the texts too, since an environment variable gives one. */
export function flag(description: string) {
  return z
    .union([z.boolean(), z.literal('true'), z.literal('false')], { error: 'must be true or false' })
    .transform((written) => written === true || written === 'true')
    .meta({ description });
}

/** An http or https URL without query, fragment or a slash at its end. */
export function httpUrl(description: string) {
  return z
    .string()
    .transform((written, context) => {
      const url = URL.canParse(written) ? new URL(written) : null;
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        return refuse(context, 'must be an http or https URL');
      }
      if (url.search !== '' || url.hash !== '') return refuse(context, 'must be a URL without query and fragment');
      return url.href.replace(/\/+$/, '');
    })
    .meta({ description, pattern: '^https?://' });
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
