import type { State } from '../../model/state.ts';
import { environmentMask } from '../../rules/mask.ts';
import { compared, type RiskContext } from './compared.ts';
import { accessNotes } from './notes/access-removed.ts';
import { certificateNotes } from './notes/certificates-expiring.ts';
import { consumerNotes } from './notes/consumers-removed.ts';
import { movedRequestNotes, movedRequests } from './notes/moved-requests.ts';
import { pluginOrderNotes } from './notes/plugin-order.ts';
import { serviceNotes } from './notes/service-destinations.ts';
import { upstreamNotes } from './notes/upstreams-emptied.ts';
import type { RiskNote, RiskSeverity } from './risk.ts';

const severities: readonly RiskSeverity[] = ['danger', 'warning', 'notice'];
/** More notes of one code than this are told by their number. */
const mostOfCode = 25;

/**
 * What a reviewer should know of a change from one target state to another, from the two states alone, the worst first.
 * Both have to be built alike: for the same destination, and either both with the values of the environment or both with
 * stand-ins for them. No note shows a value that came from the environment.
 */
export function riskNotes(base: State, head: State, context: RiskContext): readonly RiskNote[] {
  const states = compared(base, head, context);
  const requests = movedRequests(states);
  const notes = [
    ...movedRequestNotes(requests, states),
    ...accessNotes(states, requests.moved),
    ...consumerNotes(states),
    ...certificateNotes(states),
    ...upstreamNotes(states),
    ...pluginOrderNotes(states),
    ...serviceNotes(states),
  ];
  const masks = [environmentMask(base), environmentMask(head)];
  return sortRisks(
    bounded(notes).map((note) => ({ ...note, message: masks.reduce((text, mask) => mask(text), note.message) })),
  );
}

/** Notes with the worst first, then by code and message; the order does not depend on the input's. */
export function sortRisks(notes: readonly RiskNote[]): readonly RiskNote[] {
  const rank = ({ severity }: RiskNote) => severities.indexOf(severity);
  return [...notes].sort(
    (a, b) => rank(a) - rank(b) || compareText(a.code, b.code) || compareText(a.message, b.message),
  );
}

/** At most so many notes of one code and severity, the last of which says how many more there are. */
function bounded(notes: readonly RiskNote[]): readonly RiskNote[] {
  const groups = new Map<string, RiskNote[]>();
  for (const note of sortRisks(notes)) {
    const key = `${note.code} ${note.severity}`;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [note]);
    else list.push(note);
  }
  return [...groups.values()].flatMap((list): readonly RiskNote[] => {
    const [first] = list;
    if (first === undefined || list.length <= mostOfCode) return list;
    const message = `There are ${list.length - mostOfCode + 1} more notes like this.`;
    return [...list.slice(0, mostOfCode - 1), { ...first, message, locations: [] }];
  });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
