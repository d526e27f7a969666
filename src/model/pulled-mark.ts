/**
 * The key that a file of pulled schemas begins with: its value is the number of the file's form. It stands first so that
 * such a file, which may lie among the configuration files, is told from them by its beginning.
 */
export const pulledMark = '_konverge_schemas';

const beginning = new RegExp(`^\\uFEFF?\\s*\\{\\s*"${pulledMark}"\\s*:`);

/** Whether a file holds schemas that were pulled, and so no configuration of a Kong. A damaged one counts. */
export function isPulledSchemas(bytes: Uint8Array): boolean {
  return beginning.test(new TextDecoder().decode(bytes.subarray(0, 200)));
}
