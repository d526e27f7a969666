import type { FindingText } from './findings.ts';
import { shownText } from './shown-text.ts';

/** A tag that nothing is known of. */
export const unknownTag: FindingText = {
  rule: 'yaml-tag',
  message: 'This tag is not known here: only those of plain YAML and JSON values are.',
  hint: 'Remove the tag, or put the whole value in quotes if the exclamation mark belongs to it.',
};

/** A tag whose value is of another type. */
export const unfitTag: FindingText = {
  rule: 'yaml-tag',
  message: 'The value does not fit its tag.',
  hint: 'Correct the value, or remove the tag.',
};

/** An alias without an anchor before it. */
export const unknownAlias: FindingText = {
  rule: 'yaml-alias',
  message: 'This alias names no anchor that stands before it in its document.',
  hint: 'Define the anchor (`&name`) earlier in the same document, or put the value in quotes if the asterisk belongs to it.',
};

/** An alias inside of what it names. */
export const cyclicAlias: FindingText = {
  rule: 'yaml-alias',
  message: 'This alias stands inside the value that it names, so the value would hold itself without end.',
  hint: 'Name an anchor outside of this value.',
};

/** A key that is missing or null. */
export const emptyKey: FindingText = {
  rule: 'yaml-key',
  message: 'A key is missing here, or is null.',
  hint: 'Write a name before the colon; put it in quotes if it is meant to be the word null.',
};

/** A key that is a mapping or a list. */
export const complexKey: FindingText = {
  rule: 'yaml-key',
  message: 'A mapping or a list stands where a key belongs.',
  hint: 'Write a name. If this is a template expression in double braces, put it in quotes or render the file first.',
};

/** A merge of what is no mapping. */
export const unfitMerge: FindingText = {
  rule: 'yaml-merge',
  message: 'Only a mapping, or a list of mappings, can be merged with `<<`.',
  hint: 'Name a mapping, or put the key in quotes if it is no merge.',
};

/** An escape that is half a character. */
export const loneSurrogate: FindingText = {
  rule: 'yaml-escape',
  message: 'An escape in this text is one half of a surrogate pair, which is no character.',
  hint: 'Write both halves, or the character itself.',
};

/** A document that its aliases make too large. */
export const tooLarge: FindingText = {
  rule: 'yaml-limit',
  message: 'The document is too large once every alias in it is written out.',
  hint: 'Use fewer nested aliases, or split the document.',
};

/** A key that a mapping has twice; the line is that of the first. */
export function duplicateKey(key: string, firstLine: number): FindingText {
  return {
    rule: 'yaml-duplicate-key',
    message: `The key ${shownText(key)} is already in this mapping, in line ${firstLine}.`,
    hint: 'Remove one of the two, or join their values.',
  };
}

/** More levels than are read. */
export function tooDeep(levels: number): FindingText {
  return {
    rule: 'yaml-limit',
    message: `Mappings and lists stand more than ${levels} levels inside each other.`,
    hint: 'Make the document flatter; a missing closing bracket can look like this too.',
  };
}

/** More aliases than are followed. */
export function tooManyAliases(limit: number): FindingText {
  return {
    rule: 'yaml-limit',
    message: `The document has more than ${limit} aliases.`,
    hint: 'Split the document, or write the values out.',
  };
}

/** More keys from merges than are taken in. */
export function tooManyMergedKeys(limit: number): FindingText {
  return {
    rule: 'yaml-limit',
    message: `Merges (\`<<\`) bring more than ${limit} keys into this file.`,
    hint: 'Split the file, or merge smaller mappings.',
  };
}
