import { expect, it } from 'vitest';
import { openPullRequest } from '../../src/modules/queue/index.ts';
import { pauseBranches } from '../../src/modules/repositories/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { line, meanwhile, statuses } from './stories.ts';

async function rule(w: World, pattern: string, paused: boolean): Promise<void> {
  await pauseBranches(w.ctx, { repository: w.repository, pattern, paused });
}

async function openInto(w: World, baseBranch: string, headBranch: string): Promise<number> {
  await w.commit(headBranch, { [`${headBranch}.txt`]: `${headBranch}\n` }, { from: `origin/${baseBranch}` });
  await openPullRequest(w.ctx, { repository: w.repository, title: `Add ${headBranch}`, headBranch, baseBranch });
  const [row] = await w.rows<{ number: number }>('select number from pull_request where head_branch = $1', [
    headBranch,
  ]);
  return row?.number ?? 0;
}

const summaries = async (w: World): Promise<string[]> =>
  (
    await w.rows<{ base_branch: string; live: number }>(
      `select q.base_branch, (select count(*)::int from batch b where b.queue_id = q.id) as live from queue q order by q.base_branch`,
    )
  ).map(({ base_branch, live }) => `${base_branch} ${live}`);

it('a paused base branch builds and merges nothing, other branches go on, and a more specific rule ends the pause', async () => {
  await using w = await world({ configuration: `base_branches: [main, release/1]\n${parallel({ builds: 2 })}` });
  await w.commit('release/1', { 'release.txt': '1\n' });
  await rule(w, 'release/*', true);
  const [onMain, onRelease] = [await w.open('a', { 'a.txt': 'a\n' }), await openInto(w, 'release/1', 'b')];
  await w.queue(onMain, onRelease);
  await w.settled(onMain);
  expect(await statuses(w, onMain, onRelease)).toEqual(['merged', 'queued']);
  // The pull request is up to date and green, so only the pause held it.
  expect(await summaries(w)).toEqual(['main 1', 'release/1 0']);

  await rule(w, 'release/1', false);
  await w.settled(onRelease);
  expect(await statuses(w, onRelease)).toEqual(['merged']);
  expect(await w.git('show', 'release/1:b.txt')).toBe('b');
  expect((await w.events()).map(([action]) => action).filter((action) => action.startsWith('branches_'))).toEqual([
    'branches_paused',
    'branches_unpaused',
  ]);
});

it('no landing starts after the pause was answered, and a landing that had started lands', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const [first, second] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
  const paused = async (): Promise<void> => await rule(w, 'ma*', true);
  const planned = "select 1 from intent where kind = 'land' and state in ('planned', 'started')";
  await w.queue(first);
  await meanwhile('landing:before_gate', paused, () =>
    w.until(async () => (await w.rows("select 1 from intent where kind = 'land' and state = 'void'")).length > 0),
  );
  expect(await line(w)).toEqual([]);
  expect(await w.rows(planned)).toEqual([]);

  await rule(w, 'ma*', false);
  await w.queue(second);
  await meanwhile('landing:after_gate', paused, () => w.settled(first));
  await w.until(async () => (await w.rows(planned)).length === 0);
  expect(await statuses(w, first, second)).toEqual(['merged', expect.stringMatching(/^(queued|tagged)$/)]);
  await rule(w, 'ma*', false);
  await w.settled(second);
  expect(await line(w)).toHaveLength(2);
});
