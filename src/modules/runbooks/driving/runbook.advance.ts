// What a turn of a runbook reads, decides and writes in a transaction that locks the runbook's row.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { decideRunbook, type RunbookSituation, type RunbookStep } from '../../../domain/runbooks/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import {
  takeTurn,
  noFailedCalls as untriedCalls,
  type Kind,
  type KindTypes,
  type TurnOf,
  type WrittenStep,
} from '../../../platform/turns/index.ts';
import type { RunbookStepRow } from '../runbooks.entities.ts';
import { cancelWork, failPlanning, withStatusEvent, writeLeaf } from '../steps.writer.ts';
import type { RunbookDriving } from './agent-session.ts';
import { placeCommitsAgain } from './commit-places.ts';
import { writeEndedPullRequests } from './pull-requests.ended.ts';
import { leafOf, lockRows, readRows, situationOf, type RunbookRows } from './runbook.rows.ts';
import { describeRunbook, stepText, type RunbookLeft, type RunbookSummary } from './runbook.text.ts';

export interface RunbookTypes extends KindTypes {
  readonly rows: RunbookRows;
  /** Null: the runbook's repository was deleted. */
  readonly situation: RunbookSituation | null;
  readonly left: RunbookLeft;
  readonly written: Exclude<RunbookStep, RunbookLeft>;
  readonly shown: { readonly step: string; readonly summary: RunbookSummary };
  readonly by: RunbookDriving;
}

export type RunbookAdvance = TurnOf<RunbookTypes>;

export const runbookKind: Kind<RunbookTypes> = {
  whose: (id) => ({ runbookId: id }),
  lock: lockRows,
  rowOf: ({ runbook }) => runbook,
  prepare: async (ctx, tx, rows) => {
    await writeEndedPullRequests(ctx, tx, rows);
    return await cancelIfInactive(ctx, tx, await placeCommitsAgain(tx, rows));
  },
  read: async (_ctx, _tx, rows) => (rows.repository.deletedAt ? null : situationOf(rows)),
  decide: (situation, now) => (situation === null ? { kind: 'ended' } : decideRunbook(situation, now)),
  write: async (ctx, tx, { rows, step }) => {
    await write(ctx, tx, { rows, step });
    return await readRows(tx, rows.runbook);
  },
  show: async (_ctx, tx, { rows, step }) => ({
    step: stepText(step, rows),
    summary: await describeRunbook(tx, rows, step),
  }),
  // The status of a runbook is derived from its leaves, so `withStatusEvent` writes the event about a change.
  change: async (ctx, tx, { rows: { runbook }, work }) => await withStatusEvent(ctx, tx, { runbook, work }),
};

export async function advanceRunbook(ctx: Context, runbookId: string): Promise<RunbookAdvance> {
  const advance = await takeTurn(ctx, runbookKind, runbookId);
  await passFailpoint(`runbook:advanced_${advance.need}`);
  return advance;
}

/**
 * Cancels the open work of a runbook whose repository is inactive. Existing commits are still published. A runbook whose
 * pull requests only wait to be queued is not canceled, and continues when the repository is active again.
 */
async function cancelIfInactive(ctx: Context, tx: Transaction, rows: RunbookRows): Promise<RunbookRows> {
  const { runbook, repository, leaves, prompts, commits } = rows;
  if (repository.active || runbook.cancelRequestedAt) return rows;
  const isOpen = ({ id, status }: RunbookStepRow): boolean =>
    status !== 'completed' && status !== 'failed' && !commits.some(({ stepId }) => stepId === id);
  if (!leaves.some(isOpen) && prompts.every(({ plannedAt }) => plannedAt)) return rows;
  await cancelWork(ctx, tx, {
    runbook,
    message: `The repository ${repository.owner}/${repository.name} was deactivated.`,
  });
  return await readRows(tx, runbook);
}

async function write(ctx: Context, tx: Transaction, { rows, step }: WrittenStep<RunbookTypes>): Promise<void> {
  const { runbook } = rows;
  switch (step.kind) {
    case 'become': {
      const { status: to, because } = step;
      if (to === 'failed' || to === 'completed') Object.assign(runbook, untried);
      const errorMessage = because === null ? {} : { errorMessage: because };
      await writeLeaf(ctx, tx, { runbook, leaf: leafOf(rows, step.leafId), to, ...errorMessage });
      if (to === 'completed') markForFinalLabels(rows);
      return;
    }
    case 'fail_plan': {
      const prompt = rows.prompts.find(({ ordinal }) => ordinal === step.prompt);
      if (prompt === undefined) throw new Error(`Runbook ${runbook.number} has no prompt ${step.prompt}.`);
      Object.assign(runbook, untried);
      return await failPlanning(ctx, tx, { runbook, prompt, message: step.because });
    }
    default:
      step satisfies never;
  }
}

/** Marks pull requests for an update that adds the labels which wait for the end of the work. */
export function markForFinalLabels({ prompts, leaves, runbook, pullRequests }: RunbookRows): void {
  if (!prompts.every(({ plannedAt }) => plannedAt) || !leaves.every(({ status }) => status === 'completed')) return;
  for (const row of pullRequests)
    if (row.state === 'open' && runbook.labels.some((label) => !hasLabel(row.labels, label))) row.isStale = true;
}

export const untried = { ...untriedCalls, failingSince: null };
