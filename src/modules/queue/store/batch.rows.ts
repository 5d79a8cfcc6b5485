// Loads a batch with its related rows, and derives the next step of a batch from its row.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import {
  BatchAssumptionEntity,
  BatchEntity,
  BatchMemberEntity,
  QueueEntity,
  type BatchAssumptionRow,
  type BatchMemberRow,
  type BatchRow,
  type BatchRowState,
} from './queue.entities.ts';

export interface LoadedBatch {
  readonly batch: BatchRow;
  /** The pull requests that a speculative build assumes, in queue order. Empty for every other batch. */
  readonly assumed: readonly BatchAssumptionRow[];
  readonly members: readonly BatchMemberRow[];
  readonly repository: RepositoryRow;
  readonly host: HostedRepository;
  readonly baseBranch: string;
}

export async function loadBatch(ctx: Context, batchId: string): Promise<LoadedBatch> {
  const { accountId } = ctx;
  const inOrder = { column: 'batch_id', value: batchId, orderBy: 'ordinal' };
  const [batch, members] = await Promise.all([
    ctx.db.load(accountId, BatchEntity, batchId),
    ctx.db.loadAll(accountId, BatchMemberEntity, inOrder),
  ]);
  if (batch === null) throw new Error(`There is no batch ${batchId}.`);
  const [repository, queue, assumed] = await Promise.all([
    ctx.db.load(accountId, RepositoryEntity, batch.repositoryId),
    ctx.db.load(accountId, QueueEntity, batch.queueId),
    batch.sideBuild === 'speculative' ? ctx.db.loadAll(accountId, BatchAssumptionEntity, inOrder) : [],
  ]);
  if (repository === null || queue === null) throw new Error(`There is no batch ${batchId}.`);
  return { batch, assumed, members, repository, host: toHostedRepository(repository), baseBranch: queue.baseBranch };
}

/** The ids of the pull requests of a batch. */
export function idsOfMembers({ members }: Pick<LoadedBatch, 'members'>): string[] {
  return members.map((member) => member.pullRequestId);
}

/** Locks the row of a batch, and reads it again under the lock. */
export async function lockBatch(tx: Transaction, batchId: string): Promise<BatchRow> {
  const batch = await tx.lock(BatchEntity, batchId, 'no key update');
  if (batch === null) throw new Error(`There is no batch ${batchId}.`);
  return batch;
}

/** The next step of a batch. `wait`: its checks run, or its landing is under way. `done`: there is no next step. */
export type NextBatchStep = 'make' | 'open' | 'wait' | 'clean_up' | 'done';

/** The columns of a batch that its next step depends on. */
export interface BatchStepFacts {
  readonly state: BatchRowState;
  readonly hasStarted: boolean;
  readonly isCleanedUp: boolean;
  readonly isGivenUp: boolean;
}

export function nextStepOf(batch: BatchStepFacts): NextBatchStep {
  switch (batch.state) {
    case 'making':
      // A batch is given up if its members cannot be merged, or if its commit is missing. Then there is nothing to make.
      return batch.isGivenUp ? 'wait' : 'make';
    case 'building':
      return batch.hasStarted ? 'wait' : 'open';
    case 'landing':
      return 'wait';
    case 'landed':
    case 'failed':
    case 'bisected':
    case 'superseded':
      return batch.isCleanedUp ? 'done' : 'clean_up';
    default:
      return batch.state satisfies never;
  }
}

export function nextStepOfRow(batch: BatchRow): NextBatchStep {
  return nextStepOf({
    state: batch.state,
    hasStarted: Boolean(batch.buildStartedAt),
    isCleanedUp: Boolean(batch.cleanedUpAt),
    isGivenUp: Boolean(batch.givenUp),
  });
}

export function botBranch(batchId: string): string {
  return `mq-bot-${batchId}`;
}

/** Returns SQL: whether the bot pull request of a batch stands on its commit. `batch` names the row of the batch. */
export function sqlHasOpenedBot(batch: string): string {
  return `exists (select from bot_pull_request o where o.account_id = ${batch}.account_id and o.batch_id = ${batch}.id and o.opened_at is not null)`;
}

/**
 * Returns SQL: whether a batch was started without a build of its own, because another build counts for it or its
 * validation is skipped. `batch` names the row of the batch.
 */
export function sqlNeedsNoBuild(batch: string): string {
  return `(${batch}.mode <> 'serial' and ${batch}.build_started_at is not null and not ${sqlHasOpenedBot(batch)})`;
}

export const liveStates = ['making', 'building', 'landing'] as const;
