// One turn of a runbook: read, decide, write, in one transaction under its row. What is left to do outside of it,
// attending to the agent or calling the code host, is carried out by whoever asked for the turn.
import { quietFor, type Context } from '../../../context.ts';
import { decideRunbook } from '../../../domain/runbooks/drive.ts';
import { relayAt } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { cancelWork, failPlanning, tellingStatus, writeLeaf } from '../steps.writer.ts';
import { keepFates } from './pull-requests.fates.ts';
import { leafOf, lockRows, readRows, situationOf, type RunbookRows } from './runbook.rows.ts';
import { describeRunbook, stepText, type RunbookSummary, type RunbookLeft } from './runbook.words.ts';

export interface RunbookAdvance {
  /** `call` and `attend` are left to be carried out. */
  readonly need: 'call' | 'attend' | 'wait' | 'ended';
  /** What is done next, or waited for, in words. */
  readonly step: string;
  /** When to look again although nothing wakes it; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  readonly summary: RunbookSummary;
}

export async function advanceRunbook(ctx: Context, runbookId: string): Promise<RunbookAdvance> {
  const advance = await ctx.db.transaction(ctx.accountId, async (tx): Promise<RunbookAdvance> => {
    const rows = await lockRows(ctx, tx, runbookId);
    await keepFates(ctx, tx, rows);
    const turn = await tellingStatus(ctx, tx, rows.runbook, async () => {
      const quiet = quietFor(ctx, { runbookId });
      return await decide(quiet, tx, await stopOutOfUse(quiet, tx, rows));
    });
    const { step } = turn;
    rows.runbook.nextLookAt = relayAt(step, ctx.clock());
    return {
      need: step.kind,
      step: stepText(step, turn.rows),
      nextLookAt: step.kind === 'wait' ? step.until : null,
      summary: await describeRunbook(tx, turn.rows, step),
    };
  });
  await passFailpoint(`runbook:advanced_${advance.need}`);
  return advance;
}

/** What is committed is still published; nothing more is begun. */
async function stopOutOfUse(ctx: Context, tx: Transaction, rows: RunbookRows): Promise<RunbookRows> {
  const { runbook, repository } = rows;
  if (repository.active || runbook.cancelRequestedAt) return rows;
  await cancelWork(ctx, tx, runbook, `The repository ${repository.owner}/${repository.name} was taken out of use.`);
  return await readRows(tx, runbook);
}

interface Decided {
  readonly rows: RunbookRows;
  readonly step: RunbookLeft;
}

/** Writes what has to be written, until something is left to do or to wait for. */
async function decide(ctx: Context, tx: Transaction, first: RunbookRows): Promise<Decided> {
  if (first.repository.deletedAt) return { rows: first, step: { kind: 'ended' } };
  let rows = first;
  for (;;) {
    const step = decideRunbook(situationOf(rows), ctx.clock().getTime());
    const { runbook } = rows;
    switch (step.kind) {
      case 'become': {
        const { status: to, because } = step;
        if (to === 'failed' || to === 'completed') Object.assign(runbook, untried);
        await writeLeaf(ctx, tx, runbook, leafOf(rows, step.leafId), {
          to,
          ...(because !== null && { errorMessage: because }),
        });
        if (to === 'completed') labelWhatIsDone(rows);
        break;
      }
      case 'fail_plan': {
        const prompt = rows.prompts.find(({ ordinal }) => ordinal === step.prompt);
        if (prompt === undefined) throw new Error(`Runbook ${runbook.number} has no prompt ${step.prompt}.`);
        Object.assign(runbook, untried);
        await failPlanning(ctx, tx, runbook, prompt, step.because);
        break;
      }
      case 'attend':
      case 'call':
      case 'wait':
      case 'ended':
        return { rows, step };
    }
    rows = await readRows(tx, runbook);
  }
}

/** Labels that wait for the end of the work are put on by a refresh. */
export function labelWhatIsDone({ prompts, leaves, runbook, pullRequests }: RunbookRows): void {
  if (!prompts.every(({ plannedAt }) => plannedAt) || !leaves.every(({ status }) => status === 'completed')) return;
  for (const row of pullRequests)
    if (row.state === 'open' && runbook.labels.some((label) => !row.labels.includes(label))) row.isStale = true;
}

export const untried = { callAt: null, calls: 0, problem: null, failingSince: null };
