// Runbooks on the worker of production: what a person reads there, and what becomes of them when a worker is killed with
// -9, stopped, or lost with all of its wakes.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runbookWorkflowId } from '../../workflows/runbook/messages.ts';
import { runbookNumberAttribute, runbookStatusAttribute } from '../../workflows/shared/search-attributes.ts';
import { runbooksOf, type Runbooks } from '../support/runbook-world.ts';
import { among } from '../support/tier.ts';
import { engineWorld, eventually, keepHistory, type EngineWorld } from './engine-world.ts';

interface Stage extends AsyncDisposable {
  readonly e: EngineWorld;
  readonly r: Runbooks;
  readonly until: (isSo: () => Promise<boolean>, what: string) => Promise<void>;
  workflow(): Promise<ReturnType<EngineWorld['client']['workflow']['getHandle']>>;
}

async function stage(): Promise<Stage> {
  const e = await engineWorld();
  const until: Stage['until'] = async (isSo, what) =>
    await eventually(isSo, what, 90_000).catch(async (error: Error) => {
      throw new Error(
        `${error.message} ${JSON.stringify([await r.leaves(1), await r.pullRequests(1), await e.w.rows('select problem, calls, supervised_until, next_look_at from runbook')])}`,
      );
    });
  const r = runbooksOf(e.w, async (isSo) => await until(isSo, 'the runbook'));
  return {
    e,
    r,
    until,
    async workflow() {
      const [row] = await e.w.rows<{ id: string }>('select id from runbook where number = 1');
      const { accountId } = e.w.ctx;
      return e.client.workflow.getHandle(runbookWorkflowId({ accountId, runbookId: row?.id ?? '' }));
    },
    async [Symbol.asyncDispose]() {
      await e[Symbol.asyncDispose]();
    },
  };
}

describe('on Temporal', { timeout: 300_000 }, () => {
  it('a runbook comes to its end and says so; a follow-up starts it again, and what is queued lands', async () => {
    await using s = await stage();
    const { e, r } = s;
    await e.start();
    const number = await r.begin('write a.txt one | write b.txt two\nnothing else');
    await r.rest(number);
    const workflow = await s.workflow();
    expect(await workflow.result()).toEqual({ status: 'completed', summary: 'Runbook 1: Plan 1: completed' });
    const { typedSearchAttributes } = await workflow.describe();
    expect(typedSearchAttributes.get(runbookNumberAttribute)).toBe(1);
    expect(typedSearchAttributes.get(runbookStatusAttribute)).toBe('completed');
    await keepHistory('runbooks.completed', await workflow.fetchHistory());

    await e.w.rows('update runbook set queue_when_green = true');
    await r.follow(number, 'write c.txt three');
    await s.until(async () => (await r.pullRequests(number))[0]?.startsWith('1 merged') === true, 'it has merged');
    await r.rest(number);
    expect(await r.file('main', 'c.txt')).toBe('three');
    await keepHistory('runbooks.followed-and-queued', await (await s.workflow()).fetchHistory());
  });

  it('workers are killed while it plans and after its effects: another goes on, and nothing is done twice', async () => {
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
    for (const place of among(places, ['runbook:pushed'])) {
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

  it('a worker is stopped while an agent works, and a person cancels while the next one works', async () => {
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
    expect(await workflow.result()).toMatchObject({ status: 'failed' });
    await keepHistory('runbooks.canceled', await workflow.fetchHistory());
  });
});
