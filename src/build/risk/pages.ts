import type { Page, Pages } from '../../model/page.ts';
import { type RiskCode, riskSeverities, riskWords } from './codes.ts';

/** Why a note is worth a look, and what can be done, for each code. */
const more: { readonly [C in RiskCode]: Omit<Page, 'what'> } = {
  'route-unmatched': {
    why: 'Clients get a 404 for what they were answered before, and nothing about the route looks wrong.',
    fix: 'Let the route go on matching those requests, or remove it if nobody needs it any more.',
  },
  'route-removed': {
    why: 'Clients get a 404 from then on.',
    fix: 'Make sure that nobody calls it any more: its access logs tell.',
  },
  'route-moved': {
    why: 'Another service answers, or other plugins stand before it. It is a notice where the requests reach the same service.',
    fix: 'If it is not meant, make the match of one of the two routes narrower, or give it another `regex_priority` or `priority`.',
  },
  'route-not-tried': {
    why: 'No sample request could be made for its match, so that nothing is known of what the change does to requests.',
    fix: 'Try it by hand.',
  },
  'authentication-removed': {
    why: 'Whoever reaches the gateway reaches the service.',
    fix: 'Put the plugin back, or another one that asks who is there; where the route is meant to be open, say so in the review.',
  },
  'authentication-optional': {
    why: 'An `anonymous` consumer turns each refusal into a request that passes.',
    fix: 'Remove `anonymous`, or give the anonymous consumer a `request-termination`.',
  },
  'authentication-changed': {
    why: 'Clients that use the old way are refused once it is merged.',
    fix: 'Let both ways pass for a while, or make sure that all clients have changed.',
  },
  'rate-limit-removed': {
    why: 'A client may ask as often as it likes, and the service may have counted on the bound.',
    fix: 'Put it back for this route, its service, or everything; or say in the review why it can go.',
  },
  'restriction-removed': {
    why: 'Requests pass that were refused: from other addresses, of other groups, of other shapes.',
    fix: 'Put it back, or say in the review why it can go.',
  },
  'consumer-removed': {
    why: 'Whoever uses its credentials is refused from then on. Kong deletes credentials along with their consumer.',
    fix: 'Make sure that nobody uses them any more.',
  },
  'credential-removed': {
    why: 'Whoever still uses them is refused from then on.',
    fix: 'Add the new credential first, and remove the old one when nobody uses it any more.',
  },
  'credential-changed': {
    why: 'Whoever has the old secret is refused from then on.',
    fix: 'Where the kind lets a consumer have several, add the new one beside it first.',
  },
  'group-lost': {
    why: 'What the group lets them do (routes with `acl`, limits of a consumer group) they can do no more.',
    fix: 'Put the group back if it is not meant.',
  },
  'certificate-expiring': {
    why: 'Clients refuse an expired certificate. One that the change brings is a danger within a week of its end and past it, else a warning; one that was there is a notice.',
    fix: 'Renew it.',
  },
  'upstream-emptied': {
    why: 'Kong answers 503 to all that goes to it.',
    fix: 'Give it a target, or let its services go elsewhere.',
  },
  'plugin-order-changed': {
    why: 'A plugin that counted what another one let through now counts all, say.',
    fix: 'See whether `ordering` of the plugins says what is meant.',
  },
  'service-destination-changed': {
    why: 'All requests of the service go elsewhere at once. It is a danger where they go out unencrypted from then on.',
    fix: 'Make sure that what is there answers before this is merged.',
  },
  'deletes-held': {
    why: 'A plan that deletes much, or leaves much behind, waits for a person after the merge, and all else of it waits along.',
    fix: '`konverge explain` has a page for the reason that the note begins with. Approve the plan after the merge, or change less at once.',
  },
};

/** What each note about a risk means. */
export const riskPages: Pages = Object.fromEntries(
  Object.entries(riskWords).map(([code, words]) => [code, pageOf(code as RiskCode, words)]),
);

function pageOf(code: RiskCode, words: string): Page {
  const severities = riskSeverities[code].join(', ');
  const about = `The note names the requests, entities and places. Severity: ${severities}; \`review.fail\` takes it, and the code.`;
  return { what: `${words}\n\n${about}`, ...more[code] };
}
