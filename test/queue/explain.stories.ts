// What both files of tests about explanations use.
import type { World } from '../support/world.ts';
import { statuses } from './stories.ts';

export async function open(w: World, ...names: string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) numbers.push(await w.open(name, { [name]: `${name}\n` }));
  return numbers;
}

export const areTagged = async (w: World, ...numbers: number[]): Promise<boolean> =>
  (await statuses(w, ...numbers)).every((status) => status === 'tagged');
