/** What the signature of a commit is worth, judged by keys that somebody trusts. */
export type SignatureVerdict =
  | {
      readonly accepted: true;
      /** Whose key it was: a principal or a user id, and the key's fingerprint. Without control characters. */
      readonly by: string;
    }
  | {
      readonly accepted: false;
      readonly code: SignatureFault;
      /** A sentence without a full stop, with the key's fingerprint where there is one. */
      readonly message: string;
      readonly hint: string;
    };

/** Why the signature of a commit is not accepted. The words never change meaning. */
export type SignatureFault = (typeof signatureFaults)[number];

/** All of them. */
export const signatureFaults = [
  'signature-missing',
  'signature-unknown-key',
  'signature-bad',
  'signature-key-expired',
  'signature-key-revoked',
  'signature-unreadable',
] as const;

/** Whether a code is one of a signature that is not accepted. */
export function isSignatureFault(code: string): code is SignatureFault {
  return signatureFaults.some((fault) => fault === code);
}

/** The text of a commit, besides its files. */
export interface CommitText {
  /** All that was written after the headers, as it is: control characters and all. */
  readonly message: string;
  /** Null where signatures are not verified: then nothing in the message says who wrote it. */
  readonly signature: SignatureVerdict | null;
  /**
   * SHA-256 over what is signed of the commit, where signatures are verified: copies of a commit with its signature
   * written in another way have other names, and the same here.
   */
  readonly signed?: string;
}
