// What both files of tests about changes at a landing use.
import { parallel, world, type World } from '../support/world.ts';

export const landingStarted = 'landing:after_gate';
export const landingDone = 'landing:after_host';

/** Queues two pull requests, each in a batch of its own. The second batch is built on the first. */
export async function twoInLine(more = ''): Promise<{ w: World; a: number; b: number }> {
  const w = await world({ configuration: `${parallel({ builds: 2, batch: 1 })}${more}` });
  const a = await w.open('a', { 'a.txt': 'a\n' });
  const b = await w.open('b', { 'b.txt': 'b\n' });
  await w.queue(a, b);
  return { w, a, b };
}
