import type { SignatureVerdict } from '../../model/commit-text.ts';
import type { AllowedSigner } from './allowed-signers.ts';
import { fitsPatternList } from './ssh-pattern.ts';
import { isSignatureOver, readSshSignature, type SshSignature } from './ssh-signature.ts';
import { SshFormError } from './ssh-wire.ts';
import { refused, shownText } from './verdict.ts';

/** The namespace that Git signs commits and tags in. */
const gitNamespace = 'git';

/**
 * What a signature of SSH over a payload is worth. As with Git, whoever's key it is signs for whom the file says: the
 * principals are looked up by the key, and not compared with the committer. The time that counts is that of the commit.
 */
export function sshVerdict(
  text: string,
  payload: Uint8Array,
  committedAt: number | null,
  signers: readonly AllowedSigner[],
): SignatureVerdict {
  try {
    return verdictOf(readSshSignature(text), payload, committedAt, signers);
  } catch (thrown) {
    if (!(thrown instanceof SshFormError)) throw thrown;
    return refused('signature-unreadable', `the SSH signature cannot be read: ${thrown.message}`);
  }
}

function verdictOf(
  signature: SshSignature,
  payload: Uint8Array,
  committedAt: number | null,
  signers: readonly AllowedSigner[],
): SignatureVerdict {
  const { key, namespace } = signature;
  const name = `the ${key.type} key ${key.fingerprint}`;
  if (namespace !== gitNamespace) {
    const where = JSON.stringify(shownText(namespace));
    return refused('signature-bad', `the signature by ${name} was made for ${where}, not for commits of Git`);
  }
  const known = signers.filter((signer) => Buffer.from(signer.key.blob).equals(key.blob));
  if (known.length === 0) return refused('signature-unknown-key', `${name} is none of the accepted keys`);
  if (!isSignatureOver(signature, payload)) {
    return refused('signature-bad', `the signature by ${name} is not one over this commit`);
  }
  const meant = known.filter(({ namespaces }) => namespaces === null || fitsPatternList(gitNamespace, namespaces));
  if (meant.length === 0) return refused('signature-unknown-key', `${name} is accepted, but not for the namespace git`);
  const [valid] = meant.filter((signer) => isValidAt(signer, committedAt));
  if (valid === undefined) {
    return refused(
      'signature-key-expired',
      `${name} was not accepted ${whenOf(committedAt)}, when the commit was made`,
    );
  }
  const whose = valid.principals === null ? '' : `${shownText(valid.principals)} `;
  return { accepted: true, by: `${whose}${key.fingerprint}` };
}

function isValidAt({ validAfter, validBefore }: AllowedSigner, at: number | null): boolean {
  if (validAfter === null && validBefore === null) return true;
  return at !== null && (validAfter === null || at >= validAfter) && (validBefore === null || at <= validBefore);
}

function whenOf(at: number | null): string {
  return at === null ? 'at a time that cannot be read' : `on ${new Date(at * 1000).toISOString()}`;
}
