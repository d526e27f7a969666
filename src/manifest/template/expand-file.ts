import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ManifestLimits } from '../limits.ts';
import { type ParsedFile, parseSource } from '../parse.ts';
import type { TemplateWorld } from './evaluate.ts';
import { expandText } from './expand.ts';
import type { ExpandedText } from './expanded-text.ts';

/**
 * A file once more whose templates stand outside of values, so that it can be read only after they were carried out.
 * Where that does not help either, the file as it was read before.
 */
export function expandFile(parsed: ParsedFile, world: TemplateWorld, limits: ManifestLimits): ParsedFile {
  const { template } = parsed;
  if (template === null) return parsed;
  let first: ParsedFile | null = null;
  for (const valuesLater of [true, false]) {
    const expansion = expandText(template.source, world, valuesLater);
    if (expansion.diagnostics.some(isError)) {
      return template.spansValues ? { ...parsed, documents: [], diagnostics: expansion.diagnostics } : parsed;
    }
    const read = parseSource(expansion.source, limits);
    const diagnostics = [
      ...expansion.diagnostics,
      ...read.diagnostics.map((found) => discreet(found, expansion.source)),
    ];
    const result: ParsedFile = { documents: read.documents, diagnostics, template: null };
    if (!diagnostics.some(isError)) return result;
    first ??= result;
  }
  return template.spansValues && first !== null ? first : parsed;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

/** A finding about what a variable brought, without its words, which may hold a part of the value. */
function discreet(found: Diagnostic, source: ExpandedText): Diagnostic {
  if (!found.locations.some((location) => source.isOfAction(location))) return found;
  return { ...found, message: 'What the variable brings here cannot be read as YAML in this place.' };
}
