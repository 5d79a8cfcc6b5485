// Speculative builds as users see them: which commits land, by which builds, and which pull requests are blocked.
import { describe, expect, it } from 'vitest';
import { overlap } from '../../src/domain/queue/model/overlap.ts';
import { seeded } from '../support/random.ts';
import { examples } from '../support/tier.ts';
import { digestProof, type ProofBody } from '../../src/modules/queue/landing/proof.ts';
import { expectLandedOnce, expectVerified, line, resets, statuses, verified } from './stories.ts';
import { adaptiveRules, ask, speculativeWorld, builds, filesOf, targetedRules } from './speculation.ts';

describe('with affected targets', () => {
  it('pull requests without overlap land as soon as they are ready, each by its one build, the second on a composed commit', async () => {
    await using w = await speculativeWorld(targetedRules);
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
    // The row of the batch names the commit that CI ran on.
    const [built] = await w.rows(
      "select payload->>'batchCommitSha' as commit from event where action = 'batch_merged' order by id desc limit 1",
    );
    expect([built]).toEqual(await w.rows('select head_commit_sha as commit from bot_pull_request order by id limit 1'));
  });

  it('of two pull requests that fail only together, the later one is blocked, and others land', async () => {
    await using w = await speculativeWorld(targetedRules);
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

  it('a proof of a composed landing that contradicts git or the rows is found', async () => {
    await using w = await speculativeWorld(targetedRules);
    const [slow, fast] = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
    await w.settled(fast);
    await w.release();
    await w.settled(slow);
    const tampered: readonly [string, (body: ProofBody) => unknown][] = [
      [
        'its parts were not tested with all changes that affect it',
        ({ members: [only] }) => ({ members: [{ ...only, targets: ['api', 'web'] }] }),
      ],
      ['is graded same_tree, but its parts were tested', () => ({ grade: 'same_tree' })],
      ['are not those on record', ({ members: [only] }) => ({ members: [{ ...only, targets: ['other'] }] })],
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

it('a random line with overlaps lands all good pull requests, overlapping ones in order, and all proofs hold', async () => {
  await using w = await speculativeWorld(`${targetedRules}speculation: adaptive\n`);
  const count = examples({ standard: 7, full: 10 });
  const seed = Number(process.env['LANES_SEED'] ?? 20261122);
  const random = seeded(seed);
  const lanes = ['api', 'web', 'docs', 'cli'];
  const asked: { readonly number: number; readonly targets: readonly string[]; readonly isBad: boolean }[] = [];
  for (let n = 0; n < count; n += 1) {
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
});

describe('with adaptive speculation', () => {
  it('a red pull request before others is blocked alone, and the others land by builds without it', async () => {
    await using w = await speculativeWorld(adaptiveRules);
    const numbers = [await ask(w, 'bad'), await ask(w, 'two'), await ask(w, 'three')];
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'merged', 'merged']);
    await expectLandedOnce(w, 2, 3);
    expect(await filesOf(w, 'main')).toEqual(['three', 'two']);
    expect((await w.events()).filter(([action]) => action === 'blocked')).toEqual([['blocked', [1]]]);
    expect(await builds(w)).toContain('2');
  });

  it('one green build of all pull requests lands all of them, and none is blocked or reset', async () => {
    await using w = await speculativeWorld(adaptiveRules);
    const numbers = [await ask(w, 'one'), await ask(w, 'two'), await ask(w, 'three')];
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect((await w.events()).filter(([action]) => action === 'reset' || action === 'blocked')).toEqual([]);
    const [row] = await w.rows(
      'select count(*)::int as n from batch_member m join batch b on b.id = m.batch_id where b.side_build is null and b.rests_on = array[]::text[]',
    );
    expect(row).toEqual({ n: 0 });
  });
});
