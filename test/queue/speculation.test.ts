import { among } from '../support/tier.ts';
// Builds as speculative builds, read as users read them: which commits land, on whose builds, and who is blamed.
import { describe, expect, it } from 'vitest';
import { overlap } from '../../src/domain/queue/model/overlap.ts';
import { seeded } from '../support/random.ts';
import { updatePullRequest } from '../../src/modules/queue/index.ts';
import { digestProof, type ProofBody } from '../../src/modules/queue/landing/proof.ts';
import { startEngine } from '../support/engine.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { expectLandedOnce, expectVerified, line, meanwhile, resets, skipLine, statuses, verified } from './stories.ts';
import { adaptive, ask, speculating, builds, filesOf, targeted } from './speculation.ts';

describe('with affected targets', () => {
  it('two lanes land as they are ready, each by its one build, and the second on what git composes', async () => {
    await using w = await speculating(targeted);
    const slow = await ask(w, 'one', ['api'], { waits: 'one\n' });
    const fast = await ask(w, 'two', ['web']);
    await w.settled(fast);
    expect(await statuses(w, slow, fast)).toEqual(['tagged', 'merged']);
    await w.release();
    await w.settled(slow);
    await expectLandedOnce(w, slow, fast);
    expect(await line(w)).toEqual(['Add two (#2)', 'Add one (#1)']);
    expect(await filesOf(w, 'main')).toEqual(['one', 'two', 'waits']);
    expect(await builds(w)).toEqual(['1', '2']);
    expect(await resets(w)).toEqual([]);
    await expectVerified(w, { exact: 1, composed: 1 });
    // What is told of the batch is where CI ran.
    const [told] = await w.rows(
      "select payload->>'batchCommitSha' as commit from event where action = 'batch_merged' order by id desc limit 1",
    );
    expect([told]).toEqual(await w.rows('select head_commit_sha as commit from bot_pull_request order by id limit 1'));
  });

  it('those that overlap keep their order; what one build holds lands at once, with what is ready beside it', async () => {
    await using w = await speculating(targeted);
    // Whether there are a few targets or thousands.
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

  it('a stack is one lane: the upper one is built on the lower one, and both land past what they leave alone', async () => {
    await using w = await speculating(`${targeted}auto_detect_stacks: true\n`);
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

  it("the host's own merge takes one at a time, and its proof names the part it was tested as", async () => {
    const byHost = targeted.replace('use_affected_targets', 'use_fast_forwarding: false\n    use_affected_targets');
    await using w = await speculating(byHost);
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

  it('one that skips the line resets those alone that it overlaps', async () => {
    await using w = await speculating(targeted);
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

  it('a pair that is good apart and bad together: the one behind is blamed, what it does not affect lands', async () => {
    await using w = await speculating(targeted);
    const numbers = [
      await ask(w, 'left', ['api']),
      await ask(w, 'right', ['api', 'web']),
      await ask(w, 'three', ['docs']),
    ];
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 107', 'merged']);
    expect(await filesOf(w, 'main')).toEqual(['left', 'three']);
    expect((await w.events()).filter(([action]) => action === 'blocked')).toEqual([['blocked', [2]]]);
  });

  it('what is told to affect more at the last moment is no longer justified by its build, and gets another one', async () => {
    await using w = await speculating(targeted);
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

  it.each(among(['landing:after_gate', 'landing:after_host'], ['landing:after_host']))(
    'a composed landing whose process is killed at %s happens once',
    async (failpoint) => {
      await using w = await speculating(targeted, { runsCi: false });
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

  it('a proof of what was composed that says anything else than git and the rows is found out', async () => {
    await using w = await speculating(targeted);
    const [slow, fast] = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
    await w.settled(fast);
    await w.release();
    await w.settled(slow);
    const tampered: readonly [string, (body: ProofBody) => unknown][] = [
      [
        'what its parts were tested with is not all',
        ({ members: [only] }) => ({ members: [{ ...only, targets: ['api', 'web'] }] }),
      ],
      ['is graded same_tree, but its parts was tested', () => ({ grade: 'same_tree' })],
      ['is not what is on record', ({ members: [only] }) => ({ members: [{ ...only, targets: ['other'] }] })],
      ['which was not the tip', ({ evidence: [part] }) => ({ evidence: [{ ...part, base: part?.commit }] })],
      ['again gives the tree', ({ evidence: [part] }) => ({ evidence: [{ ...part, tree: '0'.repeat(40) }] })],
      ['do not merge again', ({ evidence: [part] }) => ({ evidence: [{ ...part, content: [] }] })],
      ['is not green', ({ evidence: [part] }) => ({ evidence: [{ ...part, checks: [] }] })],
    ];
    for (const [said, change] of tampered) {
      const [proof] = await w.rows<{ id: string; body: ProofBody }>(
        'select id, body from proof order by id desc limit 1',
      );
      const body = { ...proof!.body, ...(change(proof!.body) as object) };
      const write = async (written: ProofBody): Promise<unknown> =>
        await w.rows('update proof set body = $2, digest = $3 where id = $1', [
          proof!.id,
          JSON.stringify(written),
          digestProof(written),
        ]);
      await write(body);
      expect((await verified(w))?.failures.join('\n')).toMatch(said);
      await write(proof!.body);
    }
    await expectVerified(w, { exact: 1, composed: 1 });
  });
});

it('a random line of lanes that cross: all that is good lands, in order where it overlaps, and all of it is verified', async () => {
  await using w = await speculating(`${targeted}speculation: adaptive\n`);
  const seed = Number(process.env['LANES_SEED'] ?? 20261122);
  const random = seeded(seed);
  const lanes = ['api', 'web', 'docs', 'cli'];
  const asked: { readonly number: number; readonly targets: readonly string[]; readonly isBad: boolean }[] = [];
  for (let n = 0; n < 10; n += 1) {
    const targets = lanes.filter(() => random() < 0.35);
    const isBad = random() < 0.15;
    const number = await ask(w, `change${n}`, targets, isBad ? { bad: `bad ${n}\n` } : {});
    asked.push({ number, targets, isBad });
    if (random() < 0.4) await w.loop.run(w.service.ports);
  }
  await w.settled(...asked.map(({ number }) => number));
  const story = `seed ${seed}: ${JSON.stringify(asked)}`;
  const landed = await statuses(w, ...asked.map(({ number }) => number));
  expect(landed, story).toEqual(asked.map(({ isBad }) => (isBad ? 'blocked 107' : 'merged')));
  const order = (await w.events()).filter(([action]) => action === 'merged').map(([, [number]]) => number);
  const place = ({ number }: { readonly number: number }): number => order.indexOf(number);
  const good = asked.filter(({ isBad }) => !isBad);
  for (const [at, later] of good.entries())
    for (const earlier of good.slice(0, at))
      if (overlap(earlier.targets, later.targets))
        expect(place(earlier), `#${earlier.number} before #${later.number}; ${story}`).toBeLessThan(place(later));
  expect(await filesOf(w, 'main')).not.toContain('bad');
  await expectLandedOnce(w, ...good.map(({ number }) => number));
  expect((await verified(w))?.failures, story).toEqual([]);
}, 120_000);

describe('with adaptive speculation', () => {
  it('one that is red in front of others is blamed alone, and what was built without it lands', async () => {
    await using w = await speculating(adaptive);
    const numbers = [await ask(w, 'bad'), await ask(w, 'two'), await ask(w, 'three')];
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'merged', 'merged']);
    await expectLandedOnce(w, 2, 3);
    expect(await filesOf(w, 'main')).toEqual(['three', 'two']);
    expect((await w.events()).filter(([action]) => action === 'blocked')).toEqual([['blocked', [1]]]);
    expect(await builds(w)).toContain('2');
  });

  it('a green build of all of them lands all of them, and nobody is blamed or reset', async () => {
    await using w = await speculating(adaptive);
    const numbers = [await ask(w, 'one'), await ask(w, 'two'), await ask(w, 'three')];
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect((await w.events()).filter(([action]) => action === 'reset' || action === 'blocked')).toEqual([]);
    const [row] = await w.rows(
      'select count(*)::int as n from batch_member m join batch b on b.id = m.batch_id where b.side_build is null and b.rests_on = array[]::text[]',
    );
    expect(row).toEqual({ n: 0 });
  });

  it("one that conflicts with what landed before it is blocked for that, by nobody else's build", async () => {
    await using w = await speculating(adaptive);
    const numbers = [
      await ask(w, 'one', undefined, { shared: 'one\n' }),
      await ask(w, 'two', undefined, { shared: 'two\n' }),
      await ask(w, 'three'),
    ];
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 106', 'merged']);
    await expectLandedOnce(w, 1, 3);
  });

  it('a commit pushed to one that others are built upon takes it out, and they land without it', async () => {
    await using w = await speculating(adaptive);
    const numbers = [await ask(w, 'one', undefined, { waits: 'one\n' }), await ask(w, 'two')];
    await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
    await w.commit('one', { more: 'more\n' });
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 116', 'merged']);
    expect(await filesOf(w, 'main')).toEqual(['two']);
    // Nothing speaks against the first, so the second is not built without it before: it alone is put back for that.
    expect(await resets(w)).toEqual([[310, 1, 1]]);
  });
});
