import type { FindingText } from './findings.ts';
import { shownText } from './shown-text.ts';

/** One function of a pipeline, such as `indent 4`. */
export interface TemplateStep {
  readonly name: 'toBool' | 'toInt' | 'toFloat' | 'trim' | 'indent';
  /** Of `indent`; else 0. */
  readonly count: number;
}

/** An expression `${{ env "NAME" | … }}`: a variable and what is done to its value. */
export interface TemplateExpression {
  readonly variable: string;
  readonly steps: readonly TemplateStep[];
}

/** A text cut at its expressions. */
export type TemplatePart =
  | { readonly text: string }
  | { readonly expression: TemplateExpression }
  | { readonly problem: FindingText };

/** The parts of a text. What begins as an expression and is none is a part with a problem. */
export function templateParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('${{', at);
    if (start === -1) break;
    if (start > at) parts.push({ text: text.slice(at, start) });
    const end = text.indexOf('}}', start + 3);
    if (end === -1) return [...parts, { problem: unclosed }];
    parts.push(readExpression(text.slice(start + 3, end)));
    at = end + 2;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

const source = /^\(?\s*env\s+("(?:[^"\\]|\\.)*"|`[^`]*`)\s*\)?$/;

/** The expression between `${{` and `}}`: the part of Go's templates that decK's files use (deck.md 1.6). */
function readExpression(inner: string): TemplatePart {
  if (/^-\s|\s-$/.test(inner)) return { problem: trimMarker };
  const [head = '', ...pipeline] = inner.split('|').map((stage) => stage.trim());
  const match = source.exec(head);
  if (match === null) return { problem: notSupported };
  const variable = (match[1] ?? '').slice(1, -1);
  const steps: TemplateStep[] = [];
  for (const stage of pipeline) {
    const step = readStep(stage);
    if ('problem' in step) return step;
    steps.push(step);
  }
  return { expression: { variable, steps } };
}

function readStep(stage: string): TemplateStep | { readonly problem: FindingText } {
  const [name = '', argument, ...rest] = stage.split(/\s+/);
  if (rest.length > 0) return { problem: notSupported };
  switch (name) {
    case 'toBool':
    case 'toInt':
    case 'toFloat':
    case 'trim':
      return argument === undefined ? { name, count: 0 } : { problem: notSupported };
    case 'indent':
      if (argument === undefined || !/^[0-9]{1,3}$/.test(argument)) return { problem: badIndent };
      return { name, count: Number(argument) };
    default:
      return { problem: unknownFunction(name) };
  }
}

const unclosed: FindingText = {
  rule: 'template-syntax',
  message: 'A template expression is opened with ${{ and not closed.',
  hint: 'Close it with }} in the same value.',
};

const trimMarker: FindingText = {
  rule: 'template-syntax',
  message: 'Trim markers ({{- and -}}) would remove the blanks that YAML needs, so they are not supported.',
  hint: 'Write the expression without the minus signs; use `| trim` to drop blanks around the value.',
};

const notSupported: FindingText = {
  rule: 'template-syntax',
  message: 'This template expression is not supported.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is decK's way of writing
  hint: 'Write ${{ env "DECK_NAME" }}, followed by | toInt, | toFloat, | toBool, | trim or | indent N where needed.',
};

const badIndent: FindingText = {
  rule: 'template-syntax',
  message: 'The template function `indent` takes the number of blanks.',
  hint: 'Write, say, | indent 4.',
};

function unknownFunction(name: string): FindingText {
  return {
    rule: 'template-function',
    message: `The template function ${shownText(name)} is not known.`,
    hint: 'Known are toInt, toFloat, toBool, trim and indent.',
  };
}
