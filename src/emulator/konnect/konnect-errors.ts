import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Answer, answer } from '../http/answers.ts';

const detailType = 'type.googleapis.com/kong.admin.model.v1.ErrorDetail';

/** What Konnect's core entities answer to what is not there (deck.md 5.4): gRPC's code, and no words. */
export const grpcNotFound: Answer = { status: 404, body: { code: 5, message: '', details: [] } };

/** What Konnect's core entities answer to a method or path that they do not have. */
export const grpcNotAllowed: Answer = { status: 405, body: { code: 12, message: 'Method Not Allowed', details: [] } };

/** An answer that refuses one field, in the form of Konnect's core entities. */
export function grpcFieldError(field: string, message: string): Answer {
  return answer(400, { code: 3, message: 'validation error', details: [detail('ERROR_TYPE_FIELD', field, [message])] });
}

/** A refusal in Kong's envelope in the form that Konnect's core entities have (deck.md 5.4). Other answers stay. */
export function asKonnect(told: Answer): Answer {
  const body = told.body;
  if (told.status < 400) return told;
  if (told.status === 404) return grpcNotFound;
  if (told.status === 405) return grpcNotAllowed;
  const code = isJsonObject(body) ? body['code'] : undefined;
  const fields = isJsonObject(body) && isJsonObject(body['fields']) ? body['fields'] : {};
  const message = isJsonObject(body) && typeof body['message'] === 'string' ? body['message'] : '';
  // Who is in a group already is told as a conflict; all else that clashes as Konnect's constraint errors.
  if (told.status === 409 && fields['consumer'] !== undefined && fields['consumer_group'] !== undefined) {
    return answer(409, { code: 6, message, details: [] });
  }
  switch (code) {
    case 2:
      return answer(400, { code: 3, message: 'validation error', details: detailsOf(fields, '') });
    case 3:
    case 4:
    case 5:
    case 13:
    case 19: {
      const [field = ''] = Object.keys(fields);
      const named = field === '@referenced_by' ? '' : field;
      return answer(400, {
        code: 3,
        message: 'data constraint error',
        details: [detail('ERROR_TYPE_REFERENCE', named, [message])],
      });
    }
    default:
      return answer(told.status === 500 ? 500 : 400, { code: told.status === 500 ? 13 : 3, message, details: [] });
  }
}

function detailsOf(errors: Json, prefix: string): readonly JsonObject[] {
  if (errors === null) return [];
  if (typeof errors === 'string') return [detail('ERROR_TYPE_FIELD', prefix, [errors])];
  if (isJsonArray(errors)) return errors.flatMap((inner, index) => detailsOf(inner, `${prefix}[${index}]`));
  if (!isJsonObject(errors)) return [];
  return Object.entries(errors).flatMap(([key, inner]): readonly JsonObject[] => {
    if (key !== '@entity') return detailsOf(inner, prefix === '' ? key : `${prefix}.${key}`);
    return [detail('ERROR_TYPE_ENTITY', prefix, (isJsonArray(inner) ? inner : [inner]).map(String))];
  });
}

function detail(type: string, field: string, messages: readonly string[]): JsonObject {
  return { '@type': detailType, type, ...(field === '' ? {} : { field }), messages };
}
