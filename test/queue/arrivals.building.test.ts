// Changes that arrive while a build is made. The batch is superseded or goes on. Its members lose only time.
import { describe, expect, it } from 'vitest';
import { advanceQueue, driveBatch } from '../../src/modules/queue/index.ts';
import { among, inFull } from '../support/tier.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import {
  atRest,
  dyingAt,
  expectLandedOnce,
  line,
  meanwhile,
  resetCodes,
  resets,
  skipLine,
  startCi,
  statuses,
} from './stories.ts';

const moments = among(['build:after_compose', 'build:after_open'], ['build:after_open']);

async function twoInOneBatch({ runsCi = true } = {}): Promise<{ w: World; a: number; b: number }> {
  const w = await world({ configuration: parallel({ builds: 2, batch: 2 }), runsCi });
  const a = await w.open('a', { 'a.txt': 'a\n' });
  const b = await w.open('b', { 'b.txt': 'b\n' });
  await w.queue(a, b);
  return { w, a, b };
}

async function isBuilt(w: World): Promise<boolean> {
  const built = await w.rows(
    'select 1 from build join batch on batch.commit = build.commit where finished_at is not null',
  );
  return built.length > 0;
}

describe('while the build is made', () => {
  it.each(moments)(
    'if a member is dequeued, the batch is reset with 303, and the other member lands (%s)',
    async (moment) => {
      const { w, a, b } = await twoInOneBatch();
      await using _ = w;
      await meanwhile(
        moment,
        () => w.dequeue(a),
        () => w.settled(b),
      );
      expect(await statuses(w, a, b)).toEqual(['open', 'merged']);
      await expectLandedOnce(w, b);
      expect(await line(w)).toEqual(['Add b (#2)']);
      expect(await w.events()).toContainEqual(['dequeued', [a]]);
      expect(await resetCodes(w)).toEqual([303]);
      // As long as the bot pull request is not open, no pull request is tagged, and no reset is reported.
      expect(await resets(w)).toEqual(moment === 'build:after_open' ? [[303, a, 1]] : []);
    },
  );

  it.each(moments)(
    'if a head is pushed, its pull request is blocked with 116, the batch is reset with 310, and the other member lands (%s)',
    async (moment) => {
      const { w, a, b } = await twoInOneBatch();
      await using _ = w;
      await meanwhile(
        moment,
        async () => void (await w.commit('a', { 'more.txt': 'more\n' })),
        () => w.settled(a, b),
      );
      expect(await statuses(w, a, b)).toEqual(['blocked 116', 'merged']);
      await expectLandedOnce(w, b);
      expect(await line(w)).toEqual(['Add b (#2)']);
      expect(await resetCodes(w)).toEqual([310]);
      expect(await resets(w)).toEqual(moment === 'build:after_open' ? [[310, a, 1]] : []);
    },
  );

  it.each<[what: string, after: readonly (readonly [files: Record<string, string | null>, message: string])[]]>([
    ['', []],
    [', and reverts that merge', [[{ 'a.txt': null }, 'Revert a']]],
  ])(
    'if somebody merges a member at the host%s, and only the push of the base has been reported, the member is merged and does not land again',
    async (_what, after) => {
      const { w, a, b } = await twoInOneBatch();
      await using _ = w;
      const mergeAtHost = async () => {
        const commit = await w.commit('main', { 'a.txt': 'a\n' }, { message: `Merge a (#${a})` });
        for (const [files, message] of after) await w.commit('main', files, { message });
        await w.rows(
          "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
          [a, commit],
        );
      };
      await meanwhile('build:after_open', mergeAtHost, () => w.settled(a, b));
      expect(await statuses(w, a, b)).toEqual(['merged', 'merged']);
      expect(await line(w)).toEqual([`Merge a (#${a})`, ...after.map(([, message]) => message), `Add b (#${b})`]);
    },
  );

  it('with `on_commit_added: requeue`, a pushed pull request is queued again, and its new head lands', async () => {
    const { w, a, b } = await twoInOneBatch();
    await using _ = w;
    await w.configure(parallel({ builds: 2, batch: 2, more: 'on_commit_added: requeue\n' }));
    await meanwhile(
      'build:after_open',
      async () => void (await w.commit('a', { 'more.txt': 'more\n' })),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
    expect(await w.git('show', 'main:more.txt')).toBe('more');
    expect((await w.events()).filter(([action]) => action === 'queued')).toEqual([
      ['queued', [a]],
      ['queued', [b]],
      ['queued', [a]],
    ]);
    expect(await resetCodes(w)).toEqual([310]);
  });

  it.each([
    [
      'and `check_mergeability_to_queue`',
      (more: string) => parallel({ builds: 2, batch: 2, more: `${more}check_mergeability_to_queue: true\n` }),
    ],
    ['in serial mode', (more: string) => `${serial()}  parallel_mode:\n    ${more}`],
  ])(
    'with `on_commit_added: requeue` %s, a pushed pull request is pending until the own checks of its new head are green',
    async (_name, rules) => {
      await using w = await world({ configuration: rules('on_commit_added: requeue\n'), runsCi: false });
      const a = await w.open('a', { 'a.txt': 'a\n' });
      const ci = await startCi(w);
      await w.queue(a);
      await w.pause(true);
      await w.until(async () => (await statuses(w, a))[0] === 'queued');
      await ci[Symbol.asyncDispose]();
      await w.commit('a', { 'more.txt': 'more\n' });
      await w.service.drain();
      expect(await statuses(w, a)).toEqual(['pending']);
      expect((await w.events()).filter(([action]) => action === 'queued')).toEqual([['queued', [a]]]);
      await w.pause(false);
      await using _ = await startCi(w);
      await w.settled(a);
      await expectLandedOnce(w, a);
      expect(await w.git('show', 'main:more.txt')).toBe('more');
    },
  );

  it('a pause lets the build end, and holds its landing until the pause ends', async () => {
    const { w, a, b } = await twoInOneBatch();
    await using _ = w;
    await meanwhile(
      'build:after_open',
      () => w.pause(true),
      () => w.until(() => isBuilt(w)),
    );
    await w.loop.run(w.service.ports);
    expect(await statuses(w, a, b)).toEqual(['tagged', 'tagged']);
    expect(await w.landed()).toEqual([]);
    await w.pause(false);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await w.batches()).toHaveLength(1);
  });

  it('a changed build key resets the batch with 307, and what lands was built under the new configuration', async () => {
    const { w, a, b } = await twoInOneBatch();
    await using _ = w;
    const configure = () => w.configure(`${parallel({ builds: 2, batch: 2 })}merge_strategy:\n  name: merge\n`);
    await meanwhile('build:after_open', configure, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    expect(await resetCodes(w)).toEqual([307]);
    expect(await resets(w)).toEqual([[307, a, 2]]);
    expect(await w.git('log', '--merges', '--format=%s', 'main')).toBe('Land #1 and #2\nAdd b (#2)\nAdd a (#1)');
  });

  it('a changed gate key judges the same build again, without a reset', async () => {
    const gate = (check: string) =>
      `${parallel({ builds: 2, batch: 2, more: `override_required_checks: [${check}]\n` })}preconditions:\n  use_github_mergeability: false\n`;
    await using w = await world({
      configuration: gate('lint'),
      ci: "checks:\n  test: {run: 'true'}\n  lint: {run: 'false'}\n",
    });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await meanwhile(
      'build:after_open',
      () => w.configure(gate('test')),
      () => w.settled(...numbers),
    );
    await expectLandedOnce(w, ...numbers);
    expect(await w.batches()).toHaveLength(1);
  });

  it.each(inFull('build:after_open'))(
    'a pull request that skips the line goes first, and the batch is reset with 302 (%s)',
    async (moment) => {
      const { w, a, b } = await twoInOneBatch();
      await using _ = w;
      const c = await w.open('c', { 'c.txt': 'c\n' });
      await meanwhile(
        moment,
        () => skipLine(w, c),
        () => w.settled(a, b, c),
      );
      await expectLandedOnce(w, a, b, c);
      expect(await line(w)).toEqual(['Add c (#3)', 'Land #1 and #2']);
      expect(await resets(w)).toEqual([[302, c, 2]]);
    },
  );

  it('a push to the base branch resets the batch with 305, and the batch is built again on the new tip', async () => {
    const { w, a, b } = await twoInOneBatch();
    await using _ = w;
    const push = async () => void (await w.commit('main', { 'outside.txt': 'o\n' }, { message: 'Outside' }));
    await meanwhile('build:after_open', push, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Outside', 'Land #1 and #2']);
    expect(await resets(w)).toEqual([[305, a, 2]]);
  });

  it.each(among(['build:after_compose', 'build:after_open', 'build:after_branch'], ['build:after_branch']))(
    'if a worker dies at %s, there is one build, and the next worker goes on with it',
    async (moment) => {
      // Checks run later, because a result that is known before the bot pull request opens makes the bot pull request
      // needless.
      const { w, a, b } = await twoInOneBatch({ runsCi: false });
      await using _ = w;
      const isOpen = async (): Promise<boolean> => (await w.rows('select 1 from bot_pull_request')).length > 0;
      await dyingAt(w, moment, () => w.until(isOpen));
      await using _ci = await startCi(w);
      await w.settled(a, b);
      await expectLandedOnce(w, a, b);
      expect((await w.host.pullRequests()).filter(({ branch }) => branch.startsWith('mq-'))).toHaveLength(1);
      expect(await w.batches()).toHaveLength(1);
    },
  );

  it('if the batch ends and another worker removes its branch, the first worker opens nothing', async () => {
    const { w, a, b } = await twoInOneBatch({ runsCi: false });
    await using _ = w;
    const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
    const turn = async () => await advanceQueue(w.ctx, queue?.id ?? '');
    await turn();
    const [batch] = await w.rows<{ id: string }>('select id::text as id from batch');
    const step = async () => void (await driveBatch(w.ctx, batch?.id ?? ''));
    const endBatch = async (): Promise<void> => {
      await w.dequeue(a);
      await w.dequeue(b);
      await turn();
      await step();
    };
    await step();
    await meanwhile('build:after_branch', endBatch, step);
    expect(await w.host.pullRequests()).toHaveLength(2);
    expect(await w.git('for-each-ref', 'refs/heads/mq-*')).toBe('');
    await atRest(w);
  });

  it('a late result of a superseded build changes nothing, and is evidence for a later batch with the same tree', async () => {
    const { w, a, b } = await twoInOneBatch({ runsCi: false });
    await using _ = w;
    await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length > 0);
    await w.dequeue(a);
    await using _ci = await startCi(w);
    // No turn runs here, so the queue has not seen the dequeue when the result comes.
    await expect
      .poll(async () => {
        await w.service.drain();
        return await isBuilt(w);
      })
      .toBe(true);
    expect(await statuses(w, a, b)).toEqual(['open', 'tagged']);
    await w.dequeue(b);
    await atRest(w);
    expect(await w.landed()).toEqual([]);
    await w.queue(a, b);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    const [first] = await w.rows<{ commit: string }>("select commit from batch where state = 'superseded' order by id");
    const [proof] = await w.rows<{ body: { grade: string; evidence: { commit: string }[] } }>('select body from proof');
    expect(proof?.body).toMatchObject({ grade: 'same_tree', evidence: [{ commit: first?.commit }] });
    expect((await w.host.pullRequests()).filter(({ branch }) => branch.startsWith('mq-'))).toHaveLength(1);
  });
});
