import type { SignatureVerdict } from '../../model/commit-text.ts';
import { pgpLabel, pgpVerdict } from './pgp-verdict.ts';
import type { SigningKeys } from './signing-keys.ts';
import { splitCommit } from './split-commit.ts';
import { sshLabel } from './ssh-signature.ts';
import { sshVerdict } from './ssh-verdict.ts';
import { refused, shownText } from './verdict.ts';

/**
 * What the signature of a commit is worth, from the bytes of its object and the keys that are accepted. `now` is in
 * milliseconds since 1970. Nothing that a commit holds makes it throw.
 */
export async function verdictOn(rawCommit: Uint8Array, keys: SigningKeys, now: number): Promise<SignatureVerdict> {
  const split = splitCommit(rawCommit);
  if (!split.readable) return refused('signature-unreadable', split.why);
  const { signature, payload, committedAt } = split;
  if (signature === null) return refused('signature-missing', 'the commit is not signed');
  const [first = ''] = signature.split('\n', 1);
  switch (/^-----BEGIN (.+)-----$/.exec(first)?.[1]) {
    case pgpLabel:
      return await pgpVerdict(signature, payload, keys.pgp, now);
    case sshLabel:
      return sshVerdict(signature, payload, committedAt, keys.ssh);
    case 'SIGNED MESSAGE':
      return refused('signature-unreadable', 'the commit is signed by a certificate of X.509, which is not supported');
    default: {
      const begins = JSON.stringify(shownText(first).slice(0, 60));
      return refused('signature-unreadable', `the signature is none of OpenPGP or SSH: it begins ${begins}`);
    }
  }
}
