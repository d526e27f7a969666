/** A time as people read it, from ISO 8601: `2026-03-01 09:26:10Z`, as the status page has it. */
export function instant(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
