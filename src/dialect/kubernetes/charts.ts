import type { Document } from '../../manifest/document.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isJsonObject } from '../../model/json.ts';

/** What is read of files besides those of charts, and one error for each chart. */
export interface WithoutCharts {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Leaves out the files of Helm charts, whose templates say nothing before they are carried out, and says so at each chart. */
export function withoutCharts(documents: readonly Document[], diagnostics: readonly Diagnostic[]): WithoutCharts {
  const charts = documents.filter(isChart);
  if (charts.length === 0) return { documents, diagnostics };
  const folders = charts.map(({ file }) => file.slice(0, -chartFile.length));
  const isOfChart = (file: string) => folders.some((folder) => file.startsWith(folder));
  return {
    documents: documents.filter(({ file }) => !isOfChart(file)),
    diagnostics: [
      ...diagnostics.filter(({ locations }) => !isOfChart(locations[0]?.file ?? '')),
      ...charts.filter(({ file }) => isOutermost(file, folders)).map(tell),
    ],
  };
}

const chartFile = 'Chart.yaml';

function isChart({ file, value }: Document): boolean {
  if (file.split('/').at(-1) !== chartFile || !isJsonObject(value)) return false;
  const { apiVersion, kind, name, version } = value;
  return /^v[12]$/.test(String(apiVersion)) && kind === undefined && name !== undefined && version !== undefined;
}

/** A chart may hold others, which are a part of it. */
function isOutermost(file: string, folders: readonly string[]): boolean {
  const own = file.slice(0, -chartFile.length);
  return !folders.some((folder) => folder !== own && own.startsWith(folder));
}

function tell(chart: Document): Diagnostic {
  return {
    rule: 'helm-chart',
    severity: 'error',
    message: 'This is a chart of Helm, whose templates are not carried out, so nothing of its folder is read.',
    hint: 'Commit what `helm template` prints, and leave the chart out with an `ignore` pattern.',
    locations: [chart.at([])],
    entities: [],
  };
}
