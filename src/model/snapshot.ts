/**
 * One entry of a snapshot. What is not a regular file is kept, so that it can be reported rather than lost.
 * `special` is a pipe, a socket or a device of a working tree, which no commit holds.
 * `blob` is the Git object id where the content comes from Git: equal ids are equal contents.
 */
export type SnapshotEntry =
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly blob: string | null }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'submodule'; readonly commit: string }
  | { readonly type: 'special' }
  | { readonly type: 'oversized'; readonly sizeBytes: number; readonly limitBytes: number; readonly blob?: string };

/**
 * Every file under the configured path at one revision. `revision` is a full SHA, or null for a working tree.
 * Paths are relative to the configured path, with `/` between their parts.
 */
export interface Snapshot {
  readonly revision: string | null;
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
}
