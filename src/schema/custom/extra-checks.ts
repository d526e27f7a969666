import type { JsonObject } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { EntityCheck, ExtraChecks, FieldCheck } from '../check.ts';
import { routeExpression } from '../expression/check.ts';
import type { RecordSchema, Schemas } from '../schema.ts';
import {
  certificate,
  certificateAuthority,
  certificatePair,
  jwtPublicKey,
  keyMaterial,
  privateKey,
} from './key-material.ts';
import {
  addressOrBlock,
  cookieName,
  entityName,
  headerName,
  host,
  noDuplicates,
  routeHost,
  sni,
  tag,
  targetAddress,
  upstreamName,
} from './names.ts';
import { routePath, routePatternsRun, urlPath } from './paths.ts';
import { pluginChecks } from './plugin-checks.ts';
import { routeMatches } from './route-checks.ts';
import { storedForm } from './transformations.ts';
import { redirectUri } from './urls.ts';

interface KindChecks {
  readonly fields?: { readonly [path: string]: FieldCheck };
  readonly entity?: readonly EntityCheck[];
}

/** What Kong checks of each kind that its served schemas do not say. */
const byKind: { readonly [K in KindName]?: KindChecks } = {
  services: { fields: { name: entityName, host, path: urlPath } },
  routes: {
    fields: {
      name: entityName,
      'hosts/*': routeHost,
      'paths/*': routePath,
      'snis/*': sni,
      'headers/**': headerName,
      'sources/*/ip': addressOrBlock,
      'destinations/*/ip': addressOrBlock,
    },
  },
  plugins: { fields: { instance_name: entityName } },
  upstreams: {
    fields: {
      name: upstreamName,
      host_header: routeHost,
      hash_on_header: headerName,
      hash_fallback_header: headerName,
      hash_on_cookie: cookieName,
      hash_on_cookie_path: urlPath,
      'healthchecks/active/https_sni': sni,
      'healthchecks/active/http_path': urlPath,
      'healthchecks/active/headers/**': headerName,
    },
  },
  targets: { fields: { target: targetAddress } },
  certificates: {
    fields: {
      cert: certificate,
      key: privateKey,
      cert_alt: certificate,
      key_alt: privateKey,
      snis: noDuplicates,
      'snis/*': sni,
    },
    entity: [certificatePair],
  },
  ca_certificates: { fields: { cert: certificate }, entity: [certificateAuthority] },
  snis: { fields: { name: sni } },
  key_sets: { fields: { name: entityName } },
  keys: { fields: { name: entityName }, entity: [keyMaterial] },
  jwt_secrets: { entity: [jwtPublicKey] },
  oauth2_credentials: { fields: { 'redirect_uris/*': redirectUri } },
};

/** The checks of one entity beside its schema document. */
export function extraChecks(
  schema: RecordSchema,
  kind: KindName,
  value: JsonObject,
  router: Schemas['router'],
): ExtraChecks {
  const own = byKind[kind];
  const name = value['name'];
  const plugin =
    kind === 'plugins' && typeof name === 'string' && Object.hasOwn(pluginChecks, name)
      ? pluginChecks[name]
      : undefined;
  return {
    fields: {
      'tags/*': tag,
      ...own?.fields,
      ...plugin?.fields,
    },
    entity: [
      ...(own?.entity ?? []),
      ...(kind === 'routes' ? [routeMatches(schema.fields['expression'] !== undefined), routeExpression] : []),
      ...(kind === 'routes' && router !== 'traditional' ? [routePatternsRun] : []),
      ...(plugin?.entity ?? []),
    ],
    stored: (filled) => storedForm(kind, value, filled),
  };
}
