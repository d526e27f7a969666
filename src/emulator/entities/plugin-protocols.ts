import { isJsonArray, type Json, type JsonObject } from '../../model/json.ts';
import { type Answer, schemaViolation } from '../http/answers.ts';
import type { Gateway } from '../state/gateway.ts';
import { referenceId, type Stored } from '../state/store.ts';

/**
 * Refuses a plugin that could never run: one whose protocols its route has none of, or none of the routes of its
 * service. Null where nothing is wrong. Kong looks at this before it looks at the plugin's schema.
 */
export function protocolClash(gateway: Gateway, plugin: JsonObject): Answer | null {
  const { protocols, route, service } = plugin;
  if (!isJsonArray(protocols)) return null;
  const routeId = referenceId(route);
  const serviceId = referenceId(service);
  if (routeId !== null) {
    const own = gateway.store.get('routes', routeId);
    return own === undefined || shares(protocols, own) ? null : refused('the route has none of these');
  }
  if (serviceId === null) return null;
  const routes = gateway.store.childrenOf('routes', 'service', serviceId);
  const isServed = routes.length === 0 || routes.some((own) => shares(protocols, own));
  return isServed ? null : refused('no route of the service has any of these');
}

function shares(protocols: readonly Json[], route: Stored): boolean {
  const own = route['protocols'];
  return isJsonArray(own) && protocols.some((protocol) => own.includes(protocol));
}

function refused(message: string): Answer {
  return schemaViolation({ protocols: message });
}
