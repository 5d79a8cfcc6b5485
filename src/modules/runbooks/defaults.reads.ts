// The defaults of a repository's runbooks, for fields that a request leaves out.
import type { Context } from '../../context.ts';
import type { PrMode } from '../../domain/runbooks/runbook.ts';
import type { Transaction } from '../../platform/database.ts';
import { requireScope } from '../accounts/index.ts';

export interface RunbookDefaultsRead {
  readonly draft: boolean;
  readonly prMode: PrMode;
  /** Null: the repository's default branch. */
  readonly targetBranch: string | null;
  readonly queueWhenGreen: boolean;
  /** Millionths of a US dollar. */
  readonly budgetMicros: number;
  readonly workflowFiles: boolean;
}

const defaultsOfRunbooks: RunbookDefaultsRead = {
  draft: false,
  prMode: 'single_pr',
  targetBranch: null,
  queueWhenGreen: false,
  budgetMicros: 5_000_000,
  workflowFiles: false,
};

const text = `select draft, pr_mode as "prMode", target_branch as "targetBranch", queue_when_green as "queueWhenGreen",
  budget_micros::float8 as "budgetMicros", workflow_files as "workflowFiles"
  from runbook_defaults where account_id = $1 and repository_id = $2`;

/**
 * `tx` is given inside of a transaction, so that the read uses the connection of the transaction and does not wait for
 * a second connection.
 */
export async function findRunbookDefaults(
  ctx: Context,
  repositoryId: string,
  tx?: Transaction,
): Promise<RunbookDefaultsRead> {
  const values = [ctx.accountId, repositoryId];
  const [row] =
    tx === undefined
      ? await ctx.db.read<RunbookDefaultsRead>(ctx.accountId, { name: 'runbook_defaults', text, values })
      : await tx.query<RunbookDefaultsRead>(text, values);
  return row ?? defaultsOfRunbooks;
}

export async function readRunbookDefaults(ctx: Context, repositoryId: string): Promise<RunbookDefaultsRead> {
  requireScope(ctx, 'config:read');
  return await findRunbookDefaults(ctx, repositoryId);
}
