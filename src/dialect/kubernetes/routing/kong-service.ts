import type { Json, JsonPath } from '../../../model/json.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import type { FieldPlace } from '../objects/object-source.ts';

/** How a port of a Service is named. */
export type PortRef =
  | { readonly by: 'number'; readonly number: number }
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'implicit' };

/** What a Kong service sends requests to: a Service, or a facade of one. */
export interface Backend {
  readonly kind: 'Service' | 'KongServiceFacade';
  readonly namespace: string;
  readonly name: string;
  readonly port: PortRef;
  /** Null where none was given. */
  readonly weight: number | null;
  /** Who names it, and where. */
  readonly owner: KubeObject;
  readonly path: JsonPath;
}

/** A plugin that is written nowhere: it carries out a filter, an annotation, or the answer to a missing backend. */
export interface MadePlugin {
  readonly name: string;
  readonly config: { readonly [key: string]: Json };
  /** Null for none. */
  readonly tags: readonly string[] | null;
  readonly owner: KubeObject;
  readonly path: JsonPath;
}

/** A route on its way to Kong. */
export interface KongRoute {
  readonly name: string;
  readonly owner: KubeObject;
  /** Everything but the name; annotations change it. */
  readonly fields: { [field: string]: Json };
  readonly places: readonly FieldPlace[];
  readonly made: MadePlugin[];
  /** Names of plugins that filters of the rule refer to, besides those of the annotation. */
  readonly extensions: readonly { readonly name: string; readonly path: JsonPath }[];
}

/** A service on its way to Kong, with its routes. */
export interface KongService {
  readonly name: string;
  readonly host: string;
  /** The object that it is made of. */
  readonly parent: KubeObject;
  readonly fields: { [field: string]: Json };
  readonly routes: KongRoute[];
  readonly made: MadePlugin[];
  readonly backends: readonly Backend[];
}

/** Whether what has this name, a service or an upstream, is known by the number of a rule of a route. */
export function isNumbered(name: string, route: KubeObject): boolean {
  const [, prefix = ''] = /^(.*\.)\d+$/.exec(name) ?? [];
  return prefix.endsWith(`.${route.namespace}.${route.name}.`);
}

/** What every service with a protocol above UDP starts from. */
export const serviceDefaults: { readonly [field: string]: Json } = {
  connect_timeout: 60_000,
  read_timeout: 60_000,
  write_timeout: 60_000,
  retries: 5,
};

/** The port for a name: its number, its name, or a word for the only one. */
export function portText(port: PortRef): string {
  switch (port.by) {
    case 'number':
      return String(port.number);
    case 'name':
      return port.name;
    case 'implicit':
      return 'implicitPort';
  }
}

/** Services by their names; two objects that make a service of one name share it only where they are of one sort. */
export class KongServices {
  readonly #services = new Map<string, KongService>();

  get(name: string): KongService | undefined {
    return this.#services.get(name);
  }

  add(service: KongService): KongService {
    this.#services.set(service.name, service);
    return service;
  }

  get all(): readonly KongService[] {
    return [...this.#services.values()];
  }
}
