import type { JsonObject } from '../../model/json.ts';
import { transformationFault } from '../../schema/custom/server-checks.ts';
import { serveSchema } from '../../schema/served.ts';
import { type Answer, answer, methodNotAllowed, notFound, schemaViolation } from '../http/answers.ts';
import { asWritten, checkedEntity, withEntityError } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import { referenceErrors } from '../state/reference-check.ts';
import { withServerMade } from '../state/server-made.ts';

/**
 * Answers what is under `/schemas`: the schemas themselves, and the check of a body against one, which looks at neither
 * uniqueness nor references. `rest` are the segments after `schemas`.
 */
export function handleSchemas(gateway: Gateway, method: string, rest: readonly string[], body: JsonObject): Answer {
  const [first = '', second, third] = rest;
  if (third !== undefined || rest.length === 0) return notFound;
  if (second === 'validate') return method === 'POST' ? validate(gateway, first, body) : methodNotAllowed;
  if (second === undefined) return method === 'GET' ? serveEntity(gateway, first) : methodNotAllowed;
  if (first !== 'plugins' && first !== 'vaults' && first !== 'partials') return notFound;
  if (method !== 'GET') return methodNotAllowed;
  const schemas = gateway.schemas;
  switch (first) {
    case 'plugins':
      return serve(schemas.plugin(second), `there is no plugin ${second}`);
    case 'vaults':
      return serve(schemas.vault(second), `there is no vault type ${second}`);
    case 'partials':
      return serve(schemas.partial(second), `there is no partial type ${second}`);
    default:
      return first satisfies never;
  }
}

function serve(schema: Parameters<typeof serveSchema>[0] | undefined, message: string): Answer {
  return schema === undefined ? answer(404, { message }) : answer(200, serveSchema(schema));
}

function serveEntity(gateway: Gateway, name: string): Answer {
  return serve(gateway.schemas.entity(name), `there is no entity ${name}`);
}

/** Answers `GET /plugins/schema/{name}`, the older path: the schema of the configuration alone. */
export function servePluginConfig(gateway: Gateway, name: string): Answer {
  const config = gateway.schemas.plugin(name)?.fields['config'];
  if (config?.fields === undefined) return answer(404, { message: `there is no plugin ${name}` });
  return answer(
    200,
    serveSchema({
      fields: config.fields,
      entity_checks: config.entity_checks ?? [],
      shorthand_fields: config.shorthand_fields ?? [],
    }),
  );
}

function validate(gateway: Gateway, kind: string, body: JsonObject): Answer {
  const collection = gateway.collections.get(kind);
  if (collection === undefined) {
    if (gateway.schemas.entity(kind) === undefined) return answer(404, { message: `there is no entity ${kind}` });
    const { errors } = checkedEntity(gateway, kind, body);
    return errors === null ? answer(200, { message: 'the body fits the schema' }) : schemaViolation(errors);
  }
  const made = withServerMade(gateway, collection, asWritten(gateway.schemas, kind, body), null);
  const { errors } = checkedEntity(gateway, kind, made);
  const misplaced = referenceErrors(collection, body);
  const all = withEntityError(
    misplaced === null ? errors : { ...errors, ...misplaced },
    transformationFault(collection.name, body, null)?.message ?? null,
  );
  return all === null ? answer(200, { message: 'the body fits the schema' }) : schemaViolation(all);
}
