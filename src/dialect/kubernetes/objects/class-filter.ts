import type { KubernetesFindings } from '../findings.ts';
import { type KubeObject, shownObject } from './kube-object.ts';
import type { ObjectStore } from './store.ts';
import { textAt } from './values.ts';

/** The annotation that names an object's class. */
export const classAnnotation = 'kubernetes.io/ingress.class';

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';

/** Which objects belong to the class that is meant (kic.md 4.6); what does not is passed over with a remark. */
export class ClassFilter {
  readonly #class: string;
  readonly #store: ObjectStore;
  readonly #findings: KubernetesFindings;

  constructor(ingressClass: string, store: ObjectStore, findings: KubernetesFindings) {
    this.#class = ingressClass;
    this.#store = store;
    this.#findings = findings;
  }

  /** Whether our class is the one of objects that name none. */
  get isDefault(): boolean {
    const object = this.#store.get('IngressClass', '', this.#class);
    return object?.annotations.get(defaultAnnotation) === 'true';
  }

  /** The Ingresses of the class: the annotation decides, then the field, then the default class. */
  ingresses(): readonly KubeObject[] {
    return this.#store.list('Ingress').filter((object) => {
      const written = this.classOf(object);
      return this.#tell(object, written === null ? this.isDefault : written === this.#class, written);
    });
  }

  /** The class that an Ingress names, or null. */
  classOf(ingress: KubeObject): string | null {
    const annotation = ingress.annotations.get(classAnnotation) ?? '';
    if (annotation !== '') return annotation;
    const field = textAt(ingress.value, 'spec', 'ingressClassName') ?? '';
    return field === '' ? null : field;
  }

  /** The objects of a kind whose annotation names the class, of those that it matters for. */
  annotated(kind: string, matters: (object: KubeObject) => boolean = () => true): readonly KubeObject[] {
    return this.#store.list(kind).filter((object) => {
      if (!matters(object)) return false;
      const written = object.annotations.get(classAnnotation) ?? '';
      return this.#tell(object, written === '' ? this.isDefault : written === this.#class, written || null);
    });
  }

  /** The custom entities whose `spec.controllerName` names the class. */
  customEntities(): readonly KubeObject[] {
    return this.#store.list('KongCustomEntity').filter((object) => {
      const written = textAt(object.value, 'spec', 'controllerName') ?? '';
      return this.#tell(object, written === '' ? this.isDefault : written === this.#class, written || null);
    });
  }

  #tell(object: KubeObject, belongs: boolean, written: string | null): boolean {
    if (belongs) return true;
    const named = written === null ? 'names no class' : `is of the class ${JSON.stringify(written)}`;
    const message = `${shownObject(object)} ${named}, and objects of the class ${JSON.stringify(this.#class)} are read`;
    const hint = `Set ${placeOfClass(object)}, or kubernetes.ingressClass of the configuration, if it is meant.`;
    this.#findings.ignored(object, message, hint, written === null ? 'warning' : 'info');
    return false;
  }
}

/** Where an object says its class: an annotation, unless its kind has a field for it. */
function placeOfClass({ kind, annotations }: KubeObject): string {
  if (kind === 'KongCustomEntity') return 'spec.controllerName';
  const isField = kind === 'Ingress' && (annotations.get(classAnnotation) ?? '') === '';
  return isField ? 'spec.ingressClassName' : `the annotation ${classAnnotation}`;
}
