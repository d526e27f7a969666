import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { fileLocation } from '../../src/model/location.ts';
import { annotationsOf } from '../../src/report/annotations.ts';

function finding(severity: Diagnostic['severity'], ...lines: readonly number[]): Diagnostic {
  const locations = lines.map((line) => ({ ...fileLocation('a/kong.yaml'), line, endLine: line + 9 }));
  return { rule: 'unique-key', severity, message: `an ${severity}`, hint: 'Change one.', locations, entities: [] };
}

test('errors come first, each at its line, with what it conflicts with; what has no place is left out', () => {
  expect(
    annotationsOf([finding('info', 1), finding('warning', 2), finding('error'), finding('error', 3, 8)], ''),
  ).toEqual([
    {
      level: 'failure',
      file: 'a/kong.yaml',
      line: 3,
      endLine: 3,
      title: 'unique-key',
      message: 'an error\nChange one.\nalso a/kong.yaml:8',
    },
    {
      level: 'warning',
      file: 'a/kong.yaml',
      line: 2,
      endLine: 2,
      title: 'unique-key',
      message: 'an warning\nChange one.',
    },
    { level: 'notice', file: 'a/kong.yaml', line: 1, endLine: 1, title: 'unique-key', message: 'an info\nChange one.' },
  ]);
});

test('files are named from the root of the repository, as the forge knows them', () => {
  expect(annotationsOf([finding('error', 3, 8)], 'deploy/kong')).toMatchObject([
    { file: 'deploy/kong/a/kong.yaml', message: 'an error\nChange one.\nalso deploy/kong/a/kong.yaml:8' },
  ]);
});
