// What both files of tests about stacks use.
import type { World } from '../support/world.ts';

export const stacking = (rules: string): string => `${rules}auto_detect_stacks: true\n`;

/** Opens three pull requests on top of one another. Each changes the file that the one below changed. */
export async function openStack(
  w: World,
  files: Readonly<Record<string, string>> = {},
): Promise<[number, number, number]> {
  const one = await w.open('one', { 'story.txt': 'one\n' });
  const two = await w.open('two', { 'story.txt': 'one\ntwo\n', ...files }, { from: 'origin/one', base: 'one' });
  const three = await w.open('three', { 'story.txt': 'one\ntwo\nthree\n' }, { from: 'origin/two', base: 'two' });
  return [one, two, three];
}

export async function baseAtHost(w: World, number: number): Promise<string | undefined> {
  return (await w.host.pullRequest(number))?.baseBranch;
}
