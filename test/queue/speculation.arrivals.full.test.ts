// The configuration changes while speculative builds run.
import { expect, it } from 'vitest';
import { parallel } from '../support/world.ts';
import { adaptiveRules, ask, speculativeWorld } from './speculation.ts';
import { expectLandedOnce, resetCodes, startCi, statuses } from './stories.ts';

it('after a change to a chain of builds and back, all pull requests are built again and land once', async () => {
  await using w = await speculativeWorld(adaptiveRules, { runsCi: false });
  const numbers = [await ask(w, 'one'), await ask(w, 'two')];
  const tagged = async (): Promise<boolean> => (await statuses(w, ...numbers)).every((status) => status === 'tagged');
  await w.until(tagged);
  const chain = parallel({ builds: 6, more: 'skip_draft_when_up_to_date: false\n' });
  await w.configure(`${chain}preconditions:\n  use_github_mergeability: false\n`);
  await w.until(
    async () => (await tagged()) && (await w.batches()).filter(({ state }) => state === 'building').length === 2,
  );
  expect(new Set(await resetCodes(w))).toEqual(new Set([307]));
  await w.configure(adaptiveRules);
  await w.until(
    async () =>
      (await tagged()) &&
      (await w.rows("select 1 from batch where side_build = 'speculative' and state = 'building'")).length === 2,
  );
  await using _ci = await startCi(w);
  await w.settled(...numbers);
  await expectLandedOnce(w, ...numbers);
});
