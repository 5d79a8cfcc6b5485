// Changes that arrive while speculative builds run, or while what they justify lands.
import { expect, it } from 'vitest';
import { ask, speculativeWorld, builds, filesOf, targetedRules } from './speculation.ts';
import {
  atRest,
  dyingAt,
  expectLandedOnce,
  expectVerified,
  meanwhile,
  resetCodes,
  resets,
  statuses,
} from './stories.ts';
import { among } from '../support/tier.ts';

it('after a dequeue, pull requests that were built on it are built without it, and all other builds go on', async () => {
  await using w = await speculativeWorld(targetedRules);
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

it('a pause and a push to the base arrive before a composed landing, which never lands on a tip that it was not made for', async () => {
  await using w = await speculativeWorld(targetedRules);
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

it.each(among(['build:after_compose', 'build:after_branch', 'build:after_open'], ['build:after_branch']))(
  'if a worker dies at %s of a speculative build, nothing is made twice',
  async (failpoint) => {
    await using w = await speculativeWorld(targetedRules);
    const numbers = [await ask(w, 'one', ['api']), await ask(w, 'two', ['api', 'web']), await ask(w, 'three', ['web'])];
    await dyingAt(w, failpoint, async () => await w.settled(...numbers));
    await atRest(w);
    await expectLandedOnce(w, ...numbers);
  },
);
