import type { Claim } from './claims.ts';
import type { KubernetesConfiguration } from './kubernetes.ts';
import type { NotifySettings } from './notify.ts';
import type { ReviewSettings } from './review.ts';
import type { SchemasFile } from './schemas-file.ts';
import type { StatusSettings } from './status.ts';
import type { VerifySettings } from './verify.ts';
import type { Window } from './windows.ts';

/** How to sign in to the Git remote; texts are resolved. */
export type GitAuth =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string };

/** The repository that is followed. */
export interface RepositorySettings {
  /** https, http, or a local path. */
  readonly url: string;
  readonly branch: string;
  /** Under the repository's root, without slashes at its ends; empty for all. */
  readonly path: string;
  readonly ignore: readonly string[];
  readonly intervalMs: number;
  /** How many commits back a last good revision is looked for. */
  readonly history: number;
  readonly auth: GitAuth;
  /** PEM text, or null for the system's authorities. */
  readonly ca: string | null;
  readonly proxy: string | null;
  /** The time limit of one fetch, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest pack that is taken. */
  readonly packLimitBytes: number;
}

/** TLS towards a destination; PEM texts. */
export interface TlsSettings {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly serverName: string | null;
}

/** How a destination is reached, by its type. */
export type Connection =
  | {
      readonly type: 'kong';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly workspace: string | null;
      readonly tls: TlsSettings;
    }
  | {
      readonly type: 'dbless';
      readonly nodes: readonly string[];
      /** A name to find the nodes by, in the place of `nodes`: `[https://]host:port`, or a service without a port. */
      readonly dns?: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly tls: TlsSettings;
      /** `all`, or how many nodes have to confirm. */
      readonly quorum: 'all' | number;
    }
  | {
      readonly type: 'konnect';
      /** Base URL of the region's API, such as `https://eu.api.konghq.com`. */
      readonly url: string;
      /** Name or id. */
      readonly controlPlane: string;
      readonly token: string;
      readonly tls: TlsSettings;
    };

/** What may be done to a destination. */
export interface Policy {
  readonly onInvalid: 'reject' | 'quarantine';
  readonly prune: boolean;
  readonly adopt: boolean;
  /** A plan is held when it deletes more than `share` (0 to 1) of what is live in scope and more than `atLeast`. */
  readonly maxDelete: { readonly share: number; readonly atLeast: number };
  readonly drift: 'correct' | 'report' | 'ignore';
  readonly driftIntervalMs: number;
  /** `KIND/NAME` or `KIND/NAME/FIELD/…`, with `*` for anything: what others may change. */
  readonly driftIgnore: readonly string[];
  /** The same patterns: what is reported and left while all else is corrected. */
  readonly driftReport: readonly string[];
  /** Tags of live entities that are never deleted. */
  readonly protect: readonly string[];
  /** What is done when a probe fails after a delivery. */
  readonly onUnhealthy: 'hold' | 'rollback';
}

/** One request that tells whether what was delivered works. */
export interface ProbeSettings {
  readonly url: string;
  readonly expectStatus: number;
  readonly timeoutMs: number;
  /** How long it may take to become healthy after a delivery. */
  readonly withinMs: number;
}

/** When a destination gets a revision, and how it is told whether that was good. */
export interface Rollout {
  /** Destinations that have to have confirmed a revision first. */
  readonly after: readonly string[];
  /** How long they have to have stayed as confirmed. */
  readonly soakMs: number;
  readonly windows: readonly Window[];
  /** No revision goes out before `until`, in milliseconds since 1970. */
  readonly freeze: { readonly until: number; readonly reason: string | null } | null;
  readonly probes: readonly ProbeSettings[];
  /** How long nodes that read a database may take to follow a write. */
  readonly updateIntervalMs: number;
}

/** Bounds on the requests to a destination. */
export interface Limits {
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** The largest answer that is read. */
  readonly bodyLimitBytes: number;
  /** The largest body that a DB-less node takes (`nginx_admin_client_max_body_size`). */
  readonly configLimitBytes: number;
}

/** One place that configuration is delivered to. */
export interface DestinationSettings {
  readonly name: string;
  readonly connection: Connection;
  readonly include: readonly string[];
  readonly exclude: {
    readonly kinds: readonly string[];
    readonly tags: readonly string[];
    readonly files: readonly string[];
    readonly prune: boolean;
  };
  readonly tags: readonly string[];
  readonly rollout: Rollout;
  readonly policy: Policy;
  readonly limits: Limits;
}

/** What offline checks assume of a Kong. */
export interface KongAssumptions {
  readonly version: string;
  readonly edition: 'oss' | 'enterprise';
  readonly router: 'traditional' | 'traditional_compatible' | 'expressions';
  /** Whether the configuration says which edition it is; else it is only taken to be open source. */
  readonly editionSaid?: boolean;
}

/** The HTTP server of the daemon. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  /** The address under which people reach the server, for links in commit statuses; null where there is none. */
  readonly publicUrl: string | null;
}

/**
 * Konverge's own configuration, parsed. Each section is a function because a `${…}` in it is resolved only when the
 * section is needed; it throws ConfigurationError, naming the key, when that fails.
 */
export interface Configuration {
  /** The file it was read from, for messages; null where there is none. */
  readonly file: string | null;
  readonly destinationNames: readonly string[];
  /** Null where the configuration has no repository. */
  repository(): RepositorySettings | null;
  /** Which signatures the repository's commits have to have, null where none: needs no secret. */
  verify(): VerifySettings | null;
  /** Which files of the repository are read: needs no secret, nor a repository. */
  files(): Pick<RepositorySettings, 'path' | 'ignore'>;
  destination(name: string): DestinationSettings;
  /** What a destination gets of the repository, without its connection: needs no secret. */
  scope(name: string): Pick<DestinationSettings, 'include' | 'exclude' | 'tags'> & {
    readonly workspace: string | null;
    readonly controlPlane: string | null;
    /** How the destination keeps its configuration, where the configuration tells; else null. */
    readonly mode: 'dbless' | 'konnect' | null;
  };
  policy(): Policy;
  /** The policy of a destination: needs no secret. */
  policyOf(name: string): Policy;
  /** What a destination claims, as it is written: needs no secret. */
  claim(name: string): Claim;
  rules(): { readonly [rule: string]: 'error' | 'warning' | 'off' };
  kong(): KongAssumptions;
  /**
   * The file of the schemas that offline checks for a destination, or for none in particular (null), go by; null where
   * there is none. Its form is not checked.
   */
  schemas(name: string | null): SchemasFile | null;
  /** Where the schemas of a destination are kept: relative to the folder of the process, as the configuration file is. */
  schemasPath(name: string): string;
  /** How Kubernetes manifests are read. */
  kubernetes(): KubernetesConfiguration;
  status(): StatusSettings;
  /** Where outcomes are posted for people. */
  notify(): readonly NotifySettings[];
  /** How pull requests are reviewed; null where they are not. */
  review(): ReviewSettings | null;
  server(): ServerSettings;
  /** The folder for what is kept between runs (the Git store). Losing it costs a fetch, nothing else. */
  storage(): { readonly path: string };
}
