import type { Repository } from '../../repositories/repositories.types.ts';
import type { BotPullRequest } from './bot-pull-requests.types.ts';

export const botColumns = `bot.id, bot.repository_id as "repositoryId", bot.batch_id as "batchId", bot.number, bot.url as "githubUrl",
  bot.target_branch as "targetBranch", bot.head_commit_sha as "headCommitSha", bot.head_commit_sha as "headBranchOid",
  bot.pre_batch_sha as "codemixPreBatchSha", bot.closed_at as "closedAt"`;

export type BotRow = Omit<BotPullRequest, 'repository'>;

/** A row as part of a JSON value. Its ids are numbers, and its instants are strings. */
export interface EmbeddedBotRow extends Omit<BotRow, 'id' | 'batchId' | 'repositoryId' | 'closedAt'> {
  readonly id: number;
  readonly batchId: number;
  readonly repositoryId: number;
  readonly closedAt: string | null;
}

export function botOf(row: EmbeddedBotRow, repository: Repository): BotPullRequest {
  const closedAt = row.closedAt === null ? null : new Date(row.closedAt);
  return {
    ...row,
    id: String(row.id),
    batchId: String(row.batchId),
    repositoryId: String(row.repositoryId),
    closedAt,
    repository,
  };
}
