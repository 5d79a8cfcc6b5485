// A build that justifies a landing is canceled before the gate of the landing.
import { expect, it } from 'vitest';
import { expectLandedOnce, expectVerified, meanwhile, statuses } from './stories.ts';
import { ask, speculativeWorld, builds, targetedRules } from './speculation.ts';

it('if one of the builds that justify a landing is canceled, the landing rests on another build that proves as much', async () => {
  await using w = await speculativeWorld(targetedRules);
  const numbers = [
    await ask(w, 'one', ['api'], { waits: 'one\n' }),
    await ask(w, 'two', ['api']),
    await ask(w, 'three', ['web']),
  ];
  await w.settled(3);
  await w.pause(true);
  await w.release();
  await w.until(
    async () => (await w.rows("select 1 from check_result where conclusion = 'success' and name = 'test'")).length >= 3,
  );
  const cancel = async (): Promise<void> =>
    void (await w.rows(
      `update check_result set conclusion = 'cancelled' where commit =
         (select b.tested_commit from batch b join batch_member m on m.batch_id = b.id
          where b.side_build = 'speculative' and m.pull_request_id = (select id from pull_request where number = 1) limit 1)`,
    ));
  await meanwhile('landing:before_gate', cancel, async () => {
    await w.pause(false);
    await w.settled(1, 2);
  });
  expect(await statuses(w, ...numbers)).toEqual(['merged', 'merged', 'merged']);
  await expectLandedOnce(w, ...numbers);
  expect(await builds(w)).toEqual(['1', '1, 2', '3']);
  await expectVerified(w, { exact: 1, composed: 1 });
});
