import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.ts';
import type { CodeShape } from './plan.ts';

/** What is told of a code that changes: how long the new one is, or the old one where none follows. */
export function codeShape(from: Json | undefined, to: Json | undefined): CodeShape {
  const digest = createHash('sha256')
    .update(canonicalJson([from ?? null, to ?? null]), 'utf8')
    .digest('hex');
  return { lines: linesOf(String(to ?? from)), digest };
}

/** A line break at the end begins no line. */
function linesOf(code: string): number {
  return code.replace(/\r?\n$/, '').split('\n').length;
}
