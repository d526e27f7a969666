/**
 * A text as a forge takes it: one line, without control characters, cut by code points to the forge's limit with an
 * ellipsis in the last place.
 */
export function fitDescription(text: string, limit: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const points = [...line];
  if (points.length <= limit) return line;
  return `${points
    .slice(0, Math.max(0, limit - 1))
    .join('')
    .trimEnd()}…`;
}
