import type { FindingText } from '../findings.ts';
import { shownText } from '../shown-text.ts';

/** A template that cannot be read or carried out; caught where its text is resolved. */
export class TemplateError extends Error {
  readonly problem: FindingText;

  constructor(problem: FindingText) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The prefix without which decK refuses a variable, so that a file cannot read any secret of the process. */
export const variablePrefix = 'DECK_';

/** An action without its closing mark. */
export const unclosed: FindingText = {
  rule: 'template-syntax',
  message: 'A template expression is opened with ${{ and not closed.',
  hint: 'Close it with }} in the same value.',
};

/** What Go's templates have and Konverge does not carry out. */
export const notSupported: FindingText = {
  rule: 'template-syntax',
  message: 'This template expression is not supported.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is decK's way of writing
  hint: 'Write ${{ env "DECK_NAME" }}, followed by | toInt, | toFloat, | toBool, | trim or | indent N where needed.',
};

/** An else or end that belongs to nothing. */
export const unbalanced: FindingText = {
  rule: 'template-syntax',
  message: 'This else or end has no if before it.',
  hint: 'Remove it, or write the if.',
};

/** An if that is never closed. */
export const noEnd: FindingText = {
  rule: 'template-syntax',
  message: 'This if has no end.',
  hint: 'Close it with an end in the same file.',
};

/** Arguments that a function does not take; `wanted` says what it takes. */
export function wrongArguments(name: string, wanted: string): FindingText {
  return {
    rule: 'template-syntax',
    message: `The template function ${shownText(name)} takes ${wanted}.`,
    hint: name === 'indent' ? 'Write, say, | indent 4.' : 'Correct what is written after it.',
  };
}

/** A function that there is none of. */
export function unknownFunction(name: string): FindingText {
  return {
    rule: 'template-function',
    message: `The template function ${shownText(name)} is not known.`,
    hint: /^[A-Z][A-Z0-9_]*$/.test(name)
      ? `Put the name of a variable in quotes: \${{ env "${name}" }}.`
      : "Known are env, toInt, toFloat, toBool, trim, indent, and printf, eq and the like of Go's templates.",
  };
}

/** A variable of the template that has no value. */
export function unknownVariable(name: string): FindingText {
  return {
    rule: 'template-syntax',
    message: `Nothing gave the template variable ${shownText(name)} a value.`,
    hint: 'Give it one before it is used, in the same file.',
  };
}

/** A variable of the environment that decK would refuse for its name. */
export function wrongPrefix(variable: string): FindingText {
  return {
    rule: 'template-variable',
    message: `The variable ${shownText(variable)} cannot be used: names must begin with ${variablePrefix}.`,
    hint: `Rename the variable, say to ${variablePrefix}…, so that files cannot read any other secret.`,
  };
}

/** A variable of the environment that is not there. */
export function notSet(variable: string): FindingText {
  return {
    rule: 'template-variable',
    message: `The environment variable ${shownText(variable)} is not set.`,
    hint: 'Set it for the process that runs Konverge; `konverge validate --stand-ins` checks without.',
  };
}

/** No message holds the value, only the names of the variables that it came from. */
export function notConverted(variables: readonly string[], step: string): FindingText {
  const source = variables.length === 0 ? 'this' : variables.map(shownText).join(', ');
  return {
    rule: 'template-conversion',
    message: `The value of ${source} is nothing that ${step} can convert.`,
    hint: 'Correct the variable, or remove the function.',
  };
}
