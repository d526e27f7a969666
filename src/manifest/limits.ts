/** Bounds on what is read, so that no file can crash or stall a build. Sizes in bytes unless said otherwise. */
export interface ManifestLimits {
  /** The largest file that is read. */
  readonly fileBytes: number;
  /** The largest sum of the sizes of all files of one snapshot. */
  readonly snapshotBytes: number;
  /** How many files one snapshot may hold. */
  readonly files: number;
  readonly documentsPerFile: number;
  /** Values of one file, as commas, opening brackets and lines let expect: a parser takes 100 times their bytes. */
  readonly valuesPerFile: number;
  /** How many mappings and lists may stand inside each other, aliases followed. */
  readonly depth: number;
  /** Aliases in one document. */
  readonly aliases: number;
  /** Keys that merges (`<<`) may copy in one file. */
  readonly mergedKeys: number;
  /** Values and keys of one document after every alias is written out. */
  readonly expandedNodes: number;
  /** Text of one document after every alias is written out, in UTF-16 units. */
  readonly expandedLength: number;
  /** Findings reported for one file; the rest is left out and said so. */
  readonly findingsPerFile: number;
}

/** The bounds that hold unless the configuration gives others. */
export const defaultManifestLimits: ManifestLimits = {
  fileBytes: 10 * 1024 * 1024,
  snapshotBytes: 256 * 1024 * 1024,
  files: 50_000,
  documentsPerFile: 10_000,
  valuesPerFile: 1_500_000,
  depth: 100,
  aliases: 10_000,
  mergedKeys: 100_000,
  expandedNodes: 5_000_000,
  expandedLength: 64 * 1024 * 1024,
  findingsPerFile: 100,
};
