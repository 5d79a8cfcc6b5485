// A batch with its related rows, and the next step that its row asks for: the row is the batch's own intent.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { hosted, type HostedRepository } from './hosted-repository.ts';
import {
  BatchEntity,
  QueueEntity,
  type BatchAssumptionRow,
  type BatchMemberRow,
  type BatchRow,
  type BatchRowState,
} from './queue.entities.ts';
import { loadAssumed, loadMembers } from './batch.members.ts';

export interface LoadedBatch {
  readonly batch: BatchRow;
  /** The pull requests between the base of a speculative build and its members. Otherwise empty. */
  readonly assumed: readonly BatchAssumptionRow[];
  readonly members: readonly BatchMemberRow[];
  readonly repository: RepositoryRow;
  readonly host: HostedRepository;
  readonly baseBranch: string;
}

export async function loadBatch(ctx: Context, batchId: string): Promise<LoadedBatch> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => await loadBatchIn(tx, batchId));
}

export async function loadBatchIn(tx: Transaction, batchId: string): Promise<LoadedBatch> {
  const batch = await tx.em.findOneOrFail(BatchEntity, { id: batchId });
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: batch.repositoryId });
  const queue = await tx.em.findOneOrFail(QueueEntity, { id: batch.queueId });
  const members = (await loadMembers(tx, [batchId])).get(batchId) ?? [];
  const assumed = batch.sideBuild === 'speculative' ? ((await loadAssumed(tx, [batchId])).get(batchId) ?? []) : [];
  return { batch, assumed, members, repository, host: hosted(repository), baseBranch: queue.baseBranch };
}

/** The next step of a batch. `wait`: its checks run, or its landing does. `done`: none. */
export type BatchNeed = 'make' | 'open' | 'wait' | 'clean_up' | 'done';

export function needOf(batch: {
  readonly state: BatchRowState;
  readonly hasStarted: boolean;
  readonly isCleanedUp: boolean;
  readonly isGivenUp: boolean;
}): BatchNeed {
  switch (batch.state) {
    case 'making':
      // Its members do not merge without those before them: that is its result.
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

export function needOfRow(batch: BatchRow): BatchNeed {
  return needOf({
    state: batch.state,
    hasStarted: Boolean(batch.buildStartedAt),
    isCleanedUp: Boolean(batch.cleanedUpAt),
    isGivenUp: Boolean(batch.givenUp),
  });
}

export function botBranch(batchId: string): string {
  return `mq-bot-${batchId}`;
}

export const liveStates = ['making', 'building', 'landing'] as const;
