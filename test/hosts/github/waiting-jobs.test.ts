// Workflow runs that start again at GitHub. A job that needs other jobs has no new check run until these have ended.
// Meanwhile GitHub still shows its earlier check run, and the status of the check suite says that the run goes on.
import { expect, test } from 'vitest';
import { configurationYaml, parallel } from '../../support/world.ts';
import { replaceConfiguration } from '../../../src/modules/repositories/index.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

const files = {
  '.github/workflows/ci.yml': `name: ci
on: push
jobs:
  build: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
  test: { needs: build, runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`,
};
const closed = 'merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n';
const requires = `${parallel({ more: 'skip_draft_when_up_to_date: false\n' })}${requiresTest}`;

type Conclusion = 'success' | 'failure' | 'pending';

/** A batch whose checks are green and that waits for a merge window. Its workflow run then starts again. */
async function startedAgain() {
  const clock = { aheadMs: 0 };
  const w = await queueWorld({
    configuration: `${requires}${closed}`,
    files,
    clock: () => new Date(Date.now() + clock.aheadMs),
  });
  const second: { build: Conclusion; test: Conclusion } = { build: 'pending', test: 'pending' };
  w.emulator.controls.checks(({ name, attempt }) => (attempt === 1 ? 'success' : second[name as 'build' | 'test']));
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  await w.until(async () => (await results(w)).join() === 'build 1 success,test 1 success');
  const [batch] = await w.rows<{ commit: string }>('select tested_commit as commit from batch');
  const { data } = await w.person.actions.listWorkflowRunsForRepo({ ...w.place, head_sha: batch?.commit ?? '' });
  const [run] = data.workflow_runs;
  if (run === undefined) throw new Error('No workflow has run.');
  await w.until(async () => (await w.rows('select 1 from build where finished_at is not null')).length > 0);
  await w.person.actions.reRunWorkflow({ ...w.place, run_id: run.id });
  clock.aheadMs += 60_000;
  return { w, number, second };
}

/** The results of the commit of the batch. */
async function results(w: QueueWorld): Promise<string[]> {
  const rows = await w.rows<{ name: string; attempt: number; conclusion: string }>(
    `select r.name, r.attempt, r.conclusion from check_result r join batch b on b.tested_commit = r.commit
     where r.name in ('build', 'test') order by r.name, r.attempt`,
  );
  return rows.map(({ name, attempt, conclusion }) => `${name} ${attempt} ${conclusion}`);
}

async function openWindow(w: QueueWorld): Promise<void> {
  const repository = { owner: w.place.owner, name: w.place.repo };
  await replaceConfiguration(w.ctx, { repository, yaml: configurationYaml(requires) });
}

test.each([
  ['success', 'merged'],
  ['failure', 'blocked'],
] as const)('a job that waits in a workflow run that starts again counts with its new %s', async (end, status) => {
  const { w, number, second } = await startedAgain();
  await using _ = w;
  await openWindow(w);
  await w.until(
    async () =>
      (await results(w)).includes('test 2 pending') ||
      (await w.rows("select 1 from pull_request where status = 'merged'")).length > 0,
  );
  expect(await results(w)).toEqual(['build 1 success', 'build 2 pending', 'test 1 success', 'test 2 pending']);
  expect(await w.rows('select status from pull_request')).toEqual([{ status: 'tagged' }]);
  second.build = 'success';
  second.test = end;
  expect(await w.settled(number)).toEqual({ [number]: status });
  expect(await results(w)).toEqual(['build 1 success', 'build 2 success', 'test 1 success', `test 2 ${end}`]);
});
