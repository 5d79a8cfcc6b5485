// Runbooks on Temporal whose worker is stopped or killed with -9, and a runbook that is canceled.
import { writeFile } from 'node:fs/promises';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { keepHistory } from './engine-world.ts';
import { stage } from './runbook-stage.ts';

describe('on Temporal', { timeout: 300_000 }, () => {
  it('if a worker is stopped while an agent works, another worker goes on, and a user cancels the next step', async () => {
    await using s = await stage();
    const { e, r } = s;
    const number = await r.begin(`hold ${e.w.dataDir}/release\nhold ${e.w.dataDir}/never`);
    const first = await e.start();
    await s.until(async () => (await r.log(number)).includes('I am to hold'), 'the agent works');
    await first.stop();
    expect(await e.w.rows('select supervised_by, calls from runbook')).toEqual([{ supervised_by: null, calls: 0 }]);
    await writeFile(`${e.w.dataDir}/release`, '');
    await e.start();
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await r.cancel(number);
    await r.become(number, '1.1 completed', '2.1 failed: Canceled by interlock.');
    await r.rest(number);
    const workflow = await s.workflow();
    // Temporal too lists the runbook as failed.
    const failure = await workflow.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect((failure as WorkflowFailedError).cause?.message).toMatch(/^Runbook 1: .*: failed$/);
    await keepHistory('runbooks.canceled', await workflow.fetchHistory());
  });

  it('if workers are killed during the plan and after each effect, another worker goes on, and nothing is done twice', async () => {
    await using s = await stage();
    const { e, r } = s;
    const number = await r.begin('write a.txt one\nwrite b.txt two');
    const places = [
      'runbook:supervising_plan',
      'runbook:committed',
      'runbook:after_leaf_written',
      'runbook:pushed',
      'runbook:opened',
    ];
    for (const place of places) {
      const engine = await e.start(place);
      expect(await engine.ended, place).toMatch(/SIGKILL|137/);
    }
    await e.start();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '2.1 completed']);
    expect(await r.commits('interlock/runbook-1')).toEqual(['write a.txt one', 'write b.txt two']);
    expect(await e.w.rows('select 1 from local_pull_request')).toHaveLength(1);
    const workflow = await s.workflow();
    expect(await workflow.result()).toMatchObject({ status: 'completed' });
    await keepHistory('runbooks.killed', await workflow.fetchHistory());
  });
});
