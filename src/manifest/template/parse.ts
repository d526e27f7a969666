import type { FindingText } from '../findings.ts';
import { type Pipe, parseAction } from './action.ts';
import { noEnd, TemplateError, unbalanced, unclosed } from './problems.ts';

/** The range of a part in the text that it was read from. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A part of a template. */
export type TemplateNode =
  | ({ readonly type: 'text' } & Range)
  | ({ readonly type: 'output'; readonly pipe: Pipe } & Range)
  | ({ readonly type: 'if'; readonly branches: readonly Branch[] } & Range)
  | ({ readonly type: 'problem'; readonly problem: FindingText } & Range);

/** What stands under one condition; none for an else. */
export interface Branch {
  readonly condition: Pipe | null;
  readonly body: readonly TemplateNode[];
}

interface Open {
  readonly start: number;
  readonly branches: { readonly condition: Pipe | null; readonly body: TemplateNode[] }[];
}

/**
 * The parts of a text, cut at its actions. What begins as an action and is none is a part with a problem. `isText` says
 * of an offset that what begins there is no action (in decK a line that is a comment, deck.md 1.6).
 */
export function parseTemplate(
  text: string,
  isText: (offset: number) => boolean = () => false,
): readonly TemplateNode[] {
  const root: TemplateNode[] = [];
  const open: Open[] = [];
  const put = (node: TemplateNode) => (open.at(-1)?.branches.at(-1)?.body ?? root).push(node);
  let at = 0;
  let trimNext = false;
  const putText = (until: number, trimEnd: boolean) => {
    const start = trimNext ? at + (/^\s*/.exec(text.slice(at, until))?.[0].length ?? 0) : at;
    const end = trimEnd ? Math.max(start, text.slice(0, until).trimEnd().length) : until;
    if (end > start) put({ type: 'text', start, end });
  };
  for (let start = nextAction(text, 0, isText); start !== -1; start = nextAction(text, at, isText)) {
    const length = actionLength(text, start);
    if (length === null) {
      putText(start, false);
      put({ type: 'problem', problem: unclosed, start, end: text.length });
      return root;
    }
    const inner = text.slice(start + 3, start + length - 2);
    const [trimsBefore, trimsAfter] = [/^-\s/.test(inner), /\s-$/.test(inner)];
    putText(start, trimsBefore);
    at = start + length;
    trimNext = trimsAfter;
    readAction(inner.slice(trimsBefore ? 1 : 0, trimsAfter ? -1 : undefined), { start, end: at }, open, put);
  }
  putText(text.length, false);
  for (const { start } of open) root.push({ type: 'problem', problem: noEnd, start, end: start + 3 });
  return root;
}

function readAction(inner: string, range: Range, open: Open[], put: (node: TemplateNode) => void): void {
  try {
    const action = parseAction(inner);
    switch (action.type) {
      case 'output':
        put({ type: 'output', pipe: action.pipe, ...range });
        return;
      case 'comment':
        return;
      case 'if':
        open.push({ start: range.start, branches: [{ condition: action.pipe, body: [] }] });
        return;
      case 'else': {
        const innermost = open.at(-1);
        if (innermost === undefined || innermost.branches.at(-1)?.condition === null)
          throw new TemplateError(unbalanced);
        innermost.branches.push({ condition: action.pipe, body: [] });
        return;
      }
      case 'end': {
        const ended = open.pop();
        if (ended === undefined) throw new TemplateError(unbalanced);
        put({ type: 'if', branches: ended.branches, start: ended.start, end: range.end });
      }
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    put({ type: 'problem', problem: error.problem, ...range });
  }
}

function nextAction(text: string, from: number, isText: (offset: number) => boolean): number {
  let start = text.indexOf('${{', from);
  while (start !== -1 && isText(start)) start = text.indexOf('${{', start + 3);
  return start;
}

/** The length of the action that starts at an offset, its marks included; null where it is not closed. */
function actionLength(text: string, start: number): number | null {
  // Where a quote is not closed, the next mark ends the action all the same.
  const quoted = /\$\{\{(?:[^}"`]|"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}(?!\}))*?\}\}/y;
  quoted.lastIndex = start;
  const match = quoted.exec(text);
  if (match !== null) return match[0].length;
  const end = text.indexOf('}}', start + 3);
  return end === -1 ? null : end + 2 - start;
}
