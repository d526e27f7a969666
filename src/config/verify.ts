import { z } from 'zod';
import { type Base, pathBeside } from './connection.ts';
import { text } from './fields.ts';
import type { SectionReader } from './section-reader.ts';
import { keyText, valueAt } from './tree.ts';

/** Which signatures a revision has to have. */
export interface VerifySettings {
  /** A revision whose newest commit is not signed by one of the keys is not delivered. */
  readonly signatures: 'required';
  /** Where the keys are: each an absolute path, or one that starts from the folder of the process. */
  readonly keys: readonly KeyPattern[];
}

/** Files of keys: one, or with `*` and `?` in the parts of its path those that fit. */
export interface KeyPattern {
  /** The key of the configuration that it is from: `repository.verify.keys[0]`. */
  readonly key: string;
  readonly path: string;
}

/** `repository.verify`. */
export const verifySection = z
  .strictObject({
    signatures: z
      .enum(['required'])
      .default('required')
      .meta({ description: 'That a revision is delivered only where its commit is signed by an accepted key.' }),
    keys: z
      .array(text('A path relative to the configuration file; * and ? stand for characters of a name.'))
      .min(1, 'must name one file or more')
      .meta({
        description: 'Files of accepted keys: OpenPGP public keys, allowed_signers files, and SSH keys (.pub).',
      }),
  })
  .meta({ description: 'Which signatures the commit of a revision has to have. Without it none is looked at.' });

/** What has to be signed, and by whom; null where nothing has to be. Needs no secret of the repository. */
export function readVerify(reader: SectionReader, base: Base): VerifySettings | null {
  const path = ['repository', 'verify'];
  if (valueAt(reader.tree, path) === undefined) return null;
  const { signatures, keys } = reader.read(path, verifySection);
  return {
    signatures,
    keys: keys.map((written, index) => ({
      key: keyText([...path, 'keys', index], reader.tree),
      path: pathBeside(base, written),
    })),
  };
}
