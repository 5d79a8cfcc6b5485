// What both files of tests about auto-update use.
import { parallel, type World } from '../support/world.ts';

export const autoUpdate = (more = ''): string => `${parallel()}auto_update:\n  enabled: true\n${more}`;

/** Numbers of the pull requests whose branch contains the tip of the base branch. */
export async function listUpToDate(w: World): Promise<number[]> {
  const rows = await w.rows<{ number: number; head_branch: string }>(
    'select number, head_branch from pull_request order by number',
  );
  const found: number[] = [];
  for (const { number, head_branch } of rows)
    if ((await w.git('merge-base', 'main', head_branch)) === (await w.git('rev-parse', 'main'))) found.push(number);
  return found;
}

export const countOpenSyncs = async (w: World): Promise<number> =>
  (await w.rows("select 1 from intent where kind = 'sync' and state in ('planned', 'started')")).length;
