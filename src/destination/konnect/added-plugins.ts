import { z } from 'zod';
import type { AddedPlugins } from '../destination.ts';
import { type RequestWorld, send, statusOf } from '../requests.ts';

const list = z.object({
  items: z.array(z.object({ name: z.string() })).optional(),
  data: z.array(z.object({ name: z.string() })).optional(),
});

/** Where a control plane lists plugins that were added to it: schemas alone, plugins with their code, and clones. */
const collections = ['plugin-schemas?page%5Bsize%5D=1000', 'custom-plugins?size=1000', 'cloned-plugins?size=1000'];

/** The plugins that were added to a control plane. A collection that it does not have holds none. Throws Failure. */
export async function addedPlugins(world: RequestWorld, prefix: string, signal: AbortSignal): Promise<AddedPlugins> {
  const answers = await Promise.all(
    collections.map(async (path): Promise<AddedPlugins> => {
      try {
        const answer = await send(world, { method: 'GET', path: `${prefix}/${path}` }, signal);
        const { items = [], data = [] } = list.safeParse(answer.json).data ?? {};
        return { names: [...items, ...data].map(({ name }) => name), withheld: [] };
      } catch (thrown) {
        const status = statusOf(thrown);
        if (status === 404) return { names: [], withheld: [] };
        if (status === 403) return { names: [], withheld: [path.replace(/\?.*$/, '')] };
        throw thrown;
      }
    }),
  );
  return {
    names: [...new Set(answers.flatMap(({ names }) => names))].sort(),
    withheld: answers.flatMap(({ withheld }) => withheld),
  };
}
