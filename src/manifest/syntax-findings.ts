import type { FindingText } from './findings.ts';

/** What a parser's reason means to a person. The first fragment found in the reason decides. */
const meanings: readonly (readonly [fragment: string, text: FindingText])[] = [
  [
    'nesting exceeded',
    rule(
      'yaml-limit',
      'Mappings and lists stand too deep inside each other.',
      'Make the document flatter; a missing closing bracket can look like this too.',
    ),
  ],
  [
    'tab characters',
    rule('yaml-tab', 'A tab indents this line; YAML takes only spaces.', 'Replace the tab by spaces.'),
  ],
  [
    'non-printable',
    rule(
      'yaml-control-character',
      'There is a control character here, which YAML does not allow.',
      'Remove it, or write it as an escape in double quotes.',
    ),
  ],
  [
    'expected valid JSON character',
    rule(
      'yaml-control-character',
      'There is a control character here, which YAML does not allow.',
      'Remove it, or write it as an escape in double quotes.',
    ),
  ],
  [
    'escape',
    syntax(
      'This backslash begins no escape that YAML knows.',
      'Double the backslash, or use single quotes, in which it means nothing.',
    ),
  ],
  [
    'hexadecimal',
    syntax(
      'The escape lacks hexadecimal digits.',
      'Write all digits (\\xNN, \\uNNNN, \\UNNNNNNNN), or use single quotes.',
    ),
  ],
  [
    'within a single quoted',
    syntax(
      'A text in single quotes is not closed before this place.',
      'Close the quote; write a quote inside of it twice.',
    ),
  ],
  [
    'within a double quoted',
    syntax(
      'A text in double quotes is not closed before this place.',
      'Close the quote; write a quote inside of it as \\".',
    ),
  ],
  [
    'within a flow collection',
    syntax('A quote, bracket or brace that was opened is not closed before the end of the file.', 'Close it.'),
  ],
  [
    'missed comma',
    syntax(
      'A comma, or the closing bracket or brace, is missing before this place.',
      'Add it; put a text that holds brackets, braces or commas in quotes.',
    ),
  ],
  ["but found ','", syntax('A value is missing before this comma.', 'Remove the comma, or write the value.')],
  [
    'deficient indentation',
    syntax(
      'This line must be indented further, for it belongs to a value that began above.',
      'Indent it with spaces, or close the quote or bracket above.',
    ),
  ],
  [
    'bad indentation of a mapping',
    syntax(
      'This does not fit the mapping that it stands in: the indentation differs, or a second colon and blank stand in one line.',
      'Align the keys of a mapping; put a text that holds a colon and a blank in quotes.',
    ),
  ],
  [
    'bad indentation of a sequence',
    syntax(
      'This line belongs to no item of the list above it: its dash stands further left or right than the others, or it has none.',
      'Put each dash of a list exactly below the first one, and the keys of an item exactly below its first key.',
    ),
  ],
  [
    "expected ':' after",
    syntax(
      'A colon is missing after this key.',
      'Write `key: value`; put a text of several words in quotes if it is a key.',
    ),
  ],
  [
    'multiline key',
    syntax(
      'This key goes over several lines, or a colon is missing.',
      'Write the key in one line, with a colon and a blank after it.',
    ),
  ],
  [
    'whitespace character is expected after the key',
    syntax('A blank is missing after this colon.', 'Write `key: value`.'),
  ],
  ['null byte', rule('yaml-control-character', 'There is a NUL character here.', 'Remove it.')],
  [
    'document separator is expected',
    syntax(
      'Something follows here that does not belong to the document above.',
      'Align it with the document, or begin a new one with `---`.',
    ),
  ],
  [
    'block scalar',
    syntax(
      'The sign that begins this block of text is not valid.',
      'Write | or >, at most one of + and -, and at most one digit from 1 to 9.',
    ),
  ],
  [
    'chomping',
    syntax(
      'The sign that begins this block of text is not valid.',
      'Write | or >, at most one of + and -, and at most one digit from 1 to 9.',
    ),
  ],
  [
    'indentation width',
    syntax(
      'The sign that begins this block of text is not valid.',
      'Write | or >, at most one of + and -, and at most one digit from 1 to 9.',
    ),
  ],
  [
    'line break is expected',
    syntax(
      'The text of a block begins on the line after | or >.',
      'Begin a new line, or put the value in quotes if the sign belongs to it.',
    ),
  ],
  [
    'alias',
    syntax(
      'An asterisk begins an alias, and this is not a valid one.',
      'Put the value in quotes if the asterisk belongs to it.',
    ),
  ],
  [
    'anchor',
    syntax(
      'An ampersand begins an anchor, and this is not a valid one.',
      'Put the value in quotes if the ampersand belongs to it.',
    ),
  ],
  [
    'directive',
    syntax(
      'A percent sign at the beginning of a line is a YAML directive, and this is not a valid one.',
      'Remove it, or put the text in quotes.',
    ),
  ],
  [
    'tag',
    rule(
      'yaml-tag',
      'An exclamation mark begins a tag, and this is not a valid one.',
      'Put the value in quotes if the exclamation mark belongs to it.',
    ),
  ],
  ['YAML version', syntax('This version of YAML is not read.', 'Remove the %YAML line.')],
];

/**
 * The finding for a reason of js-yaml 5, in our own words: its own texts quote what stands in the file, which may be a
 * secret.
 */
export function syntaxFinding(reason: string): FindingText {
  for (const [fragment, text] of meanings) if (reason.includes(fragment)) return text;
  return syntax(
    'This is not valid YAML.',
    'Look at the indentation, quotes and brackets here and in the lines before.',
  );
}

function rule(name: string, message: string, hint: string): FindingText {
  return { rule: name, message, hint };
}

function syntax(message: string, hint: string): FindingText {
  return rule('yaml-syntax', message, hint);
}
