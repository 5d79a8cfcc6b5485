// Only this file changes the status of leaves. It writes an event with each change, and contains what a cancellation, a
// retry and a follow-up prompt do to leaves. All functions run in a transaction that locks the runbook's row.
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { runbookStatus, type RunbookStatus, type StepStatus } from '../../domain/runbooks/runbook.ts';
import { canMoveStep, leftOutText } from '../../domain/runbooks/steps.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import {
  RunbookCommitEntity,
  RunbookPromptEntity,
  RunbookStepEntity,
  type RunbookPromptRow,
  type RunbookRow,
  type RunbookStepRow,
} from './runbooks.entities.ts';

export interface LeafWrite {
  readonly runbook: RunbookRow;
  readonly leaf: RunbookStepRow;
  readonly to: StepStatus;
  /** Why the step failed, for people. */
  readonly errorMessage?: string;
}

export async function writeLeaf(
  ctx: Context,
  tx: Transaction,
  { runbook, leaf, to, errorMessage }: LeafWrite,
): Promise<void> {
  const from = leaf.status ?? null;
  if (from === to) return;
  if (from === null || !canMoveStep(from, to))
    throw new DomainError('CONFLICT', `Step ${leaf.number} is ${from ?? 'no leaf'} and cannot become ${to}.`);
  const now = ctx.clock();
  leaf.status = to;
  if (to === 'in_progress') leaf.startedAt ??= now;
  leaf.endedAt = to === 'completed' || to === 'failed' ? now : null;
  leaf.errorMessage = to === 'failed' ? (errorMessage ?? 'The step failed.') : null;
  if (to === 'not_started' || to === 'queued') leaf.passedOver = false;
  await announceStep(ctx, tx, { runbook, leaf });
}

export async function announceStep(
  ctx: Context,
  tx: Transaction,
  { runbook, leaf }: Pick<LeafWrite, 'runbook' | 'leaf'>,
): Promise<void> {
  const { id, number, repositoryId } = runbook;
  const { number: step, title, status, errorMessage } = leaf;
  await appendEvents(ctx, tx, [
    {
      repositoryId,
      runbookId: id,
      action: 'runbook_step_changed',
      payload: { number, step, title, status, errorMessage: errorMessage ?? null },
    },
  ]);
}

/**
 * Runs `work`, which changes leaves of a runbook. If this changes the status of the runbook, writes an event about the
 * new status.
 */
export async function withStatusEvent<T>(
  ctx: Context,
  tx: Transaction,
  { runbook, work }: { readonly runbook: RunbookRow; readonly work: () => Promise<T> },
): Promise<T> {
  const before = await statusIn(tx, runbook);
  const result = await work();
  const status = await statusIn(tx, runbook);
  if (status !== before)
    await appendEvents(ctx, tx, [
      {
        repositoryId: runbook.repositoryId,
        runbookId: runbook.id,
        action: 'runbook_status_changed',
        payload: { number: runbook.number, status, before },
      },
    ]);
  return result;
}

async function statusIn(tx: Transaction, { accountId, id }: RunbookRow): Promise<RunbookStatus> {
  await tx.em.flush();
  const leaves = await tx.query<{ status: StepStatus }>(
    'select status from runbook_step where account_id = $1 and runbook_id = $2 and status is not null',
    [accountId, id],
  );
  return runbookStatus(leaves.map(({ status }) => status));
}

/**
 * Cancels the open work of a runbook. Unfinished leaves fail with this message, and a prompt that was never planned
 * gets a failed leaf. Leaves that have a commit do not fail, because existing commits are still published.
 */
export async function cancelWork(
  ctx: Context,
  tx: Transaction,
  { runbook, message }: { readonly runbook: RunbookRow; readonly message: string },
): Promise<void> {
  await withStatusEvent(ctx, tx, {
    runbook,
    work: async () => {
      runbook.cancelRequestedAt = ctx.clock();
      const committed = await committedSteps(tx, runbook);
      for (const leaf of await loadLeaves(tx, runbook))
        if (leaf.status !== 'completed' && leaf.status !== 'failed' && !committed.has(leaf.id))
          await writeLeaf(ctx, tx, { runbook, leaf, to: 'failed', errorMessage: message });
      for (const prompt of await loadPrompts(tx, runbook))
        if (!prompt.plannedAt) await failPlanning(ctx, tx, { runbook, prompt, message });
    },
  });
}

/** What a retry starts again. */
export interface RetriedWork {
  /** Numbers of the leaves that are tried again, in their order. */
  readonly retries: readonly string[];
  /** Ordinals of the prompts that are planned again. */
  readonly plans: readonly number[];
  /** Numbers of the pull requests that are queued because the retry ends a cancellation. */
  readonly queues: readonly number[];
}

/**
 * Queues the failed leaves again, in their order, and plans prompts again whose planning failed. If no leaf failed, only
 * ends a cancellation that left out the pull requests `unqueued`. Throws CONFLICT if there are none.
 */
export async function retryWork(
  ctx: Context,
  tx: Transaction,
  { runbook, unqueued }: { readonly runbook: RunbookRow; readonly unqueued: readonly number[] },
): Promise<RetriedWork> {
  return await withStatusEvent(ctx, tx, {
    runbook,
    work: async () => {
      const leaves = await loadLeaves(tx, runbook);
      const queues = runbook.cancelRequestedAt && leaves.every(({ status }) => status === 'completed') ? unqueued : [];
      const failed = queues.length > 0 ? [] : failedToRetry(leaves);
      Object.assign(runbook, { cancelRequestedAt: null, callAt: null, calls: 0, problem: null, failingSince: null });
      const isBusy = leaves.some(({ status }) => status === 'queued' || status === 'in_progress');
      const retries = failed.filter((leaf) => !hasNoPlan(leaf)).map(({ number }) => number);
      const plans = failed.filter(hasNoPlan).map(({ promptOrdinal }) => promptOrdinal);
      for (const [index, leaf] of failed.entries()) {
        if (hasNoPlan(leaf)) await planAgain(tx, runbook, leaf);
        else await writeLeaf(ctx, tx, { runbook, leaf, to: index === 0 && !isBusy ? 'queued' : 'not_started' });
      }
      return { retries, plans, queues };
    },
  });
}

/**
 * Lets a follow-up prompt continue after a failed leaf. Leaves after the failed leaf that were not started fail too,
 * with a message that says that they were left out.
 */
export async function passOverFailed(ctx: Context, tx: Transaction, runbook: RunbookRow): Promise<void> {
  const leaves = await loadLeaves(tx, runbook);
  const failed = leaves.find(({ status, passedOver }) => status === 'failed' && !passedOver);
  if (failed === undefined) return;
  for (const leaf of leaves) {
    if (leaf.position > failed.position && (leaf.status === 'not_started' || leaf.status === 'queued'))
      await writeLeaf(ctx, tx, { runbook, leaf, to: 'failed', errorMessage: leftOutText(failed.number) });
    if (leaf.status === 'failed') leaf.passedOver = true;
  }
}

const planless = { planless: true } as const;

/**
 * Adds a failed leaf that says why the planning of a prompt failed (interface 3.3). If a later prompt waits already,
 * the runbook continues with that prompt.
 */
export async function failPlanning(
  ctx: Context,
  tx: Transaction,
  {
    runbook,
    prompt,
    message,
  }: { readonly runbook: RunbookRow; readonly prompt: RunbookPromptRow; readonly message: string },
): Promise<void> {
  const place = await endOfPlan(tx, runbook);
  const { accountId, id: runbookId } = runbook;
  const later = { accountId, runbookId, plannedAt: null, ordinal: { $gt: prompt.ordinal } };
  const common = { accountId, runbookId, promptOrdinal: prompt.ordinal, title: 'Plan the steps' };
  const step = tx.em.create(RunbookStepEntity, {
    ...common,
    number: String(place.steps + 1),
    position: place.position + 1,
  });
  await tx.em.flush();
  const now = ctx.clock();
  const leaf = tx.em.create(RunbookStepEntity, {
    ...common,
    parentId: step.id,
    number: `${place.steps + 1}.1`,
    position: place.position + 2,
    instructions: planless,
    status: 'failed',
    passedOver: (await tx.em.count(RunbookPromptEntity, later)) > 0,
    errorMessage: message,
    startedAt: now,
    endedAt: now,
  });
  prompt.plannedAt = now;
  await tx.em.flush();
  await announceStep(ctx, tx, { runbook, leaf });
}

export async function endOfPlan(
  tx: Transaction,
  { accountId, id }: RunbookRow,
): Promise<{ readonly steps: number; readonly position: number }> {
  await tx.em.flush();
  const [end] = await tx.query<{ steps: number; position: number }>(
    `select count(*) filter (where parent_id is null)::int as steps, coalesce(max(position), 0) as position
     from runbook_step where account_id = $1 and runbook_id = $2`,
    [accountId, id],
  );
  return end ?? { steps: 0, position: 0 };
}

function hasNoPlan({ instructions }: RunbookStepRow): boolean {
  return typeof instructions === 'object' && instructions !== null && 'planless' in instructions;
}

// A prompt whose planning failed is planned again only if no later prompt has steps, because the numbers of later steps
// must not change.
function failedToRetry(leaves: readonly RunbookStepRow[]): RunbookStepRow[] {
  const failed = leaves.filter(({ status }) => status === 'failed');
  const lastPlanned = leaves.findLast((leaf) => !hasNoPlan(leaf))?.position ?? 0;
  const again = failed.filter((leaf) => !hasNoPlan(leaf) || leaf.position > lastPlanned);
  if (again.length > 0) return again;
  const [first] = failed;
  throw new DomainError(
    'CONFLICT',
    first === undefined
      ? 'No step of the runbook has failed, so there is nothing to retry.'
      : `The planning of step ${first.number} failed, and later prompts were planned since. Send the prompt of this step again as a follow-up prompt.`,
  );
}

async function planAgain(tx: Transaction, runbook: RunbookRow, leaf: RunbookStepRow): Promise<void> {
  const { accountId, id: runbookId } = runbook;
  await tx.em.nativeDelete(RunbookStepEntity, { accountId, id: leaf.parentId ?? '' });
  await tx.em.nativeUpdate(
    RunbookPromptEntity,
    { accountId, runbookId, ordinal: leaf.promptOrdinal },
    { plannedAt: null, attempts: 0 },
  );
}

export async function loadLeaves(tx: Transaction, { accountId, id }: RunbookRow): Promise<RunbookStepRow[]> {
  return (await loadSteps(tx, { accountId, id })).filter(({ status }) => status !== null && status !== undefined);
}

/** Steps and leaves, in order. */
export async function loadSteps(
  tx: Transaction,
  { accountId, id }: Pick<RunbookRow, 'accountId' | 'id'>,
): Promise<RunbookStepRow[]> {
  const of = { accountId, runbookId: id };
  return await tx.em.find(RunbookStepEntity, of, { orderBy: { position: 'asc' }, refresh: true });
}

export async function loadPrompts(tx: Transaction, { accountId, id }: RunbookRow): Promise<RunbookPromptRow[]> {
  const of = { accountId, runbookId: id };
  return await tx.em.find(RunbookPromptEntity, of, { orderBy: { ordinal: 'asc' }, refresh: true });
}

async function committedSteps(tx: Transaction, { accountId, id }: RunbookRow): Promise<ReadonlySet<string>> {
  const commits = await tx.em.find(RunbookCommitEntity, { accountId, runbookId: id, state: { $ne: 'void' } });
  return new Set(commits.map(({ stepId }) => stepId));
}
