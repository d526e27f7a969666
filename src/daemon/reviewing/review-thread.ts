import { parentPort } from 'node:worker_threads';
import { asFailure, faultText } from '../../platform/failure.ts';
import type { Log, LogFields } from '../../platform/log.ts';
import { schemasOfPlain } from '../../schema/plain-schemas.ts';
import type { Schemas } from '../../schema/schema.ts';
import { LocalReviews } from './local-reviews.ts';
import { type FromThread, SeenParts, type ToThread } from './thread-messages.ts';

// The thread in which reviews are made. It is started by `ThreadReviews`, and by nothing else.
const port = parentPort;
if (port !== null)
  serve(
    (message) => port.postMessage(message),
    (take) => port.on('message', take),
  );

function serve(send: (message: FromThread) => void, receive: (take: (message: ToThread) => void) => void): void {
  const schemas = new Map<number, Schemas>();
  let reviews: LocalReviews | null = null;
  const open = new Map<number, SeenParts>();
  const answer = (id: number, answering: Promise<FromThread>) => {
    void answering
      .catch((thrown: unknown): FromThread => {
        const facts = asFailure(thrown)?.facts;
        return facts === undefined
          ? { is: 'fault', id, stack: faultText(thrown) }
          : // What a forge or a server answered may be anything, and nobody reads it here.
            { is: 'failed', id, facts: { ...facts, body: null } };
      })
      .then(send);
  };
  const opened = (): LocalReviews => {
    if (reviews === null) throw new TypeError('the reviews are opened first of all');
    return reviews;
  };
  receive((message) => {
    switch (message.do) {
      case 'open':
        reviews = new LocalReviews(message.setup, sendingLog(send, {}));
        break;
      case 'schemas':
        schemas.set(message.number, schemasOfPlain(message.plain));
        break;
      case 'see':
        open.set(message.id, new SeenParts(message.destination, message.head));
        break;
      case 'part':
        open.get(message.id)?.add(message.part);
        break;
      case 'seen': {
        const { id } = message;
        const whole = open.get(id);
        const known = schemas.get(whole?.schemas ?? -1);
        open.delete(id);
        if (whole === undefined || known === undefined) throw new TypeError('a part is missing');
        const seeing = opened().see(whole.destination, whole.seen(known));
        answer(
          id,
          seeing.then((digest) => ({ is: 'digest', id, digest })),
        );
        break;
      }
      case 'make': {
        const { id, job } = message;
        const making = opened().make(job, new AbortController().signal);
        answer(
          id,
          making.then((made) => ({ is: 'made', id, made })),
        );
      }
    }
  });
}

/** A log that is written by whoever started the thread. */
function sendingLog(send: (message: FromThread) => void, common: LogFields): Log {
  const level = (name: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, message: string) =>
    send({ is: 'log', level: name, fields: { ...common, ...fields }, message });
  return {
    debug: level('debug'),
    info: level('info'),
    warn: level('warn'),
    error: level('error'),
    child: (fields) => sendingLog(send, { ...common, ...fields }),
  };
}
