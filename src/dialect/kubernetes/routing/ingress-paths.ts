import type { JsonPath } from '../../../model/json.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { anyOf, type Matcher, matchText } from './expression.ts';

/** One path of an Ingress, repeated slashes taken out. */
export interface IngressPath {
  readonly path: string;
  readonly type: string;
  /** Where it stands in the Ingress. */
  readonly at: JsonPath;
}

/** What a path of a route begins with that is a regular expression. */
const kongMarker = '~';

/** What a path begins with in an Ingress that is a regular expression. */
const defaultMarker = '/~';

/** What marks a path of an Ingress as a regular expression: the annotation's text, or `/~`. */
export function regexMarker(ingress: KubeObject): string {
  return ingress.annotations.get('konghq.com/regex-prefix') || defaultMarker;
}

/** The paths of a Kong route that do what a path of an Ingress asks for (kic.md 6.4). */
export function kongPaths({ path, type }: IngressPath): readonly string[] {
  switch (type) {
    case 'Prefix': {
      const base = path.replace(/^\/+|\/+$/g, '');
      return base === '' ? ['/'] : [`/${base}/`, `${kongMarker}/${base}$`];
    }
    case 'Exact':
      return [`${kongMarker}/${path.replace(/^\/+/, '')}$`];
    default:
      return [path];
  }
}

/** What makes a marked path a regular expression of Kong's; with `legacy` also one that looks like it. */
export function withRegexMarker(marker: string, legacy: boolean): (path: string) => string {
  return (path) => {
    if (path.startsWith(marker)) return kongMarker + path.slice(marker.length);
    if (!legacy || path.startsWith(kongMarker) || /^[a-zA-Z0-9.\-_~/%]*$/.test(path)) return path;
    return kongMarker + path;
  };
}

/** The expression's part for a path of an Ingress (kic.md 6.8). */
export function ingressPathMatcher({ path, type }: IngressPath, marker: string): Matcher {
  switch (type) {
    case 'Prefix': {
      const base = path.replace(/^\/+|\/+$/g, '');
      if (base === '') return matchText('http.path', '^=', '/');
      return anyOf(matchText('http.path', '==', `/${base}`), matchText('http.path', '^=', `/${base}/`));
    }
    case 'Exact':
      return matchText('http.path', '==', `/${path.replace(/^\/+/, '')}`);
    default: {
      if (!path.startsWith(marker)) return matchText('http.path', '^=', path);
      const regex = path.slice(marker.length) || '^/';
      return matchText('http.path', '~', regex.startsWith('^') ? regex : `^${regex}`);
    }
  }
}
