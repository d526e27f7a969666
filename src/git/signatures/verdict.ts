import type { SignatureFault, SignatureVerdict } from '../../model/commit-text.ts';

/** That a signature is not accepted; `message` is a sentence without a full stop. */
export function refused(code: SignatureFault, message: string): SignatureVerdict {
  return { accepted: false, code, message, hint: hints[code] };
}

const hints: { readonly [code in SignatureFault]: string } = {
  'signature-missing':
    'Sign the commit (`git commit -S`, or `git commit --amend -S`) with an accepted key, or push a signed commit after it.',
  'signature-unknown-key':
    'Add the public key to a file of `repository.verify.keys` if it is to be trusted, or push a commit signed by an accepted key.',
  'signature-bad':
    'What was signed is not this commit: it was changed after it was signed. Push a commit that is signed anew.',
  'signature-key-expired':
    'Extend the key and put it into its file again, or push a commit signed by a key that is valid.',
  'signature-key-revoked': 'Push a commit signed by another accepted key.',
  'signature-unreadable': 'Push a commit that is signed by `git commit -S` with an OpenPGP or SSH key.',
};

/** A text as it may be shown: one line without control characters, not too long. */
export function shownText(text: string): string {
  const shown = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown;
}
