// How the workflows of batches end. Temporal lists the workflow of a red batch as failed.
import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { batchWorkflowId } from '../../workflows/batch/messages.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld, eventually, type EngineWorld } from './engine-world.ts';

/** Returns for each batch its state, the status of its workflow, and the failure of a failed workflow. */
async function endings(e: EngineWorld): Promise<string[]> {
  const { accountId } = await e.input();
  return await Promise.all(
    (await e.w.batches()).map(async ({ id, state }) => {
      const handle = e.client.workflow.getHandle(batchWorkflowId({ accountId, batchId: id }));
      const failure = await handle.result().then(
        () => null,
        ({ cause }: WorkflowFailedError) => cause,
      );
      const { status } = await handle.describe();
      return [
        state,
        status.name,
        ...(failure instanceof ApplicationFailure ? [failure.category, failure.message] : []),
      ].join(' ');
    }),
  );
}

it('a red batch and a bisected one end as failed, a landed one as completed, and the line goes on', async () => {
  // Each pull request is green alone. The second is red on top of the first.
  const ci = "checks:\n  test:\n    run: 'test ! -e cup || test ! -e saucer'\n";
  await using e = await engineWorld({
    configuration: parallel({ builds: 1, batch: 2 }),
    ci,
    wakes: false,
  });
  const { w } = e;
  const numbers = [await w.open('a', { cup: 'a\n' }), await w.open('b', { saucer: 'b\n' })];
  await w.queue(...numbers);
  await e.start();
  await w.watch(numbers);
  expect((await w.status(2)).status).toBe('blocked');
  await expectOneLandingEach(w, [1], { open: [2] });
  await eventually(
    async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0,
    'every batch is cleaned up',
  );
  // A benign failure is not in the metric of failed workflows, so a red batch raises no alert.
  expect((await endings(e)).toSorted()).toEqual([
    'bisected FAILED BENIGN #1, #2: bisected, red: test',
    'failed FAILED BENIGN #2: failed, red: test',
    'landed COMPLETED',
  ]);
});
