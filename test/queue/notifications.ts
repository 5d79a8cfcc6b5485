// What the stories of notifications share in both tiers.
import type { World } from '../support/world.ts';
import { hurry } from './stories.ts';

/** Turns until the comment says so. */
export async function commentMatching(w: World, number: number, message: RegExp): Promise<string> {
  let said: string | null = null;
  await w.until(async () => {
    await hurry(w);
    said = await w.statusComment(number);
    return message.test(said ?? '');
  });
  return said ?? '';
}
