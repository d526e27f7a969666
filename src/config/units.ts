const millisecondsOf: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `30s`, `1h30m`; null where it is none. */
export function parseDuration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sum += Number(amount) * (millisecondsOf[unit ?? ''] ?? Number.NaN);
  }
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : null;
}

const bytesOf: { readonly [unit: string]: number } = {
  B: 1,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Bytes of a size such as `64MiB` or `10MB`; null where it is none. */
export function parseSize(text: string): number | null {
  const parts = /^(\d+(?:\.\d+)?)(B|kB|MB|GB|KiB|MiB|GiB)$/.exec(text);
  const bytes = Math.round(Number(parts?.[1]) * (bytesOf[parts?.[2] ?? ''] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** A share such as `30%` as a number from 0 to 1; null where it is none. */
export function parseShare(text: string): number | null {
  const parts = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text);
  const share = Number(parts?.[1]) / 100;
  return share >= 0 && share <= 1 ? share : null;
}
