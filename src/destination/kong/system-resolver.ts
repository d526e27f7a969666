import { promises as dns } from 'node:dns';
import type { Resolver } from './fleet.ts';

/** The name servers that the machine is set up with. A host without addresses of one family is no failure. */
export const systemResolver: Resolver = {
  addresses: async (host) => {
    const [four, six] = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).sort();
  },
  services: async (name) => {
    const found = await dns.resolveSrv(name);
    return found.map(({ name: host, port }) => ({ name: host, port }));
  },
};
