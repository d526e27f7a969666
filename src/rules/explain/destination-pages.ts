import type { Pages } from '../../model/page.ts';

/** What a destination itself may object to before anything is written. */
export const destinationPages: Pages = {
  'refused-by-destination': {
    what: 'The destination was asked whether it would take an entity (its `/schemas/…/validate`), and said no.',
    why: 'It knows its own version, plugins and settings best; what it refuses now it would refuse in the middle of a delivery.',
    fix: 'Correct what its answer names. If it takes less than its version should, look at its plugins and its license.',
  },
  'destination-refused': {
    what: 'The destination did not take an entity that was sent to it.',
    why: 'What depends on the entity was not sent either; everything else was.',
    fix: 'Correct what its answer names; the next revision is delivered at once.',
  },
  'not-listable': {
    what: 'The files declare an entity of a kind that the destination does not let Konverge list.',
    why: 'Nobody can then know whether it is there, and a route without its declared plugin would be open. So nothing of the revision goes out there.',
    fix: 'Give the user of the destination the permission, or say with `exclude.kinds` that somebody else looks after that kind. Of plugins that would leave out those that authenticate.',
  },
  'not-deliverable': {
    what: 'The files declare an entity that this destination cannot have: it has no such kind, or leaves it to others, or the entity names something that is neither declared nor there.',
    why: 'The rest without it would not be what was asked for, so that nothing goes out and no success is told.',
    fix: 'Take it out of what this destination gets, correct what it names, or leave out on purpose the kind that is not had there (`exclude.kinds`; what depends on it goes with it), or this entity alone (`exclude.tags`). Never exclude `plugins` for the sake of one: those that authenticate would go as well.',
  },
  'overlapping-scope': {
    what: 'Two destinations are the same place, and the tags that bound what one of them owns (or their absence) take in what the other delivers.',
    why: 'Each would delete what the other brings, over and over. Neither gets the revision; of two repositories, the one whose commit comes later does not.',
    fix: 'Give each destination `tags` (or its files `select_tags`) that the other does not have, leave the other’s kinds or tags out with `exclude`, or make one destination of them.',
  },
  'outside-scope': {
    what: 'The destination has an entity with the same name, id or unique value that is not among those that Konverge owns there.',
    why: 'It belongs to somebody else, and is never taken over without being asked.',
    fix: 'Rename yours, or give the other one the select tags so that it is managed here.',
  },
};
