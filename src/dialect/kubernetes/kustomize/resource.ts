import { isClusterScoped } from '../objects/kinds.ts';
import { mappingUnder, type Place, type Traced, type TracedMapping, tracedText } from './traced.ts';

/** A name that an object has or had. */
export interface ResourceName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object while its folder is built. */
export class Resource {
  readonly tree: TracedMapping;
  /** What it was called before, the first name first. */
  readonly former: ResourceName[] = [];
  /** What was put before and behind its name, so that names of the same build can be told from those of another. */
  readonly affixes: string[] = [];
  /** Whether its name ends in a hash of what it holds. */
  needsHash = false;

  /** An object as it is written. */
  constructor(tree: TracedMapping) {
    this.tree = tree;
  }

  /** Its API group; empty for the core group. */
  get group(): string {
    const written = tracedText(this.tree, 'apiVersion') ?? '';
    return written.includes('/') ? (written.split('/')[0] ?? '') : '';
  }

  /** Its API version without the group. */
  get version(): string {
    return (tracedText(this.tree, 'apiVersion') ?? '').split('/').at(-1) ?? '';
  }

  /** Its kind. */
  get kind(): string {
    return tracedText(this.tree, 'kind') ?? '';
  }

  /** Its name as it is now. */
  get name(): string {
    return tracedText(this.tree, 'metadata', 'name') ?? '';
  }

  /** Its namespace as it is now, as written. */
  get namespace(): string {
    return tracedText(this.tree, 'metadata', 'namespace') ?? '';
  }

  /** All names that it has had, and the one that it has. */
  get names(): readonly ResourceName[] {
    return [...this.former, this.#current];
  }

  /** What tells it apart from others. */
  get id(): string {
    return `${this.group}/${this.version}/${this.kind}/${effective(this.namespace)}/${this.name}`;
  }

  /** It in words. */
  get shown(): string {
    return `${this.kind} ${JSON.stringify(this.namespace === '' ? this.name : `${this.namespace}/${this.name}`)}`;
  }

  /** Whether it stands in a namespace, as far as is known. */
  get isNamespaced(): boolean {
    // Kustomize knows of no resource that is defined by others.
    const builtIn = this.group !== 'gateway.networking.k8s.io' && /^$|\.k8s\.io$/.test(this.group);
    return !(builtIn && (isClusterScoped(this.kind) === true || clusterKinds.has(this.kind)));
  }

  /** Whether a name that something is called by is or was its own. */
  wasCalled({ kind, namespace, name }: ResourceName): boolean {
    return this.names.some(
      (known) =>
        known.kind === kind &&
        known.name === name &&
        (!this.isNamespaced || effective(known.namespace) === effective(namespace)),
    );
  }

  /** Keeps the name that it has among its former ones. */
  remember(): void {
    this.former.push(this.#current);
  }

  /** Gives it a text in its metadata; the place is that of the text before, or the one given. */
  rename(field: 'name' | 'namespace', value: string, place: Place): void {
    const metadata = mappingUnder(this.tree, 'metadata', place);
    const before = metadata.value.get(field);
    const made: Traced = { place: field === 'name' ? (before?.place ?? place) : place, value };
    metadata.value.set(field, made);
  }

  get #current(): ResourceName {
    return { kind: this.kind, namespace: this.namespace, name: this.name };
  }
}

/** The namespace that is meant where none is written. */
function effective(namespace: string): string {
  return namespace === '' ? 'default' : namespace;
}

/** Kinds of Kubernetes that stand in no namespace and that are not read, so that no other list has them. */
const clusterKinds: ReadonlySet<string> = new Set([
  'APIService',
  'CSIDriver',
  'CSINode',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'ValidatingWebhookConfiguration',
]);
