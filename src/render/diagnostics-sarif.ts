import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';

/** What a SARIF log says about the tool. */
export interface SarifTool {
  /** Konverge's own version. */
  readonly version: string;
  /** The rules that have a page. */
  readonly rules: readonly {
    readonly name: string;
    readonly severity: Severity;
    readonly summary: string;
    readonly documentation: string;
  }[];
  /** The page of a finding that is of no rule, where there is one. */
  readonly explain?: (name: string) => string | undefined;
  /** The folder in the repository that file names are relative to, such as `gateway/`. */
  readonly prefix?: string;
}

const levels: { readonly [S in Severity]: string } = { error: 'error', warning: 'warning', info: 'note' };

/** Diagnostics as a SARIF 2.1.0 log (OASIS), for code scanning and editors. */
export function renderDiagnosticsSarif(diagnostics: readonly Diagnostic[], tool: SarifTool): string {
  const rules = reportingDescriptors(diagnostics, tool);
  const indexOf = new Map(rules.map((rule, index) => [rule.id, index]));
  const prefix = tool.prefix ?? '';
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Konverge', semanticVersion: tool.version, rules } },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, indexOf.get(diagnostic.rule) ?? -1, prefix)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

interface ReportingDescriptor {
  readonly id: string;
  readonly [property: string]: unknown;
}

/** All rules with a page, and those that only a diagnostic names (of a parser, say). */
function reportingDescriptors(diagnostics: readonly Diagnostic[], tool: SarifTool): readonly ReportingDescriptor[] {
  const described = new Set(tool.rules.map((rule) => rule.name));
  const others = [...new Set(diagnostics.map((diagnostic) => diagnostic.rule))].filter((name) => !described.has(name));
  return [
    ...tool.rules.map((rule) => ({
      id: rule.name,
      shortDescription: { text: rule.summary },
      help: { text: rule.summary, markdown: rule.documentation },
      defaultConfiguration: { level: levels[rule.severity] },
    })),
    ...others.sort().map((id) => withPage(id, tool.explain?.(id))),
  ];
}

/** A finding's page as help; its first paragraph says what it is. */
function withPage(id: string, page: string | undefined): ReportingDescriptor {
  if (page === undefined) return { id };
  const what = page.split('\n\n')[1] ?? id;
  return { id, shortDescription: { text: what }, help: { text: what, markdown: page } };
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number, prefix: string): object {
  const [first, ...others] = diagnostic.locations;
  const text = diagnostic.hint === '' ? diagnostic.message : `${diagnostic.message}\n${diagnostic.hint}`;
  const logical = diagnostic.entities.map(({ kind, name }) => ({
    name,
    kind: 'object',
    fullyQualifiedName: `${kind}/${name}`,
  }));
  return {
    ruleId: diagnostic.rule,
    ruleIndex,
    level: levels[diagnostic.severity],
    message: { text },
    locations:
      first === undefined
        ? []
        : [{ ...physical(first, prefix), ...(logical.length === 0 ? {} : { logicalLocations: logical }) }],
    ...(others.length === 0
      ? {}
      : {
          relatedLocations: others.map((location, index) => ({
            id: index + 1,
            ...physical(location, prefix),
            message: { text: 'It conflicts with this.' },
          })),
        }),
  };
}

function physical(location: Location, prefix: string): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: `${prefix}${location.file}`.split('/').map(encodeURIComponent).join('/') },
      region: {
        startLine: location.line,
        startColumn: location.column,
        endLine: location.endLine,
        endColumn: location.endColumn,
      },
    },
  };
}
