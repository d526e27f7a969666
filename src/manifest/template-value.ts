import type { Json } from '../model/json.ts';
import type { FindingText } from './findings.ts';
import type { ScalarForm } from './parsed-document.ts';
import { numberProblem, readPlain } from './scalars.ts';
import { shownText } from './shown-text.ts';
import { type TemplateExpression, type TemplatePart, type TemplateStep, templateParts } from './template-expression.ts';

/** A text with its expressions resolved. No message in `problems` holds a value, only names of variables. */
export interface TemplateValue {
  readonly value: Json;
  readonly variables: readonly string[];
  readonly problems: readonly FindingText[];
}

/** The prefix without which decK refuses a variable, so that a file cannot read any secret of the process. */
const prefix = 'DECK_';

/**
 * Resolves the expressions of one text. decK puts the values into the raw file before YAML reads it, which makes an
 * unquoted number a number, and breaks the file where a value holds a quote or a line break. Here the values come in
 * afterwards: a plain text is read once more by YAML's rules for scalars, and nothing can break.
 */
export function templateValue(
  text: string,
  form: ScalarForm | null,
  environment: (name: string) => string | undefined,
): TemplateValue {
  const parts = templateParts(text);
  const variables: string[] = [];
  const problems: FindingText[] = [];
  const values: Json[] = [];
  for (const part of parts) {
    const resolved = resolvePart(part, form, environment);
    if ('problem' in resolved) problems.push(resolved.problem);
    else values.push(resolved.value);
    if ('expression' in part && !variables.includes(part.expression.variable)) variables.push(part.expression.variable);
  }
  if (problems.length > 0) return { value: text, variables, problems };
  const [only] = values;
  // A superset of decK, where quotes make texts of all values: toInt in quotes can only have been meant.
  if (values.length === 1 && only !== undefined && typeof only !== 'string')
    return { value: only, variables, problems };
  const joined = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('');
  if (form?.style !== 'plain') return { value: joined, variables, problems };
  // YAML drops blanks around a plain text, a line break at the end of a variable among them.
  const trimmed = joined.trim();
  const value = readPlain(trimmed);
  const problem = /^[-+.0-9]/.test(trimmed) ? numberProblem(trimmed, value) : null;
  return { value, variables, problems: problem === null ? [] : [fromVariables(problem, variables)] };
}

function fromVariables(problem: FindingText, variables: readonly string[]): FindingText {
  const names = variables.map(shownText).join(', ');
  return { ...problem, message: `${problem.message} It comes from ${names}.` };
}

type Resolved = { readonly value: Json } | { readonly problem: FindingText };

function resolvePart(
  part: TemplatePart,
  form: ScalarForm | null,
  environment: (name: string) => string | undefined,
): Resolved {
  if ('text' in part) return { value: part.text };
  if ('problem' in part) return part;
  return resolveExpression(part.expression, form, environment);
}

function resolveExpression(
  expression: TemplateExpression,
  form: ScalarForm | null,
  environment: (name: string) => string | undefined,
): Resolved {
  const { variable, steps } = expression;
  if (!variable.startsWith(prefix)) return { problem: wrongPrefix(variable) };
  const found = environment(variable);
  if (found === undefined) return { problem: notSet(variable) };
  let value: Json = found;
  for (const step of steps) {
    const text: string = typeof value === 'string' ? value : JSON.stringify(value);
    const next = applyStep(step, text, form);
    if (next === null) return { problem: notConverted(variable, step) };
    value = next;
  }
  return { value };
}

/** The value after one function, or null where the text does not fit it. */
function applyStep(step: TemplateStep, text: string, form: ScalarForm | null): Json {
  switch (step.name) {
    case 'toBool':
      return toBool(text);
    case 'toInt':
      return /^[-+]?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
    case 'toFloat':
      return toFloat(text);
    case 'trim':
      return text.trim();
    case 'indent': {
      // In decK the blanks keep the lines inside of their block and are removed with its indentation; only what goes
      // beyond that is left. Elsewhere YAML would fold the lines and drop the blanks, and nobody can have meant that.
      const beyond = form?.style === 'block' ? Math.max(0, step.count - form.indent) : 0;
      return text.replaceAll('\n', `\n${' '.repeat(beyond)}`);
    }
  }
}

/** Go's strconv.ParseBool. */
function toBool(text: string): boolean | null {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : null;
}

function toFloat(text: string): number | null {
  if (!/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function wrongPrefix(variable: string): FindingText {
  return {
    rule: 'template-variable',
    message: `The variable ${shownText(variable)} cannot be used: names must begin with ${prefix}.`,
    hint: `Rename the variable, say to ${prefix}…, so that files cannot read any other secret.`,
  };
}

function notSet(variable: string): FindingText {
  return {
    rule: 'template-variable',
    message: `The environment variable ${shownText(variable)} is not set.`,
    hint: 'Set it for the process that runs Konverge; an empty value is allowed.',
  };
}

function notConverted(variable: string, step: TemplateStep): FindingText {
  return {
    rule: 'template-conversion',
    message: `The value of ${shownText(variable)} is nothing that ${step.name} can convert.`,
    hint: 'Correct the variable, or remove the function.',
  };
}
