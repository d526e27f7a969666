import type { Annotation } from '../forge/forge.ts';
import type { LaneStatus } from '../lane/lane-status.ts';

const levels = { error: 'failure', warning: 'warning', info: 'notice' } as const;

const ranks = { error: 0, warning: 1, info: 2 } as const;

/**
 * Findings as what is said of the lines that they are about, errors first; those without a place are left out. `path` is
 * where the files that were checked are in the repository: forges name them from its root. Pure.
 */
export function annotationsOf(diagnostics: LaneStatus['diagnostics'], path: string): readonly Annotation[] {
  const prefix = path === '' ? '' : `${path}/`;
  return [...diagnostics]
    .sort((a, b) => ranks[a.severity] - ranks[b.severity])
    .flatMap(({ rule, severity, message, hint, locations }) => {
      const [place] = locations;
      if (place === undefined) return [];
      const { line } = place;
      const file = `${prefix}${place.file}`;
      const others = locations.slice(1, 4).map((other) => `\nalso ${prefix}${other.file}:${other.line}`);
      const text = `${message}${hint === '' ? '' : `\n${hint}`}${others.join('')}`;
      return [{ level: levels[severity], file, line, endLine: line, title: rule, message: text }];
    });
}
