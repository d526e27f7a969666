import type { Failure } from './failure.ts';
import { type Exchange, exchangeFailure } from './http-failure.ts';

/** What is known of the client, to say what a closed connection may mean. */
export interface ConnectionTraits {
  readonly tls: boolean;
  readonly clientCertificate: boolean;
  readonly proxy: boolean;
}

interface Explained {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/**
 * The failure that an error of Node or undici means when an exchange ends without a whole answer. Class `unreachable`,
 * but for requests that could not be made at all. Nothing of the error's own text is kept except its code.
 */
export function connectionFailure(exchange: Exchange, thrown: unknown, traits: ConnectionTraits): Failure {
  const code = codeOf(thrown);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_ARG_TYPE' || code === 'ERR_INVALID_CHAR') {
    return exchangeFailure(exchange, {
      class: 'rejected',
      code: 'invalid-request',
      message: 'the request holds a header or path that HTTP does not allow',
      hint: 'Look for a line break at the end of a token or header value in the configuration.',
    });
  }
  const proxyStatus = /Proxy response \((\d{3})\)/.exec(thrown instanceof Error ? thrown.message : '')?.[1];
  if (proxyStatus !== undefined || (traits.proxy && code === 'UND_ERR_PRX_TLS')) {
    return exchangeFailure(exchange, {
      class: 'unreachable',
      code: 'proxy-refused',
      message: `the proxy refused the connection${proxyStatus === undefined ? '' : ` with ${proxyStatus}`}`,
      hint: 'Check the proxy’s address, its user name and password, and which hosts it lets through.',
    });
  }
  return exchangeFailure(exchange, { class: 'unreachable', ...explain(code, traits) });
}

function explain(code: string, traits: ConnectionTraits): Explained {
  const known = explanations[code];
  if (known !== undefined) return known;
  if (closed.has(code)) return explainClosed(traits);
  if (untrusted.has(code)) {
    return {
      code: 'tls-untrusted',
      message: `the server’s certificate is not signed by a trusted authority (${code})`,
      hint: 'Give the authority’s certificate as `ca`.',
    };
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return {
      code: 'tls-not-spoken',
      message: 'the server does not speak TLS on this port',
      hint: 'Use http:// or another port.',
    };
  }
  if (code.includes('CERTIFICATE_REQUIRED') || (code.includes('HANDSHAKE_FAILURE') && !traits.clientCertificate)) {
    return { ...explainClosed(traits), code: 'tls-client-certificate' };
  }
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    return {
      code: 'tls-handshake',
      message: `the TLS handshake failed (${code})`,
      hint: 'Check `ca`, `cert`, `key` and the server’s TLS settings.',
    };
  }
  if (code.startsWith('HPE_')) {
    return {
      code: 'not-http',
      message: `the answer is not HTTP (${code})`,
      hint: 'Check scheme and port: a TLS port does not answer to http://.',
    };
  }
  return {
    code: 'connection-failed',
    message: `the connection failed${code === '' ? '' : ` (${code})`}`,
    hint: 'Check address and network.',
  };
}

const explanations: { readonly [code: string]: Explained } = {
  ECONNREFUSED: {
    code: 'connection-refused',
    message: 'nothing listens at this address (connection refused)',
    hint: 'Check host and port, and that the server runs.',
  },
  ENOTFOUND: {
    code: 'dns',
    message: 'the host name is not known (ENOTFOUND)',
    hint: 'Check the host name and the resolver.',
  },
  EAI_AGAIN: {
    code: 'dns',
    message: 'the resolver did not answer (EAI_AGAIN)',
    hint: 'Check the resolver and the network.',
  },
  EHOSTUNREACH: {
    code: 'no-route',
    message: 'there is no way to the host (EHOSTUNREACH)',
    hint: 'Check network and firewall.',
  },
  ENETUNREACH: {
    code: 'no-route',
    message: 'there is no way to the network (ENETUNREACH)',
    hint: 'Check network and firewall.',
  },
  ETIMEDOUT: {
    code: 'connect-timeout',
    message: 'the connection could not be made in time',
    hint: 'Check network and firewall.',
  },
  UND_ERR_CONNECT_TIMEOUT: {
    code: 'connect-timeout',
    message: 'the connection could not be made in time',
    hint: 'Check host, port and firewall.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'tls-name-mismatch',
    message: 'the server’s certificate is for another host name',
    hint: 'Use the name that the certificate has, or give it as `serverName`.',
  },
  CERT_HAS_EXPIRED: {
    code: 'tls-expired',
    message: 'the server’s certificate has expired',
    hint: 'Renew it on the server.',
  },
  CERT_NOT_YET_VALID: {
    code: 'tls-expired',
    message: 'the server’s certificate is not valid yet',
    hint: 'Check the clocks of both machines.',
  },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    code: 'answer-cut',
    message: 'the answer ended before all of it had come',
    hint: 'Look at the server’s log, and at proxies in between.',
  },
  UND_ERR_HEADERS_OVERFLOW: {
    code: 'not-http',
    message: 'the answer’s headers are too long',
    hint: 'Check what answers at this address.',
  },
  UND_ERR_DESTROYED: { code: 'closed', message: 'the client was closed meanwhile', hint: '' },
  UND_ERR_CLOSED: { code: 'closed', message: 'the client was closed meanwhile', hint: '' },
};

const closed = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']);

const untrusted = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

function explainClosed(traits: ConnectionTraits): Explained {
  if (traits.tls && !traits.clientCertificate) {
    return {
      code: 'connection-closed',
      message: 'the server closed the connection before it answered',
      hint: 'If the server wants a client certificate (mutual TLS), give `cert` and `key`.',
    };
  }
  return {
    code: 'connection-closed',
    message: 'the server closed the connection before it answered',
    hint: traits.tls
      ? 'Look at the server’s log: it may have been restarted, or not trust the client certificate.'
      : 'Look at the server’s log: it may have been restarted, or want https://.',
  };
}

/** The most telling code in an error, its causes and, where several addresses were tried, the errors of each. */
function codeOf(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > 4) return '';
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  if (code === '' && thrown.name === 'HTTPParserError') return 'HPE_INVALID';
  const inner = [
    ...(thrown instanceof AggregateError ? thrown.errors : []),
    ...(thrown.cause === undefined ? [] : [thrown.cause]),
  ];
  if (code !== '' && code !== 'UND_ERR_PRX_TLS') return code;
  for (const error of inner) {
    const found = codeOf(error, depth + 1);
    if (found !== '') return found;
  }
  return code;
}
