import { isSignatureFault } from '../model/commit-text.ts';
import type { Validation } from './daemon.ts';
import type { HistoryEntry } from './history.ts';

/**
 * What a history says of a revision that is not offered to a destination, as it is invalid there or not accepted: with
 * the first finding. `now` is in milliseconds since 1970.
 */
export function refusedEntry(
  destination: string,
  { revision, parts, diagnostics }: Pick<Validation, 'revision' | 'parts' | 'diagnostics'>,
  now: number,
): HistoryEntry {
  const errors = (parts?.get(destination) ?? diagnostics).filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.locations[0];
  const where = place === undefined || place.file === '.' ? '' : `${place.file}:${place.line} `;
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const why = first !== undefined && isSignatureFault(first.rule) ? 'not accepted' : `invalid here, with ${count}`;
  return {
    at: new Date(now).toISOString(),
    destination,
    event: 'refused',
    revision,
    signed: null,
    detail: `${why}; what is in force stays`,
    failure: first === undefined ? null : { code: first.rule, message: `${where}${first.message}` },
    plan: null,
    approval: null,
    suspension: null,
  };
}
