// Workflow runs that somebody deletes at GitHub. Their check runs disappear with them.
import { expect, test } from 'vitest';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { serial } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

const files = {
  '.github/workflows/ci.yml': `name: ci
on: { pull_request: { types: [opened, reopened] } }
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`,
};

/** A pull request whose check has ended twice with one result. Its only workflow run is deleted then. */
async function deletedRun(w: QueueWorld): Promise<number> {
  const number = await w.open('topic', { topic: '1\n' });
  const isRecorded = (attempt: number) => async (): Promise<boolean> =>
    (await w.rows("select 1 from check_result where attempt = $1 and conclusion <> 'pending'", [attempt])).length > 0;
  await w.until(isRecorded(1));
  const [run] = w.emulator.core.state.workflowRuns.all();
  if (run === undefined) throw new Error('The workflow has no run.');
  await w.person.actions.reRunWorkflow({ ...w.place, run_id: run.id });
  await w.until(isRecorded(2));
  w.emulator.controls.deleteWorkflowRun(`${w.place.owner}/${w.place.repo}`, run.id);
  return number;
}

async function reopen(w: QueueWorld, pull_number: number): Promise<void> {
  for (const state of ['closed', 'open'] as const) {
    await w.person.pulls.update({ ...w.place, pull_number, state });
    await w.until(async () => (await w.rows('select 1 from pull_request where status = $1', [state])).length > 0);
  }
}

test.each([
  { earlier: 'success', later: 'failure', end: 'blocked' },
  { earlier: 'failure', later: 'success', end: 'merged' },
] as const)('a check that ends as $later after its runs with $earlier were deleted decides', async (given) => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files });
  let end: 'success' | 'failure' = given.earlier;
  w.emulator.controls.checks(() => end);
  const number = await deletedRun(w);
  end = given.later;
  await reopen(w, number);
  await expect
    .poll(() => w.emulator.core.state.checkRuns.filter(({ conclusion }) => conclusion === given.later))
    .toHaveLength(1);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: given.end });
});

test('a flaky check is retried only once after its earlier runs were deleted, although the worker dies', async () => {
  const retrying = 'flaky_retry:\n  enabled: true\n';
  await using w = await queueWorld({ configuration: `${serial()}${retrying}${requiresTest}`, files });
  let end: 'success' | 'failure' = 'success';
  w.emulator.controls.checks(({ attempt }) => (attempt === 1 ? end : 'success'));
  const number = await deletedRun(w);
  end = 'failure';
  await reopen(w, number);
  const runs = (conclusions: readonly unknown[]): unknown[] =>
    w.emulator.core.state.checkRuns.filter(
      ({ name, conclusion }) => name === 'test' && conclusions.includes(conclusion),
    );
  await expect.poll(() => runs(['failure'])).toHaveLength(1);
  const disarm = onFailpoint('retry:after_host', async () => {
    await expect.poll(() => runs(['success'])).toHaveLength(1);
    throw new Error('The worker died.');
  });
  await w.label(number);
  await expect(w.settled(number)).rejects.toThrow('The worker died.');
  disarm();
  for (const { id } of await w.rows<{ id: string }>('select id from queue'))
    await w.service.ports.wake({ accountId: w.ctx.accountId, queueId: id });
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(runs(['failure', 'success', null])).toHaveLength(2);
});
