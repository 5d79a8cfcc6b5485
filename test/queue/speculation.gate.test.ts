// Changes between the plan of a landing and its gate, and the targets of a head that was replaced.
import { expect, it } from 'vitest';
import { dequeuePullRequest, queuePullRequest, updatePullRequest } from '../../src/modules/queue/index.ts';
import { expectLandedOnce, expectVerified, meanwhile, statuses } from './stories.ts';
import { parallel } from '../support/world.ts';
import { adaptiveRules, ask, speculativeWorld, builds, targetedRules } from './speculation.ts';
import { among } from '../support/tier.ts';

it('if an earlier pull request turns out to overlap right before a landing, the later one lands behind it', async () => {
  await using w = await speculativeWorld(targetedRules);
  const slow = await ask(w, 'one', ['api'], { waits: 'one\n' });
  const widen = async (): Promise<void> =>
    void (await updatePullRequest(w.ctx, {
      repository: w.repository,
      number: slow,
      affectedTargets: ['api', 'web'],
    }));
  const isRefused = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where kind = 'land' and outcome->>'reason' like '#1, which it overlaps%'"))
      .length > 0;
  await meanwhile('landing:before_gate', widen, async () => {
    await ask(w, 'two', ['web']);
    await w.until(isRefused);
  });
  expect(await statuses(w, slow, 2)).not.toContain('merged');
  await w.release();
  await w.settled(slow, 2);
  await expectLandedOnce(w, slow, 2);
  expect((await w.events()).filter(([action]) => action === 'merged').map(([, [number]]) => number)).toEqual([1, 2]);
});

it('parts whose builds began more than a day ago and ended within the day justify a landing', async () => {
  await using w = await speculativeWorld(targetedRules);
  const waits = { waits: 'both\n' };
  const numbers = [await ask(w, 'one', ['api'], waits), await ask(w, 'two', ['web'], waits)];
  const countBuilds = async (more: string): Promise<number> =>
    (await w.rows(`select 1 from build where commit in (select tested_commit from batch) ${more}`)).length;
  await w.until(async () => (await countBuilds('')) === 2);
  await w.pause(true);
  await w.release();
  await w.until(async () => (await countBuilds('and complete')) === 2);
  await w.rows(`update build set started_at = started_at - interval '24 hours 10 minutes'`);
  await w.pause(false);
  await w.settled(...numbers);
  await expectLandedOnce(w, ...numbers);
  expect(await builds(w)).toEqual(['1', '2']);
  expect(await w.rows("select outcome from intent where kind = 'land' and state <> 'done'")).toEqual([]);
});

it('a stacked pull request that skips the line without the one below it lands in the order of the plan', async () => {
  await using w = await speculativeWorld(`${targetedRules}auto_detect_stacks: true\n`);
  const first = await ask(w, 'first', ['api'], { waits: 'first\n' });
  const lower = await w.open('lower', { lower: 'lower\n' });
  const upper = await w.open('upper', { upper: 'upper\n' }, { from: 'origin/lower', base: 'lower' });
  for (const number of [lower, upper])
    await updatePullRequest(w.ctx, { repository: w.repository, number, affectedTargets: ['api'] });
  await queuePullRequest(w.ctx, { repository: w.repository, number: upper, source: 'graphql_api', skipLine: true });
  // Without a request to skip the line, the lower one is after the first one.
  await dequeuePullRequest(w.ctx, { repository: w.repository, number: lower });
  await w.queue(lower);
  await w.until(async () => (await statuses(w, lower, upper)).every((status) => /queued|tagged/.test(status)));
  await w.release();
  await w.settled(first, lower, upper);
  await expectLandedOnce(w, first, lower, upper);
  const refused = await w.rows(
    "select 1 from intent where kind = 'land' and outcome->>'reason' like '%before it in line%'",
  );
  expect(refused).toEqual([]);
});

const withoutTargets: readonly (readonly [string, string])[] = [
  ['a chain', parallel({ builds: 6, more: 'skip_draft_when_up_to_date: false\n' })],
  ['speculative builds without targets', adaptiveRules],
];
it.each(among(withoutTargets, withoutTargets.slice(0, 1)))(
  'if targets no longer count right before a composed landing (%s), the pull request is built as it lands',
  async (_by, rules) => {
    await using w = await speculativeWorld(targetedRules);
    const [slow, fast] = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
    await w.settled(fast);
    await w.release();
    const reconfigure = async (): Promise<void> => await w.configure(rules);
    await meanwhile('landing:before_gate', reconfigure, async () => await w.settled(slow));
    await expectLandedOnce(w, slow, fast);
    expect(await builds(w)).toEqual(['1', '2', '1']);
    await expectVerified(w, { exact: 2 });
  },
);

it('affected targets are deleted when the head changes, and an empty list deletes them too', async () => {
  await using w = await speculativeWorld(targetedRules, { runsCi: false });
  const targets = async (): Promise<unknown> =>
    (await w.rows('select affected_targets as targets from pull_request where number = 1'))[0];
  await ask(w, 'one', ['api']);
  await w.commit('one', { more: 'more\n' });
  await w.until(async () => (await statuses(w, 1)).includes('blocked 116'));
  expect(await targets()).toEqual({ targets: null });
  await queuePullRequest(w.ctx, {
    repository: w.repository,
    number: 1,
    source: 'graphql_api',
    affectedTargets: ['web'],
  });
  expect(await targets()).toEqual({ targets: ['web'] });
  await updatePullRequest(w.ctx, { repository: w.repository, number: 1, affectedTargets: [] });
  expect(await targets()).toEqual({ targets: null });
});
