import type { Diagnostic } from '../model/diagnostic.ts';

/**
 * Diagnostics as a JUnit report: a test case for each, failed where it is an error; one that passes where there is none,
 * so that a CI system sees that the check was made. `prefix` is the folder in the repository that file names are relative
 * to, such as `gateway/`: GitLab links the attribute `file`. The names of the cases do without.
 */
export function renderDiagnosticsJUnit(diagnostics: readonly Diagnostic[], prefix = ''): string {
  const failures = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const cases =
    diagnostics.length === 0
      ? ['    <testcase classname="konverge" name="validate"/>']
      : diagnostics.map((one) => testCase(one, prefix));
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="konverge" ${counts}>`,
    `  <testsuite name="validate" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(diagnostic: Diagnostic, prefix: string): string {
  const [first] = diagnostic.locations;
  const place = first === undefined ? '' : ` ${first.file}:${first.line}:${first.column}`;
  const attributes = [
    `classname="${escaped(first?.file ?? 'konverge')}"`,
    `name="${escaped(`${diagnostic.rule}${place}`)}"`,
    ...(first === undefined ? [] : [`file="${escaped(`${prefix}${first.file}`)}"`, `line="${first.line}"`]),
  ].join(' ');
  const places = diagnostic.locations.map((location) => `${location.file}:${location.line}:${location.column}`);
  const detail = [diagnostic.message, ...(diagnostic.hint === '' ? [] : [diagnostic.hint]), ...places].join('\n');
  const inner =
    diagnostic.severity === 'error'
      ? `<failure type="${escaped(diagnostic.rule)}" message="${escaped(diagnostic.message)}">${escaped(detail)}</failure>`
      : `<system-out>${escaped(`${diagnostic.severity}: ${detail}`)}</system-out>`;
  return `    <testcase ${attributes}>${inner}</testcase>`;
}

/** Text for XML 1.0, which has no place for most control characters and lone surrogates. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;');
}
