// What both files of tests about `show_as_merged` use.
import { parallel } from '../../support/world.ts';
import { requiresTest, type QueueWorld } from './queue-world.ts';

export const configuration = `${parallel({ builds: 1, batch: 2 })}${requiresTest}merge_strategy:\n  show_as_merged: true\n`;

export async function headOf(w: QueueWorld, branch: string): Promise<string> {
  return (await w.person.git.getRef({ ...w.place, ref: `heads/${branch}` })).data.object.sha;
}

export async function isOver(w: QueueWorld): Promise<boolean> {
  return (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0;
}

export async function pushTo(w: QueueWorld, branch: string): Promise<void> {
  const content = Buffer.from('pushed\n').toString('base64');
  const file = { path: `pushed-${branch}`, branch, message: `Push to ${branch}`, content };
  await w.person.repos.createOrUpdateFileContents({ ...w.place, ...file });
  await w.emulator.core.settled();
}
