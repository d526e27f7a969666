import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../model/json.ts';

/** The header by which a closed route is told from others. */
const closedHeader = 'x-konverge-closed';

/** No header can hold a line break (RFC 9110, 5.5), so that no request ever has this value. */
const neverSent = 'until its plugins\nare in place';

/** Nobody connects from the address that all are meant by (RFC 919). */
const nobody = '255.255.255.255';

/** Expressions that nothing meets: a field with one value never has two. */
const never = {
  http: 'http.path == "/1" && http.path == "/2"',
  stream: 'net.src.port == 1 && net.src.port == 2',
};

/** Protocols whose routes match connections, which have no headers. */
const streams: ReadonlySet<Json> = new Set(['tcp', 'tls', 'udp', 'tls_passthrough']);

/**
 * The fields that a route is written with so that it is there and matches nothing, from the fields of the route itself.
 * Its protocols stay: Kong refuses plugins that have none in common with their route.
 */
export function closedFields(route: JsonObject): JsonObject {
  const { expression, protocols, headers } = route;
  const isStream = isJsonArray(protocols) && protocols.some((protocol) => streams.has(protocol));
  if (typeof expression === 'string' && expression !== '') {
    return { expression: isStream ? never.stream : never.http };
  }
  if (isStream) return { sources: [{ ip: nobody }] };
  return { headers: { ...(isJsonObject(headers) ? headers : {}), [closedHeader]: [neverSent] } };
}

/** Whether a route is closed: written so that it matches nothing. */
export function isClosed({ expression, headers, sources }: JsonObject): boolean {
  if (expression === never.http || expression === never.stream) return true;
  if (isJsonObject(headers) && isJsonArray(headers[closedHeader])) return headers[closedHeader].includes(neverSent);
  return (
    isJsonArray(sources) && sources.length > 0 && sources.every((one) => isJsonObject(one) && one['ip'] === nobody)
  );
}
