// What both files of tests about notifications use.
import type { World } from '../support/world.ts';
import { hurry } from './stories.ts';

/** Runs turns until the status comment matches, and returns the comment. */
export async function commentMatching(w: World, number: number, message: RegExp): Promise<string> {
  let said: string | null = null;
  await w.until(async () => {
    await hurry(w);
    said = await w.statusComment(number);
    return message.test(said ?? '');
  });
  return said ?? '';
}
