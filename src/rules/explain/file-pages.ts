import type { Pages } from '../../model/page.ts';

const whole =
  'What cannot be read in full is not delivered in part: nobody could tell what is missing from what was deleted.';
const otherwise =
  'Other readers take this for something else, or refuse it, and what is delivered has to be the same everywhere.';

/** What reading files and YAML may find. */
export const filePages: Pages = {
  'file-encoding': {
    what: 'The file is not UTF-8 text (or UTF-16 or UTF-32 with a byte order mark).',
    why: whole,
    fix: 'Save it as UTF-8. A binary file beside the manifests is left out with an `ignore` pattern.',
  },
  'file-not-regular': {
    what: 'A symbolic link or a submodule stands where a manifest is expected.',
    why: 'What a link points to may lie outside of the commit, so that one commit would mean different things on different machines.',
    fix: 'Commit the file itself, or leave the entry out with an `ignore` pattern.',
  },
  'file-too-large': {
    what: 'The file is larger than what is read of one file.',
    why: 'A bound keeps one file by mistake (an archive, a log) from stopping everything else.',
    fix: 'Split the file; the order and the number of files make no difference.',
  },
  'snapshot-too-large': {
    what: 'The files together are larger, or more, than what is read at one revision.',
    why: 'A bound keeps a repository that holds something else, too, from exhausting the memory.',
    fix: 'Point `repository.path` at the folder of the manifests, or leave the rest out with `ignore`.',
  },
  'git-lfs-pointer': {
    what: 'The file is kept in Git LFS: the repository holds only a pointer to it.',
    why: 'The content is not in the commit, and cannot be delivered from it.',
    fix: 'Keep manifests in Git itself (`git lfs untrack`), or leave the file out.',
  },
  'merge-conflict': {
    what: 'The file has the marks that Git leaves where two branches could not be merged.',
    why: 'Both sides of the conflict stand in the file, and only a person can say which is meant.',
    fix: 'Choose one side, delete the lines with `<<<<<<<`, `=======` and `>>>>>>>`, and commit again.',
  },
  'unused-include': {
    what: 'A pattern of `destinations[].include` fits no file of the repository.',
    why: 'What it was to bring to the destination does not go there, and what is live of it would be deleted.',
    fix: 'Correct the pattern. Patterns are relative to `repository.path`; `gateway/**` is all below a folder.',
  },
  'yaml-syntax': {
    what: 'The text is not valid YAML.',
    why: whole,
    fix: 'Look at indentation, quotes and brackets at the place shown and in the lines before: the cause often stands earlier.',
  },
  'yaml-tab': {
    what: 'A tab stands where YAML wants spaces.',
    why: 'YAML knows no tabs in indentation; editors show them at different widths.',
    fix: 'Replace it by spaces, and set the editor to insert spaces in YAML files.',
  },
  'yaml-control-character': {
    what: 'A character that cannot be seen or printed stands in the file.',
    why: 'YAML forbids most of them. They usually come from a copied text.',
    fix: 'Delete it, or write it as an escape in double quotes.',
  },
  'yaml-duplicate-key': {
    what: 'A mapping has the same key twice.',
    why: 'Most readers silently keep the last one, and what the first one says is lost.',
    fix: 'Keep one of them; where both hold lists, put the items together.',
  },
  'yaml-key': {
    what: 'Where a key belongs stands nothing, null, a list or a mapping.',
    why: otherwise,
    fix: 'Write a name before the colon. Template expressions in double braces go in quotes.',
  },
  'yaml-alias': {
    what: 'An alias (`*name`) names no anchor before it in the same document, or the very value that it stands in.',
    why: whole,
    fix: 'Define the anchor (`&name`) earlier in the document; a text that starts with an asterisk goes in quotes.',
  },
  'yaml-merge': {
    what: 'What `<<` merges is neither a mapping nor a list of mappings.',
    why: otherwise,
    fix: 'Name a mapping, or put the key in quotes if no merge is meant.',
  },
  'yaml-tag': {
    what: 'A tag (`!name`) is none of plain YAML, or the value does not fit it.',
    why: 'Tags of other tools mean nothing to Kong, and change how a value is read.',
    fix: 'Remove the tag; a text that starts with an exclamation mark goes in quotes.',
  },
  'yaml-escape': {
    what: 'An escape in a text stands for half a character.',
    why: 'It could be neither sent nor stored.',
    fix: 'Write both halves of the surrogate pair, or the character itself.',
  },
  'yaml-limit': {
    what: 'The document is nested too deep, or too large once its aliases are written out.',
    why: 'A few lines of aliases can stand for more than any machine holds.',
    fix: 'Make the document flatter, use fewer nested aliases, or split it.',
  },
  'yaml-leading-zero': {
    what: 'A number begins with a zero.',
    why: 'Older readers of YAML take it for octal; here the zero is dropped.',
    fix: 'Put it in quotes if it is a text (a code, a telephone number); otherwise leave the zero out.',
  },
  'yaml-number-precision': {
    what: 'A number has more digits than can be kept.',
    why: 'Another number than the one written would be delivered.',
    fix: 'Put it in quotes if it is a text, such as an id or a key.',
  },
  'yaml-number-range': {
    what: 'A number is too large, or no number at all (infinity, not-a-number).',
    why: 'JSON, in which Kong is spoken to, has no such values.',
    fix: 'Write a number, or put the text in quotes.',
  },
  'template-syntax': {
    what: 'What stands in a template, between a dollar sign and double braces, is no expression.',
    why: 'It would be delivered as it stands, or not at all.',
    fix: 'Write it as decK does: `env "DECK_NAME"` between the braces, with functions after a `|`.',
  },
  'template-function': {
    what: 'A template calls a function that there is not.',
    why: 'Its value cannot be known.',
    fix: 'Use env, toInt, toFloat, toBool, trim or indent.',
  },
  'template-variable': {
    what: 'A template names a variable that is not set where Konverge runs, or one whose name does not start with `DECK_`.',
    why: 'An empty value in its place could be a password that nobody has to know.',
    fix: 'Set the variable in the environment of Konverge (and of the CI job that validates).',
  },
  'template-conversion': {
    what: 'The value of a variable is not what toInt, toFloat or toBool can convert.',
    why: 'Kong wants a number or a boolean at this place.',
    fix: 'Correct the variable, or take the function away if a text is meant.',
  },
};
