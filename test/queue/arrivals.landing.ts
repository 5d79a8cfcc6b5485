// What the stories of arrivals at a landing share in both tiers.
import { parallel, world, type World } from '../support/world.ts';

export const started = 'landing:after_gate';
export const done = 'landing:after_host';

/** Two batches of one, the second built on the first. */
export async function twoInLine(more = ''): Promise<{ w: World; a: number; b: number }> {
  const w = await world({ configuration: `${parallel({ builds: 2, batch: 1 })}${more}` });
  const a = await w.open('a', { 'a.txt': 'a\n' });
  const b = await w.open('b', { 'b.txt': 'b\n' });
  await w.queue(a, b);
  return { w, a, b };
}
