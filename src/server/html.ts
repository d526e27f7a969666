import type { DaemonStatus } from '../daemon/daemon.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

/** A page of plain HTML that needs no script. `refresh` is after how many seconds it renews itself; null for never. */
export function htmlPage(title: string, refresh: number | null, body: string): string {
  const again = refresh === null ? '' : `<meta http-equiv="refresh" content="${refresh}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${again}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid #8884; }
.good { color: #1a7f37; } .bad { color: #cf222e; } .busy { color: #9a6700; }
small { opacity: .75; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid #8884; }
`;

/** So many items of a list are shown: a page is no log. */
export const listed = 20;

/** Findings as a list, with how many more there are; nothing where there are none. */
export function diagnosticList(diagnostics: readonly Diagnostic[]): string {
  if (diagnostics.length === 0) return '';
  const items = diagnostics.slice(0, listed).map((diagnostic) => {
    const places = diagnostic.locations.map((place) => `${place.file}:${place.line}:${place.column}`).join(', ');
    return `<li><code>${text(places)}</code> ${text(diagnostic.severity)}: ${text(diagnostic.message)} <small>[${text(diagnostic.rule)}] ${text(diagnostic.hint)}</small></li>`;
  });
  const more = diagnostics.length > listed ? `<li>and ${diagnostics.length - listed} more</li>` : '';
  return `<ul>${items.join('')}${more}</ul>`;
}

/** A revision as people write it. */
export function short(revision: string | null): string {
  return revision === null ? 'none' : revision.slice(0, 10);
}

/** An instant, in milliseconds since 1970. */
export function time(ms: number | null): string {
  return ms === null ? 'never' : `<time>${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)}Z</time>`;
}

/** Text that is no markup. */
export function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** A link to the page of a revision; `from` is where this page's links start. */
export function revisionPageLink(revision: string | null, from = ''): string {
  const shown = `<code>${text(short(revision))}</code>`;
  return revision === null ? shown : `<a href="${from}revisions/${text(revision)}">${shown}</a>`;
}

/** How a state is shown. */
export function toneOf(state: DaemonStatus['lanes'][number]['state']): 'good' | 'busy' | 'bad' {
  switch (state) {
    case 'applied':
      return 'good';
    case 'delivering':
    case 'pending':
    case 'waiting':
      return 'busy';
    case 'applied-degraded':
    case 'held':
    case 'rejected':
    case 'retrying':
    case 'unreachable':
    case 'drifted':
    case 'rolled-back':
    case 'suspended':
      return 'bad';
  }
}
