/** One request. The path is joined to the client's base URL. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path with query, such as `/services?size=1000`; prefixed with the base URL's path. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it stands, with the content type that `headers` gives; bytes are not copied. Not together with `json`. */
  readonly text?: string | Uint8Array;
  /** A body of a known length in bytes that is made while it is sent, in the place of `json` and `text`. */
  readonly made?: { readonly length: number; readonly pieces: () => Iterable<Uint8Array> };
  /** Overrides the client's time limit for the whole exchange, in milliseconds. */
  readonly timeoutMs?: number;
  /** Statuses that are answers rather than failures, besides 2xx. */
  readonly accept?: readonly number[];
}

/** An answer with its body read whole, within the client's limit. `json` is undefined where the body is not JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

/** What a client is made with. One client is one pool: lanes, forge and Git never share one. */
export interface HttpClientOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly bodyLimitBytes: number;
  readonly connections: number;
  /** PEM texts. */
  readonly tls: {
    readonly ca: string | null;
    readonly cert: string | null;
    readonly key: string | null;
    readonly serverName: string | null;
  };
  readonly proxy: string | null;
}

/**
 * One HTTP request function over one pool of connections. Never retries, never follows a redirect. Throws Failure for
 * anything but 2xx and the accepted statuses; the failure names method and URL and holds no header, secret or userinfo.
 * When the signal is aborted, its reason is thrown.
 */
export interface HttpClient {
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Ends the pool. Requests under way are cut. */
  close(): Promise<void>;
}
