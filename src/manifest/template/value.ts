import type { Json } from '../../model/json.ts';
import type { FindingText } from '../findings.ts';
import type { ScalarForm } from '../parsed-document.ts';
import { numberProblem, readPlain } from '../scalars.ts';
import { shownText } from '../shown-text.ts';
import { Evaluation, type TemplateWorld } from './evaluate.ts';
import { goText } from './functions.ts';
import { parseTemplate } from './parse.ts';

/** A text with its expressions resolved. No message in `problems` holds a value, only names of variables. */
export interface TemplateValue {
  readonly value: Json;
  /** The text that the value was read from, where it is another: a number or a list for YAML, a text for others. */
  readonly text: string | null;
  readonly variables: readonly string[];
  readonly problems: readonly FindingText[];
}

/**
 * Resolves the expressions of one text. decK puts the values into the raw file before YAML reads it, which makes an
 * unquoted number a number, and breaks the file where a value holds a quote or a line break. Here the values come in
 * afterwards: a plain text is read once more by YAML's rules for scalars (and by `readCollection` where it may be a
 * list or a mapping), and nothing can break.
 */
export function templateValue(
  text: string,
  form: ScalarForm | null,
  world: TemplateWorld,
  readCollection: (text: string) => Json | null = () => null,
): TemplateValue {
  const evaluation = new Evaluation(world, (value, count) => {
    // In decK the blanks keep the lines inside of their block and are removed with its indentation; only what goes
    // beyond that is left. Elsewhere YAML would fold the lines and drop the blanks, and nobody can have meant that.
    const beyond = form?.style === 'block' ? Math.max(0, count - form.indent) : 0;
    return value.replaceAll('\n', `\n${' '.repeat(beyond)}`);
  });
  evaluation.run(parseTemplate(text));
  const { pieces, variables } = evaluation;
  const problems = evaluation.problems.map(({ problem }) => problem);
  if (problems.some(({ severity }) => severity !== 'warning')) return { value: text, text: null, variables, problems };
  const [only] = pieces;
  // A superset of decK, where quotes make texts of all values: toInt in quotes can only have been meant.
  if (pieces.length === 1 && only?.type === 'value' && typeof only.value !== 'string') {
    return { value: only.value, text: null, variables, problems };
  }
  const joined = pieces
    .map((piece) => (piece.type === 'text' ? text.slice(piece.start, piece.end) : goText(piece.value)))
    .join('');
  if (form?.style !== 'plain') return { value: joined, text: null, variables, problems };
  const plain = plainValue(joined, variables, readCollection);
  return { ...plain, problems: [...problems, ...plain.problems] };
}

function plainValue(
  joined: string,
  variables: readonly string[],
  readCollection: (text: string) => Json | null,
): TemplateValue {
  // YAML drops blanks around a plain text, a line break at the end of a variable among them.
  const trimmed = joined.trim();
  const value = readPlain(trimmed);
  const problem = /^[-+.0-9]/.test(trimmed) ? numberProblem(trimmed, value) : null;
  if (value === trimmed && problem === null) {
    const collection = readCollection(trimmed);
    return { value: collection ?? value, text: collection === null ? null : joined, variables, problems: [] };
  }
  return { value, text: trimmed, variables, problems: problem === null ? [] : [fromVariables(problem, variables)] };
}

function fromVariables(problem: FindingText, variables: readonly string[]): FindingText {
  const names = variables.map(shownText).join(', ');
  return { ...problem, message: `${problem.message} It comes from ${names}.` };
}
