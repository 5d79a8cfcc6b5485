// Reads with one statement what prevents landings on a base branch: its pause and its freezes.
import { decidePause, type Pause, type PauseRule } from '../../domain/queue/requests/pause.ts';
import type { Transaction } from '../../platform/database.ts';
import { freezeColumns, freezesOf, toFreeze, type FreezeRecord, type StoredFreeze } from './freezes.rows.ts';
import type { RepositoryRow } from './repositories.entities.ts';

export interface BranchHolds {
  /** The pause in force. Null: the base branch is not paused. */
  readonly pause: Pause | null;
  /** Freezes that no user has ended, newest first. */
  readonly freezes: readonly StoredFreeze[];
}

/** What the rows say about the base branches of a repository. */
export interface HoldRows {
  readonly rules: PauseRule[];
  readonly freezes: FreezeRecord[];
}

/**
 * SQL: the columns of `HoldRows`, where `account` and `repository` are SQL for the ids of a repository, and `isRead` is
 * SQL for the rows of `freeze_rule f` that are read.
 */
export function holdColumns(account: string, repository: string, isRead: string): string {
  return `array(select jsonb_build_object('pattern', b.pattern, 'paused', b.paused, 'pausedMessage', b.paused_message)
                from branch_pause b where b.account_id = ${account} and b.repository_id = ${repository} order by b.id desc) as rules,
          array(select to_jsonb(f) || jsonb_build_object('id', f.id::text, 'repositoryId', f."repositoryId"::text)
                from (select ${freezeColumns} from freeze_rule f
                      where f.account_id = ${account} and f.repository_id = ${repository} and ${isRead}) f
                order by f.id desc) as freezes`;
}

/**
 * The caller locks the repository's row or the queue's row. The landing gate locks the repository's row, so that no
 * pause and no freeze is written before the transaction ends. The planner locks the queue's row, and a pause or freeze
 * that is written later causes another turn.
 */
export async function readBranchHolds(
  tx: Transaction,
  repository: RepositoryRow,
  baseBranch: string,
): Promise<BranchHolds> {
  return branchHoldsOf(await readHoldRows(tx, repository), repository, baseBranch);
}

/** Reads the rows for `branchHoldsOf`, for callers that do not have the repository's row yet. */
export async function readHoldRows(
  tx: Transaction,
  repository: Pick<RepositoryRow, 'accountId' | 'id'>,
): Promise<HoldRows> {
  const [held] = await tx.query<HoldRows>(`select ${holdColumns('$1', '$2', 'f.deleted_at is null')}`, [
    repository.accountId,
    repository.id,
  ]);
  return held ?? { rules: [], freezes: [] };
}

export function branchHoldsOf(
  { rules, freezes }: HoldRows,
  repository: Pick<RepositoryRow, 'paused'>,
  baseBranch: string,
): BranchHolds {
  return {
    pause: decidePause(repository, rules, baseBranch),
    freezes: freezesOf(freezes.map(toFreeze), baseBranch),
  };
}
