import type { SignatureFault } from '../../model/commit-text.ts';
import type { Pages } from '../../model/page.ts';

const why =
  '`repository.verify` asks for a signature of whoever is trusted with what is delivered, so that access to the repository alone is not enough to change a gateway. A revision without one is never built: what was accepted last stays in force, and is kept against drift.';

const again =
  'A commit cannot be signed afterwards. Push another one with a signature that is accepted (`git commit -S`, with `--allow-empty` where nothing else changes), or amend it and push by force. docs/signatures.md has how each forge signs.';

/** Why the signature of a commit is not accepted, by its code; docs/git.md has the codes as well. */
export const signaturePages: Pages<SignatureFault> = {
  'signature-missing': {
    what: 'The commit is not signed. A signature in its message, or on a tag of it, is none.',
    why,
    fix: `${again} Often it is a merge commit that the forge made: let the forge sign, and put its key into \`repository.verify.keys\`.`,
  },
  'signature-unknown-key': {
    what: 'The commit is signed, by a key that is in none of the files of `repository.verify.keys`, or there not for the namespace `git`.',
    why,
    fix: 'The message has the key’s fingerprint. Where it is to be trusted, put the public key into one of the files: they are read again at each poll, and the commit is then judged anew. Else push a commit that is signed by an accepted key.',
  },
  'signature-bad': {
    what: 'The signature is not one over this commit: the commit was changed after it was signed, the signature is that of another commit, it was made for something else than commits, or nobody touched the security key.',
    why,
    fix: `Find out who pushed it, for no version of Git makes such a commit by itself. ${again}`,
  },
  'signature-key-expired': {
    what: 'The signature is right, and its key was not valid when it was made: it had expired, was not there yet, or `valid-after` and `valid-before` say so. A signature that was made to expire, and has, is told so too.',
    why,
    fix: 'Extend the key and put its new public key into the file (or correct the times there): the commit is judged anew at the next poll. Else push a commit that is signed by a valid key.',
  },
  'signature-key-revoked': {
    what: 'The signature is right, and its key is revoked: for good, or since before the signature was made.',
    why,
    fix: `It stays so. ${again}`,
  },
  'signature-unreadable': {
    what: 'The commit has a signature that cannot be read: of a kind that is not supported (X.509, certificates of SSH), by an algorithm that is not safe, or in a form that no tool writes, such as two signatures or a NUL byte in the commit.',
    why,
    fix: `The message says what it is. ${again}`,
  },
};
