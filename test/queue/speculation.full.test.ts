// More speculative builds: disjoint targets, and a composed landing whose process is killed.
import { describe, expect, it } from 'vitest';
import { updatePullRequest } from '../../src/modules/queue/index.ts';
import { startEngine } from '../support/engine.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { expectLandedOnce, expectVerified, line, meanwhile, resets, skipLine, statuses, verified } from './stories.ts';
import { adaptiveRules, ask, speculativeWorld, builds, filesOf, targetedRules } from './speculation.ts';

describe('with affected targets', () => {
  it('overlapping pull requests keep their order, and what one build holds lands together', async () => {
    await using w = await speculativeWorld(targetedRules);
    // Three thousand more targets for each pull request must make no difference.
    const partsOf = (name: string): string[] => Array.from({ length: 3000 }, (_, part) => `${name}/${part}`);
    const numbers = [
      await ask(w, 'one', ['api', ...partsOf('one')], { waits: 'one\n' }),
      await ask(w, 'two', ['api', 'web', ...partsOf('two')]),
      await ask(w, 'three', ['docs', ...partsOf('three')]),
    ];
    await w.settled(3);
    expect(await statuses(w, ...numbers)).toEqual(['tagged', 'tagged', 'merged']);
    expect(await builds(w)).toEqual(['1', '1, 2', '3']);
    const added = await w.rows(
      "select payload->'blockingPullRequests' as blocking from event where action = 'added_to_batch' order by id",
    );
    expect(added).toEqual([{ blocking: [] }, { blocking: [1] }, { blocking: [] }]);
    await w.release();
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    const [first] = await line(w);
    expect(first).toBe('Add three (#3)');
    expect(await builds(w)).toHaveLength(3);
  });

  it('a stack is built as a unit, and lands before an earlier pull request that it does not overlap', async () => {
    await using w = await speculativeWorld(`${targetedRules}auto_detect_stacks: true\n`);
    const slow = await ask(w, 'aside', ['web'], { waits: 'one\n' });
    const lower = await w.open('lower', { lower: 'lower\n' });
    const upper = await w.open(
      'upper',
      { lower: 'lower, and more\n', upper: 'upper\n' },
      { from: 'origin/lower', base: 'lower' },
    );
    for (const number of [lower, upper])
      await updatePullRequest(w.ctx, { repository: w.repository, number, affectedTargets: ['api'] });
    await w.queue(upper);
    await w.settled(lower, upper);
    expect(await statuses(w, slow, lower, upper)).toEqual(['tagged', 'merged', 'merged']);
    await w.release();
    await w.settled(slow);
    await expectLandedOnce(w, slow, lower, upper);
    expect(await w.git('show', 'main:lower')).toBe('lower, and more');
    expect((await verified(w))?.failures).toEqual([]);
    expect((await verified(w))?.grades).toMatchObject({ composed: 1 });
  });

  it('the host merges one pull request at a time, and each proof names the part that was tested', async () => {
    const byHost = targetedRules.replace(
      'use_affected_targets',
      'use_fast_forwarding: false\n    use_affected_targets',
    );
    await using w = await speculativeWorld(byHost);
    const numbers = [
      await ask(w, 'one', ['api'], { waits: 'one\n' }),
      await ask(w, 'two', ['web']),
      await ask(w, 'three', ['web']),
    ];
    await w.settled(2, 3);
    await w.release();
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect((await line(w)).slice(0, 2)).toEqual(['Add two (#2)', 'Add three (#3)']);
    await expectVerified(w, { host_merged: 3 });
  });

  it('a pull request that skips the line resets only those that it overlaps', async () => {
    await using w = await speculativeWorld(targetedRules);
    const lanes = [
      await ask(w, 'one', ['api'], { waits: 'one\n' }),
      await ask(w, 'two', ['web'], { slowly: 'two\n', waits: 'one\n' }),
    ];
    await w.until(async () => (await statuses(w, ...lanes)).every((status) => status === 'tagged'));
    const urgent = await ask(w, 'urgent', ['web']);
    await skipLine(w, urgent);
    await w.settled(urgent);
    expect(await resets(w)).toEqual([[302, urgent, 1]]);
    await w.release();
    await w.settled(...lanes);
    await expectLandedOnce(w, ...lanes, urgent);
    expect((await builds(w)).filter((build) => build === '1')).toHaveLength(1);
  });

  it('if a pull request affects more targets right before its landing, its build no longer counts, and it is built again', async () => {
    await using w = await speculativeWorld(targetedRules);
    const [slow, fast] = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
    await w.settled(fast);
    await w.release();
    const widen = async (): Promise<void> =>
      void (await updatePullRequest(w.ctx, {
        repository: w.repository,
        number: slow,
        affectedTargets: ['api', 'web'],
      }));
    await meanwhile('landing:before_gate', widen, async () => await w.settled(slow));
    await expectLandedOnce(w, slow, fast);
    expect(await builds(w)).toEqual(['1', '2', '1']);
    await expectVerified(w, { exact: 2 });
  });

  it.each(['landing:after_gate', 'landing:after_host'])(
    'a composed landing whose process is killed at %s happens once',
    async (failpoint) => {
      await using w = await speculativeWorld(targetedRules, { runsCi: false });
      const settings = { mode: 'loop', databaseUrl: w.databaseUrl, dataDir: w.dataDir } as const;
      const numbers = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
      await using before = await startEngine(settings);
      await expect.poll(async () => await statuses(w, 2), { interval: 100 }).toEqual(['merged']);
      await before.kill();
      expect(await statuses(w, ...numbers)).toEqual(['tagged', 'merged']);
      await w.release();
      await using killed = await startEngine(settings, failpoint);
      expect(await killed.ended).toMatch(/SIGKILL|137/);
      await using next = await startEngine(settings);
      await w.watch(numbers);
      await next.kill();
      await expectOneLandingEach(w, numbers);
      await expectVerified(w, { exact: 1, composed: 1 });
    },
    120_000,
  );
});

describe('with adaptive speculation', () => {
  it('a pull request that conflicts with a landed one is blocked for the conflict, not for the build of another one', async () => {
    await using w = await speculativeWorld(adaptiveRules);
    const numbers = [
      await ask(w, 'one', undefined, { shared: 'one\n' }),
      await ask(w, 'two', undefined, { shared: 'two\n' }),
      await ask(w, 'three'),
    ];
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 106', 'merged']);
    await expectLandedOnce(w, 1, 3);
  });

  it('a push to a pull request that others are built on blocks it, and the others land without it', async () => {
    await using w = await speculativeWorld(adaptiveRules);
    const numbers = [await ask(w, 'one', undefined, { waits: 'one\n' }), await ask(w, 'two')];
    await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
    await w.commit('one', { more: 'more\n' });
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 116', 'merged']);
    expect(await filesOf(w, 'main')).toEqual(['two']);
    // Nothing was known against the first pull request, so the second was not built without it. Only the first is
    // reset.
    expect(await resets(w)).toEqual([[310, 1, 1]]);
  });
});
