import type { Document } from '../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json } from '../../model/json.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { Hide } from './public-fields.ts';

/** Lists of paths, and names. */
const open: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'resources',
  'bases',
  'components',
  'configurations',
  'namespace',
  'namePrefix',
  'nameSuffix',
]);

/** Hides in a kustomization all but what it is made of: its generators and patches may hold the values of Secrets. */
export function hideInKustomization({ value }: Document, _schemas: Schemas, hide: Hide): void {
  if (!isJsonObject(value)) {
    hide([]);
    return;
  }
  for (const [key, inner] of Object.entries(value)) if (!open.has(key) || !isPlain(inner)) hide([key]);
}

function isPlain(value: Json): boolean {
  return typeof value === 'string' || (isJsonArray(value) && value.every((item) => typeof item === 'string'));
}
