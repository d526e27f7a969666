import type { Diagnostic } from '../../model/diagnostic.ts';
import { finding } from '../findings.ts';
import type { SourceText } from '../source-text.ts';
import type { Operand, Pipe } from './action.ts';
import { Evaluation, type Keeps, type TemplateWorld } from './evaluate.ts';
import { ExpandedText, type Segment } from './expanded-text.ts';
import { goText } from './functions.ts';
import { parseTemplate, type TemplateNode } from './parse.ts';

/** A file with its templates carried out, or what is wrong with them. */
export interface Expansion {
  readonly source: ExpandedText;
  readonly diagnostics: readonly Diagnostic[];
}

/** Actions that decide what is in a file, or that several places share: they cannot be resolved value by value. */
const acrossValues = /\$\{\{-?[ \t]*(?:if|else|end|range|with|\$\w+[ \t]*:?=|\/\*)/;

/** Whether a text has actions that only its expansion as a whole can carry out. */
export function spansValues(text: string): boolean {
  const match = acrossValues.exec(text);
  return match !== null && text.split(/\r\n?|\n/).some((line) => !isComment(line) && acrossValues.test(line));
}

/**
 * Carries out the templates of a file in its text, as decK does before YAML is read (deck.md 1.6). With
 * `valuesLater`, what stands inside of a value is left for later, where nothing that a variable holds can do harm.
 */
export function expandText(source: SourceText, world: TemplateWorld, valuesLater: boolean): Expansion {
  const { text } = source;
  const nodes = parseTemplate(text, (offset) => isComment(lineAround(text, offset)));
  const keeps: Keeps = (node) => valuesLater && isPure(node.pipe) && !standsAlone(text, node);
  const evaluation = new Evaluation(world, (value, count) => value.replaceAll('\n', `\n${' '.repeat(count)}`), keeps);
  evaluation.run(nodes);
  const segments: Segment[] = [];
  let expanded = '';
  for (const piece of evaluation.pieces) {
    const { start, end } = piece;
    const part = piece.type === 'text' ? text.slice(start, end) : goText(piece.value);
    const variables = piece.type === 'text' ? null : piece.variables;
    segments.push({ at: expanded.length, length: part.length, start, end, variables });
    expanded += part;
  }
  const diagnostics = evaluation.problems.map(({ problem, start, end }) =>
    finding(problem, source.location(start, end)),
  );
  return { source: new ExpandedText(source, expanded, segments), diagnostics };
}

function isPure({ sets, commands }: Pipe): boolean {
  return sets === null && commands.every((command) => command.every(isPureOperand));
}

function isPureOperand(operand: Operand): boolean {
  return operand.type === 'group' ? isPure(operand.pipe) : operand.type !== 'variable';
}

/** Whether an action has a line for itself, outside of a block of text: what it brings may be anything. */
function standsAlone(text: string, { start, end }: TemplateNode): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start);
  const after = /^[^\r\n]*/.exec(text.slice(end))?.[0] ?? '';
  if (before.trim() !== '' || !/^\s*(?:#.*)?$/.test(after)) return false;
  const above = text
    .slice(0, lineStart)
    .split(/\r\n?|\n/)
    .reverse();
  const opener = above.find((line) => line.trim() !== '' && indentation(line) < before.length);
  return opener === undefined || !/[:-][ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?$/.test(opener);
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}

function lineAround(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset + 1);
}

function isComment(line: string): boolean {
  return /^\s*#/.test(line);
}
