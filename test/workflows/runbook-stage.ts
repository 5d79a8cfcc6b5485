// A world with the engine on Temporal, for tests of runbooks.
import { runbookWorkflowId } from '../../workflows/runbook/messages.ts';
import { runbooksOf, type Runbooks } from '../support/runbook-world.ts';
import { engineWorld, eventually, type EngineWorld } from './engine-world.ts';

interface Stage extends AsyncDisposable {
  readonly e: EngineWorld;
  readonly r: Runbooks;
  readonly until: (isSo: () => Promise<boolean>, what: string) => Promise<void>;
  workflow(): Promise<ReturnType<EngineWorld['client']['workflow']['getHandle']>>;
}

export async function stage(): Promise<Stage> {
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
