// What arrives while speculative builds are built, or while what they justify is landing.
import { expect, it } from 'vitest';
import { parallel } from '../support/world.ts';
import { adaptive, ask, speculating, builds, filesOf, targeted } from './speculation.ts';
import {
  atRest,
  dyingAt,
  expectLandedOnce,
  expectVerified,
  meanwhile,
  resetCodes,
  resets,
  startCi,
  statuses,
} from './stories.ts';

it('a dequeue of one that others are built upon: they are built without it, what assumed nothing of it goes on', async () => {
  await using w = await speculating(targeted);
  const numbers = [
    await ask(w, 'one', ['api'], { waits: 'one\n' }),
    await ask(w, 'two', ['api']),
    await ask(w, 'three', ['web'], { waits: 'one\n' }),
  ];
  await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
  await w.dequeue(1);
  await w.settled(2);
  expect(await statuses(w, ...numbers)).toEqual(['open', 'merged', 'tagged']);
  expect(await resets(w)).toEqual([[303, 1, 1]]);
  await w.release();
  await w.settled(3);
  await expectLandedOnce(w, 2, 3);
  expect(await builds(w)).toEqual(['1', '1, 2', '3', '2']);
  await expectVerified(w, { exact: 1, composed: 1 });
});

it('a pause, and a commit of somebody else on the base, right before what was composed lands: never on what it was not for', async () => {
  await using w = await speculating(targeted);
  const [slow, fast] = [await ask(w, 'one', ['api'], { waits: 'one\n' }), await ask(w, 'two', ['web'])];
  await w.settled(fast);
  await w.release();
  const isDue = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where kind = 'land' and outcome->>'reason' = 'paused'")).length > 0;
  await meanwhile(
    'landing:before_gate',
    async () => await w.pause(true),
    async () => await w.until(isDue),
  );
  expect(await statuses(w, slow)).toEqual(['tagged']);
  await w.commit('main', { outside: 'outside\n' });
  await w.pause(false);
  await w.settled(slow);
  await expectLandedOnce(w, slow, fast);
  expect(await resetCodes(w)).toContain(305);
  expect(await filesOf(w, 'main')).toEqual(['one', 'outside', 'two', 'waits']);
  await expectVerified(w, { exact: 2, external: 1 });
});

it('other rules while speculative builds are built, and back to a chain: all is built anew, and lands once', async () => {
  await using w = await speculating(adaptive, { runsCi: false });
  const numbers = [await ask(w, 'one'), await ask(w, 'two')];
  const tagged = async (): Promise<boolean> => (await statuses(w, ...numbers)).every((status) => status === 'tagged');
  await w.until(tagged);
  const chain = parallel({ builds: 6, more: 'skip_draft_when_up_to_date: false\n' });
  await w.configure(`${chain}preconditions:\n  use_github_mergeability: false\n`);
  await w.until(
    async () => (await tagged()) && (await w.batches()).filter(({ state }) => state === 'building').length === 2,
  );
  expect(new Set(await resetCodes(w))).toEqual(new Set([307]));
  await w.configure(adaptive);
  await w.until(
    async () =>
      (await tagged()) &&
      (await w.rows("select 1 from batch where side_build = 'speculative' and state = 'building'")).length === 2,
  );
  await using _ci = await startCi(w);
  await w.settled(...numbers);
  await expectLandedOnce(w, ...numbers);
});

it.each(['build:after_compose', 'build:after_branch', 'build:after_open'])(
  'a worker that dies at %s of a speculative build leaves nothing double',
  async (failpoint) => {
    await using w = await speculating(targeted);
    const numbers = [await ask(w, 'one', ['api']), await ask(w, 'two', ['api', 'web']), await ask(w, 'three', ['web'])];
    await dyingAt(w, failpoint, async () => await w.settled(...numbers));
    await atRest(w);
    await expectLandedOnce(w, ...numbers);
  },
);
