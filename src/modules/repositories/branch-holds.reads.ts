// Reads what prevents landings on a base branch: its pause and its freezes.
import { decidePause, type PatternRule, type Pause } from '../../domain/queue/requests/pause.ts';
import type { Transaction } from '../../platform/database.ts';
import { freezeColumns, freezesOf, toFreeze, type FreezeRecord, type StoredFreeze } from './freezes.rows.ts';
import type { RepositoryRow } from './repositories.entities.ts';

export interface BranchHolds {
  /** The pause in force. Null: the base branch is not paused. */
  readonly pause: Pause | null;
  /** Freezes that no user has ended, newest first. */
  readonly freezes: readonly StoredFreeze[];
}

interface StoredRule extends PatternRule {
  readonly id: string;
}

/** What the rows say about the base branches of a repository. */
export interface HoldRows {
  readonly rules: StoredRule[];
  readonly freezes: FreezeRecord[];
}

/**
 * SQL: the columns of `HoldRows`, where `account` and `repository` are SQL for the ids of a repository, and `isRead` is
 * SQL for the rows of `freeze_rule f` that are read.
 */
export function holdColumns(account: string, repository: string, isRead: string): string {
  return `array(select jsonb_build_object('id', b.id::text, 'pattern', b.pattern, 'paused', b.paused)
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
  return await readHoldsOf(tx, await readHoldRows(tx, repository), { repository, baseBranch });
}

/** Reads the rows for `readHoldsOf`, for callers that do not have the repository's row yet. */
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

/** What the rows decide about a base branch. The pause has no message yet. */
export function decideHolds(
  { rules, freezes }: HoldRows,
  { repository, baseBranch }: { readonly repository: Pick<RepositoryRow, 'paused'>; readonly baseBranch: string },
) {
  return { pause: decidePause(repository, rules, baseBranch), freezes: freezesOf(freezes.map(toFreeze), baseBranch) };
}

/** Decides by the rows, and reads the message of the pause in force. */
export async function readHoldsOf(
  tx: Transaction,
  rows: HoldRows,
  of: { readonly repository: RepositoryRow; readonly baseBranch: string },
): Promise<BranchHolds> {
  const { pause, freezes } = decideHolds(rows, of);
  return { pause: pause === null ? null : await readPauseBy(tx, of.repository.accountId, pause.by), freezes };
}

/** The pause of a base branch now, for callers that need no freezes. */
export async function readPauseNow(
  tx: Transaction,
  repository: Pick<RepositoryRow, 'accountId' | 'id' | 'paused'>,
  baseBranch: string,
): Promise<Pause | null> {
  const rules = await tx.query<StoredRule>(
    'select id, pattern, paused from branch_pause where account_id = $1 and repository_id = $2 order by id desc',
    [repository.accountId, repository.id],
  );
  const pause = decidePause(repository, rules, baseBranch);
  return pause === null ? null : await readPauseBy(tx, repository.accountId, pause.by);
}

async function readPauseBy(tx: Transaction, accountId: string, by: StoredRule | 'repository'): Promise<Pause> {
  if (by === 'repository') return { message: null, pattern: null };
  const [stored] = await tx.query<{ message: string | null }>(
    'select paused_message as message from branch_pause where account_id = $1 and id = $2',
    [accountId, by.id],
  );
  return { message: stored?.message ?? null, pattern: by.pattern };
}
