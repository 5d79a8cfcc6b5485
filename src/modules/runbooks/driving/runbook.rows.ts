// The rows of a runbook that a turn reads, and the situation that they describe.
import type { Context } from '../../../context.ts';
import { countAttempts, type LeafSituation, type RunbookSituation } from '../../../domain/runbooks/drive.ts';
import { placeLeaf, stepOf, type PlacedPullRequest, type Place } from '../../../domain/runbooks/pull-requests.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Transaction } from '../../../platform/database.ts';
import { hostFailuresOf } from '../../../platform/turns/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import {
  RunbookCommitEntity,
  RunbookPullRequestEntity,
  type RunbookCommitRow,
  type RunbookPromptRow,
  type RunbookPullRequestRow,
  type RunbookRow,
  type RunbookStepRow,
} from '../runbooks.entities.ts';
import { lockRunbook } from '../runbooks.locks.ts';
import { loadPrompts, loadSteps } from '../steps.writer.ts';

export interface RunbookRows {
  readonly runbook: RunbookRow;
  readonly repository: RepositoryRow;
  readonly prompts: readonly RunbookPromptRow[];
  /** Steps and leaves, in order. */
  readonly steps: readonly RunbookStepRow[];
  readonly leaves: readonly RunbookStepRow[];
  /** In the order of the stack. */
  readonly pullRequests: readonly RunbookPullRequestRow[];
  /** The commits that were not voided, oldest first. */
  readonly commits: readonly RunbookCommitRow[];
}

/** Locks the runbook's row, and reads the other rows of the runbook under this lock. */
export async function lockRows(ctx: Context, tx: Transaction, runbookId: string): Promise<RunbookRows> {
  const runbook = await lockRunbook(ctx, tx, runbookId);
  return await readRows(tx, runbook);
}

/** Reads the rows of a runbook, including changes of this transaction. The caller locks the runbook's row. */
export async function readRows(tx: Transaction, runbook: RunbookRow): Promise<RunbookRows> {
  await tx.em.flush();
  const { accountId, id: runbookId } = runbook;
  const of = { accountId, runbookId };
  const steps = await loadSteps(tx, runbook);
  return {
    runbook,
    repository: await tx.em.findOneOrFail(RepositoryEntity, { id: runbook.repositoryId, accountId }),
    prompts: await loadPrompts(tx, runbook),
    steps,
    leaves: steps.filter(({ status }) => status !== null && status !== undefined),
    pullRequests: await tx.em.find(RunbookPullRequestEntity, of, { orderBy: { ordinal: 'asc' }, refresh: true }),
    commits: await tx.em.find(
      RunbookCommitEntity,
      { ...of, state: { $ne: 'void' } },
      { orderBy: { id: 'asc' }, refresh: true },
    ),
  };
}

/** How many attempts of the agent in a row had no result. */
export function attemptsOf({ calls, callAt, failingSince, uncountedCallAt }: RunbookRow): number {
  return countAttempts({
    ...hostFailuresOf({ callAt, failingSince }),
    calls,
    uncountedCallAt: uncountedCallAt?.getTime() ?? null,
  });
}

export function situationOf(rows: RunbookRows): RunbookSituation {
  const { runbook, repository, prompts, leaves, pullRequests } = rows;
  return {
    prompts: prompts.map(({ ordinal, plannedAt }) => ({ ordinal, isPlanned: Boolean(plannedAt) })),
    leaves: leaves.map((leaf) => leafSituation(rows, leaf)),
    pullRequests: pullRequests.map((row) => ({
      id: row.id,
      ordinal: row.ordinal,
      state: row.state,
      isPushed: Boolean(row.headCommit),
      isStale: row.isStale,
      isQueued: Boolean(row.queuedHead) && row.queuedHead === row.headCommit,
      isBelowMerged: pullRequests.some(({ branch, state }) => branch === row.baseBranch && state === 'merged'),
    })),
    // A prompt that came after the cancellation continues the runbook.
    isCanceled: Boolean(runbook.cancelRequestedAt) && prompts.every(({ plannedAt }) => plannedAt),
    isActive: repository.active,
    prMode: runbook.prMode,
    isPublishAsked: Boolean(runbook.publishRequestedAt),
    queueWhenGreen: runbook.queueWhenGreen,
    supervisedUntil: runbook.supervisedUntil?.getTime() ?? null,
    callAt: runbook.callAt?.getTime() ?? null,
    calls: attemptsOf(runbook),
    problem: runbook.problem ?? null,
    failingSince: runbook.failingSince?.getTime() ?? null,
  };
}

function leafSituation({ commits }: RunbookRows, leaf: RunbookStepRow): LeafSituation {
  const commit = commits.find(({ stepId }) => stepId === leaf.id);
  return {
    id: leaf.id,
    number: leaf.number,
    status: leaf.status ?? 'not_started',
    isPassedOver: leaf.passedOver,
    commit: commit === undefined ? 'none' : commit.state === 'made' ? 'made' : 'pushed',
    pullRequestId: commit?.pullRequestId ?? null,
  };
}

/** Decides which pull request gets the commit of a leaf, by the states of the runbook's pull requests. */
export function placeOf(rows: RunbookRows, leaf: string): Place {
  const { runbook } = rows;
  return placeLeaf({ ...runbook, pullRequests: placedPullRequests(rows) }, leaf);
}

function placedPullRequests(rows: RunbookRows): PlacedPullRequest[] {
  return rows.pullRequests.map(({ id, ordinal, branch, state }) => ({
    id,
    ordinal,
    branch,
    state,
    steps: [...new Set(leavesIn(rows, id).map(({ number }) => stepOf(number)))],
  }));
}

/** The leaves whose commits a pull request has, in order. */
export function leavesIn({ leaves, commits }: RunbookRows, pullRequestId: string): RunbookStepRow[] {
  const there = new Set(commits.filter((commit) => commit.pullRequestId === pullRequestId).map(({ stepId }) => stepId));
  return leaves.filter(({ id }) => there.has(id));
}

export function leafOf({ leaves }: RunbookRows, leafId: string): RunbookStepRow {
  return mustFind(leaves, leafId, 'step');
}

export function pullRequestOf({ pullRequests }: RunbookRows, id: string): RunbookPullRequestRow {
  return mustFind(pullRequests, id, 'pull request');
}

function mustFind<Row extends { readonly id: string }>(rows: readonly Row[], id: string, name: string): Row {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new DomainError('CONFLICT', `The runbook has no ${name} ${id} any more.`);
  return found;
}
