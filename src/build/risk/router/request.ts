/** A request that a router is tried with. */
export interface SampleRequest {
  /** `http`, `https`, or a protocol of streams. */
  readonly protocol: string;
  /** Null for a host that no route names. */
  readonly host: string | null;
  readonly port: string | null;
  readonly path: string;
  readonly method: string;
  /** Lower-case names and values. */
  readonly headers: ReadonlyMap<string, string>;
  readonly sni: string | null;
  /** Addresses of a stream, as a route writes them. */
  readonly source: string | null;
  readonly destination: string | null;
  /** Comparisons of a router expression that hold for this request although it has nothing to compare. */
  readonly facts: ReadonlySet<string>;
}

/** A plain request for `/` at a host that no route names. */
export const plainRequest: SampleRequest = {
  protocol: 'http',
  host: null,
  port: null,
  path: '/',
  method: 'GET',
  headers: new Map(),
  sni: null,
  source: null,
  destination: null,
  facts: new Set(),
};

/** A text by which equal requests are known. */
export function requestKey(request: SampleRequest): string {
  const { protocol, host, port, path, method, headers, sni, source, destination, facts } = request;
  return JSON.stringify([protocol, host, port, path, method, [...headers], sni, source, destination, [...facts]]);
}

/** Whether requests of this protocol are of a stream, rather than of HTTP. */
export function isStreamProtocol(protocol: string): boolean {
  return protocol !== 'http' && protocol !== 'https';
}

/** A request in words: `GET https://a.test/orders with x-version: 2`. */
export function requestInWords(request: SampleRequest): string {
  const { protocol, host, port, path, method, headers, sni, source, destination, facts } = request;
  if (isStreamProtocol(protocol)) {
    const from = source === null ? '' : ` from ${addressInWords(source)}`;
    const to = destination === null ? '' : ` to ${addressInWords(destination)}`;
    return `${protocol.toUpperCase()}${sni === null ? '' : ` for ${sni}`}${from}${to}`;
  }
  const isTls = protocol === 'https';
  const place =
    host === null ? `${path} (any host${isTls ? ', https' : ''})` : `${host}${port === null ? '' : `:${port}`}${path}`;
  const rest = [
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    ...(sni === null ? [] : [`SNI ${sni}`]),
    ...facts,
  ];
  const shown = isTls && host !== null ? `https://${place}` : place;
  return `${method} ${shown}${rest.length === 0 ? '' : ` with ${rest.join(', ')}`}`;
}

/** An address as a route writes it, without the signs of JSON. */
function addressInWords(address: string): string {
  return address.replace(/[{}"]/g, '').replaceAll(':', ' ').replaceAll(',', ', ');
}

/** The protocol that a request has by which a route of this protocol is met: a gRPC call is one of HTTP. */
export function requestProtocol(protocol: string): string {
  switch (protocol) {
    case 'grpc':
    case 'ws':
      return 'http';
    case 'grpcs':
    case 'wss':
      return 'https';
    default:
      return protocol;
  }
}

/** The header that a field of the router's language reads (`http.headers.x_version`: `x-version`), or null. */
export function headerName(field: string): string | null {
  const prefix = 'http.headers.';
  return field.startsWith(prefix) ? field.slice(prefix.length).replaceAll('_', '-').toLowerCase() : null;
}
