/**
 * The time that an `allowed_signers` file means, in seconds since 1970: `YYYYMMDD` or `YYYYMMDDHHMM[SS]`, in the time
 * zone of the process, or in UTC with a `Z` behind it (ssh-keygen(1), ALLOWED SIGNERS). Null where it is no such time.
 */
export function allowedTime(text: string): number | null {
  const found = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/i.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const isUtc = found[7] !== '';
  const ms = isUtc
    ? Date.UTC(year, month - 1, day, hour, minute, second)
    : new Date(year, month - 1, day, hour, minute, second).getTime();
  // Both carry what is too much over into the next unit: 31 April would be 1 May.
  const inRange = month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59;
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return year >= 1970 && inRange && day <= days ? Math.floor(ms / 1000) : null;
}
