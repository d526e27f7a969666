import type { RenderHeader } from '../dialect/deck/render.ts';
import type { ObjectStatus } from '../dialect/kubernetes/conditions.ts';
import type { KubernetesSettings } from '../dialect/kubernetes/settings.ts';
import type { DocumentCache } from '../manifest/document-cache.ts';
import type { ManifestLimits } from '../manifest/limits.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { KindName } from '../model/kind.ts';
import type { Location } from '../model/location.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { State } from '../model/state.ts';
import type { DestinationMode } from '../rules/rule.ts';
import type { Schemas } from '../schema/schema.ts';
import type { LeftOut, UnreadableFile } from './quarantine.ts';

/** What part of a repository one destination gets, and what it is. */
export interface Scope {
  /** The destination's name, for what is said about it. */
  readonly destination?: string;
  /** Globs under the repository's path; empty for all files. */
  readonly include: readonly string[];
  readonly excludeFiles: readonly string[];
  readonly excludeKinds: readonly KindName[];
  /** Entities with any of these tags are left out. */
  readonly excludeTags: readonly string[];
  /** The destination's own `tags`: added to every entity, and the bound of what is owned. */
  readonly tags: readonly string[];
  /** The workspace, or null for the default one. */
  readonly workspace: string | null;
  /** The control plane's name, of a Konnect destination; null otherwise. A file's `_konnect` has to agree. */
  readonly controlPlane: string | null;
  /** How the destination keeps its configuration, where the configuration says so; not known where it is left out. */
  readonly mode?: DestinationMode | null;
}

/** All that a build depends on besides the snapshot. */
export interface BuildSettings {
  /** Null: everything, as `validate` without a destination sees it. */
  readonly scope: Scope | null;
  readonly schemas: Schemas;
  /** Severities of rules that the configuration changes. */
  readonly rules: { readonly [rule: string]: Severity | 'off' };
  /** A variable of the environment, or undefined where it is not set. */
  readonly environment: (name: string) => string | undefined;
  /**
   * Whether other values stand for those of the environment, as a review of other people's changes asks for: each
   * variable has one of its own, and what only the real one could get wrong is not found. `where-unset`: only in the place
   * of what is not set.
   */
  readonly standIns?: boolean | 'where-unset';
  /** How the destination keeps its configuration, once it was asked; it wins over what the scope says. */
  readonly mode?: DestinationMode | null;
  /** The instant at which certificates and the like are judged, in milliseconds since 1970. */
  readonly instant: number;
  /** Patterns of files that are not read (`repository.ignore`), in the manner of gitignore. */
  readonly ignore?: readonly string[];
  /** Konverge's own configuration files, which are no manifests. */
  readonly configuration?: readonly string[];
  /** Files that a person named: read whatever they are called. */
  readonly named?: readonly string[];
  readonly limits?: ManifestLimits;
  /** How Kubernetes manifests are read; as a controller reads them by default where it is left out. */
  readonly kubernetes?: KubernetesSettings;
  /**
   * What is taken for broken and has no last good version: objects as `KIND/NAMESPACE/NAME` (`KIND/NAME` where there is
   * no namespace) and entities as `KIND/NAME`. It and all that depends on it is left out.
   */
  readonly quarantine?: readonly string[];
  /** Parsed files of earlier builds. It changes what a build costs, never what it gives. */
  readonly cache?: DocumentCache | null;
}

/** What a snapshot builds to. */
export interface Built {
  readonly revision: string | null;
  /** What could be read of the target state, broken parts included. */
  readonly state: State;
  /** The state's digest, or null when the state is not complete and valid. */
  readonly digest: string | null;
  /** What the files say about themselves, for writing the state down again. */
  readonly header?: RenderHeader;
  /** Findings about values that the environment happens to hold, in checks of the files for no Kong in particular. */
  readonly unfit?: readonly Diagnostic[];
  /** The entities that a finding is about although the state has none of them; not known where it is undefined. */
  readonly partOf?: (diagnostic: Diagnostic) => UnreadableFile['covers'];
  /** What a controller would write to the status of each Kubernetes object. */
  readonly objects?: readonly ObjectStatus[];
  /** Where the files say which tags bound what is owned. */
  readonly tagPlaces?: readonly Location[];
  /** The files that were read. */
  readonly files?: ReadonlySet<string>;
  /** The entries that it was built from. */
  readonly entries?: Snapshot['entries'];
  /** Builds it with other entries in their place. */
  readonly rebuild?: (entries: Snapshot['entries']) => Built;
  /** The revision as it is written, where `state` is only what remains of it. */
  readonly written?: State;
  /** Everything found, sorted. */
  readonly diagnostics: readonly Diagnostic[];
  /** No diagnostic is an error. */
  readonly valid: boolean;
  /** Which router it was checked for. */
  readonly router?: Schemas['router'];
  /** What the rules find in another state in this one's place: one from which something was left out. */
  readonly recheck?: (state: State) => readonly Diagnostic[];
  /**
   * What is not as the revision has it, where broken parts of it were put in quarantine: `state` and `digest` are then
   * those of what remains, and may be delivered.
   */
  readonly quarantine?: Quarantine;
}

/** What quarantine did with a revision. */
export interface Quarantine {
  readonly leftOut: readonly LeftOut[];
  /** Why nothing may go out, in one sentence; null where the rest does. */
  readonly refused: string | null;
}

/** Whether a state may be delivered: it is valid, or what remains of it is. */
export function isDeliverable(built: Built): boolean {
  return built.valid || (built.quarantine !== undefined && built.quarantine.refused === null);
}

/** Whether errors kept something of a revision from going out, so that what is delivered is not all that it says. */
export function isDegraded({ quarantine }: Built): boolean {
  return quarantine !== undefined && quarantine.refused === null;
}

/** The pure function that every command, the daemon and a review call. */
export type Build = (snapshot: Snapshot, settings: BuildSettings) => Built;
