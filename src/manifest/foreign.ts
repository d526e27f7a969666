import type { Findings } from './findings.ts';
import { lineEnd } from './scan.ts';
import type { SourceText } from './source-text.ts';

/**
 * Whether a text is something else than a manifest by the look of it, or was damaged by a tool, with a finding that
 * says so in place of the syntax error that would follow.
 */
export function looksForeign(source: SourceText, findings: Findings): boolean {
  return isLargeFilePointer(source, findings) || hasConflict(source, findings) || hasControls(source, findings);
}

/** The pointer that Git LFS keeps in place of a file (git-lfs specification, docs/spec.md). */
function isLargeFilePointer(source: SourceText, findings: Findings): boolean {
  if (!/^version https:\/\/git-lfs\.github\.com\/spec\//.test(source.text.slice(0, 60))) return false;
  findings.add(
    {
      rule: 'git-lfs-pointer',
      message: 'This file is kept in Git LFS, so the repository holds only a pointer to it.',
      hint: 'Keep manifests in Git itself (`git lfs untrack`), or leave the file out with an `ignore` pattern.',
    },
    source.location(0, lineEnd(source.text, 0)),
  );
  return true;
}

/** Markers that a merge left behind: in column 1, where no text of a block can stand. */
function hasConflict(source: SourceText, findings: Findings): boolean {
  const { text } = source;
  if (!text.includes('<<<<<<<') && !text.includes('>>>>>>>')) return false;
  const markers = [...text.matchAll(/^(?:<{7}|>{7})(?=[ \t\r\n]|$)/gm)].slice(0, 20);
  if (markers.length === 0) return false;
  const places = markers.map(({ index }) => source.location(index, lineEnd(text, index)));
  findings.add(
    {
      rule: 'merge-conflict',
      message: 'A merge conflict was committed here without being resolved.',
      hint: 'Choose one side, remove the lines that begin with <<<<<<<, ======= and >>>>>>>, and commit again.',
    },
    ...places,
  );
  return true;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

function hasControls(source: SourceText, findings: Findings): boolean {
  let found = false;
  for (const { index } of source.text.matchAll(controls)) {
    found = true;
    if (findings.full) break;
    const code = source.text.charCodeAt(index).toString(16).padStart(4, '0').toUpperCase();
    findings.add(
      {
        rule: 'yaml-control-character',
        message: `The control character U+${code} stands here, which YAML does not allow.`,
        hint: 'Remove it, or write it as an escape in double quotes.',
      },
      source.location(index, index + 1),
    );
  }
  return found;
}
