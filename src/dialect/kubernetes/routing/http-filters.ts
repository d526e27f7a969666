import type { Json, JsonObject, JsonPath } from '../../../model/json.ts';
import { tagsOf } from '../objects/tags.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import type { HttpRule } from './http-routes.ts';
import type { KongRoute, MadePlugin } from './kong-service.ts';
import { redirectPlugins } from './redirect.ts';
import { prefixPaths, prefixUri } from './url-rewrite.ts';

/** What the filters of a rule come to. */
export interface HttpFilters {
  readonly plugins: readonly MadePlugin[];
  readonly extensions: KongRoute['extensions'];
  /** The paths of the route in place of those of the match; null where they stay. */
  readonly paths: readonly string[] | null;
}

/** The settings of request-transformer and response-transformer that filters are carried out by. */
interface Transformer {
  readonly replace: { readonly headers: string[]; uri: string | null };
  readonly add: string[];
  readonly append: string[];
  readonly remove: string[];
}

/** The filters of a rule as plugins; `path` is that of the match, which some of them need (kic.md 6.5). */
export function httpFilters(rule: HttpRule, path: string | null, to: Translation): HttpFilters {
  return new FilterReader(rule, path, to).read();
}

class FilterReader {
  readonly #rule: HttpRule;
  readonly #path: string | null;
  readonly #to: Translation;
  readonly #plugins: { readonly name: string; readonly config: { [key: string]: Json }; readonly at: JsonPath }[] = [];
  readonly #transformers = new Map<string, { readonly made: Transformer; readonly at: JsonPath }>();
  readonly #extensions: { readonly name: string; readonly path: JsonPath }[] = [];
  #paths: readonly string[] | null = null;

  constructor(rule: HttpRule, path: string | null, to: Translation) {
    this.#rule = rule;
    this.#path = path;
    this.#to = to;
  }

  read(): HttpFilters {
    for (const { index, item } of objectsAt(this.#rule.value, 'filters')) {
      this.#readFilter(item, [...this.#rule.path, 'filters', index]);
    }
    const { route } = this.#rule;
    const transformers = [...this.#transformers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { made, at }]) => ({ name, config: configOf(made), at }));
    const plugins = [...this.#plugins, ...transformers].map(
      ({ name, config, at }): MadePlugin => ({
        name,
        config,
        tags: tagsOf(route, [this.#rule.name]),
        owner: route,
        path: at,
      }),
    );
    return { plugins, extensions: this.#extensions, paths: this.#paths };
  }

  #readFilter(filter: JsonObject, at: JsonPath): void {
    const type = textAt(filter, 'type');
    switch (type) {
      case 'RequestHeaderModifier':
        this.#modify('request-transformer', objectAt(filter, 'requestHeaderModifier'), at);
        break;
      case 'ResponseHeaderModifier':
        this.#modify('response-transformer', objectAt(filter, 'responseHeaderModifier'), at);
        break;
      case 'RequestRedirect':
        this.#redirect(objectAt(filter, 'requestRedirect') ?? {}, at);
        break;
      case 'URLRewrite':
        this.#rewrite(objectAt(filter, 'urlRewrite') ?? {}, at);
        break;
      case 'ExtensionRef':
        this.#extend(objectAt(filter, 'extensionRef') ?? {}, [...at, 'extensionRef']);
        break;
      default:
        this.#refuse(
          [...at, 'type'],
          `The filter ${type ?? 'without a type'} cannot be carried out by Kong`,
          'Remove it.',
        );
    }
  }

  #modify(name: string, modifier: JsonObject | null, at: JsonPath): void {
    const transformer = this.#transformer(name, at);
    const set = headerTexts(modifier, 'set');
    for (const one of set) transformer.replace.headers.push(one);
    for (const one of set) transformer.add.push(one);
    for (const one of headerTexts(modifier, 'add')) transformer.append.push(one);
    for (const one of textsAt(modifier ?? undefined, 'remove')) transformer.remove.push(one);
  }

  #redirect(filter: JsonObject, at: JsonPath): void {
    if (textAt(filter, 'path', 'type') === 'ReplacePrefixMatch') {
      const hint = 'Use ReplaceFullPath.';
      this.#refuse([...at, 'requestRedirect', 'path'], 'A redirect can replace a whole path only', hint);
      return;
    }
    const whole = this.#to.settings.apiDefaults ? this.#withHostname(filter, at) : filter;
    if (whole === null) return;
    const { plugin, locationHeader } = redirectPlugins(whole, this.#path ?? '', this.#to.kong.redirectPlugin);
    this.#plugins.push({ ...plugin, at });
    if (locationHeader !== null) this.#transformer('response-transformer', at).add.push(locationHeader);
  }

  /** A redirect to the request's own host, which no plugin of Kong knows: that of the route where it has one only. */
  #withHostname(filter: JsonObject, at: JsonPath): JsonObject | null {
    const lacks = (field: string) => filter[field] === undefined;
    const isSecure = textAt(filter, 'scheme') === 'https';
    if (!lacks('hostname')) return isSecure && lacks('port') ? { ...filter, port: 443 } : filter;
    const place = [...at, 'requestRedirect'];
    if (lacks('scheme') && lacks('port')) {
      if (!lacks('path')) return filter;
      this.#refuse(place, 'This redirect leads to itself', 'Give it a hostname, a scheme or a path.');
      return null;
    }
    const [hostname, another] = this.#to.gateways.hostnames(this.#rule.route);
    const port = filter['port'] ?? (isSecure ? 443 : 80);
    if (hostname !== undefined && another === undefined && !hostname.startsWith('*'))
      return { ...filter, hostname, port };
    const hint =
      'Name it; or, for HTTPS, remove the filter and annotate the route with konghq.com/protocols: https and a konghq.com/https-redirect-status-code.';
    this.#refuse(place, 'A redirect needs a `hostname` where the route has not exactly one', hint);
    return null;
  }

  #rewrite(filter: JsonObject, at: JsonPath): void {
    const transformer = this.#transformer('request-transformer', at);
    const hostname = textAt(filter, 'hostname');
    const path = objectAt(filter, 'path');
    if (path === null && hostname === null) {
      this.#refuse([...at, 'urlRewrite'], 'A URLRewrite needs `path` or `hostname`', 'Add one of them.');
    }
    if (hostname !== null) {
      transformer.replace.headers.push(`host:${hostname}`);
      transformer.add.push(`host:${hostname}`);
    }
    if (path === null) return;
    if (textAt(path, 'type') === 'ReplacePrefixMatch') {
      transformer.replace.uri = prefixUri(textAt(path, 'replacePrefixMatch'), this.#path ?? '/');
      this.#paths = prefixPaths(this.#path ?? '/');
      return;
    }
    const full = textAt(path, 'replaceFullPath');
    if (full !== null) transformer.replace.uri = full;
    else this.#refuse([...at, 'urlRewrite', 'path'], 'ReplaceFullPath needs `replaceFullPath`', 'Add it.');
  }

  #extend(reference: JsonObject, at: JsonPath): void {
    const [group, kind, name] = ['group', 'kind', 'name'].map((key) => textAt(reference, key) ?? '');
    if (group === 'configuration.konghq.com' && kind === 'KongPlugin' && name !== undefined) {
      this.#extensions.push({ name, path: [...at, 'name'] });
    } else {
      const hint = 'Only a KongPlugin of the group configuration.konghq.com can be one.';
      this.#refuse([...at, 'kind'], `A filter cannot be a ${kind}`, hint);
    }
  }

  #transformer(name: string, at: JsonPath): Transformer {
    const known = this.#transformers.get(name);
    if (known !== undefined) return known.made;
    const made: Transformer = { replace: { headers: [], uri: null }, add: [], append: [], remove: [] };
    this.#transformers.set(name, { made, at });
    return made;
  }

  /** Without the filter the rule would do something else than was asked for. */
  #refuse(path: JsonPath, message: string, hint: string): void {
    const { route } = this.#rule;
    this.#to.findings.error('kubernetes-route', { object: route, path }, message, hint, {
      condition: ['Accepted', 'UnsupportedValue'],
    });
  }
}

function headerTexts(modifier: JsonObject | null, field: string): readonly string[] {
  return objectsAt(modifier ?? undefined, field).map(({ item }) => `${textAt(item, 'name')}:${textAt(item, 'value')}`);
}

function configOf({ replace, add, append, remove }: Transformer): { [key: string]: Json } {
  const headers = (list: readonly string[]): Json => ({ headers: list });
  const replaced = {
    ...(replace.headers.length > 0 ? { headers: replace.headers } : {}),
    ...(replace.uri === null ? {} : { uri: replace.uri }),
  };
  return {
    ...(Object.keys(replaced).length > 0 ? { replace: replaced } : {}),
    ...(add.length > 0 ? { add: headers(add) } : {}),
    ...(append.length > 0 ? { append: headers(append) } : {}),
    ...(remove.length > 0 ? { remove: headers(remove) } : {}),
  };
}
