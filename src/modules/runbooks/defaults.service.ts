// Changes the defaults of a repository's runbooks. Every user who may change the repository's configuration may change
// these defaults.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { requireBudget } from '../../domain/runbooks/request.ts';
import { recordUserAction, requireScope } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { loadRepository, lockRepository, type RepositoryName } from '../repositories/index.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';
import { findRunbookDefaults, type RunbookDefaultsRead } from './defaults.reads.ts';
import { requireBranch } from './runbooks.preconditions.ts';

type Given = { readonly [Key in keyof RunbookDefaultsRead]?: RunbookDefaultsRead[Key] | null | undefined };

export interface RunbookDefaultsChange extends Given {
  readonly repository: RepositoryName;
}

/** Fields that are left out stay unchanged. A null target branch means the repository's default branch. */
export async function updateRunbookDefaults(ctx: Context, change: RunbookDefaultsChange): Promise<RepositoryRow> {
  requireScope(ctx, 'config:write');
  if (typeof change.budgetMicros === 'number') requireBudget(change.budgetMicros);
  const repository = await loadRepository(ctx, change.repository, 'config:write');
  if (typeof change.targetBranch === 'string') await requireBranch(ctx, repository, change.targetBranch);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockRepository(ctx, tx, repository.id);
    const before = await findRunbookDefaults(ctx, repository.id, tx);
    const after = merged(before, change);
    if (isDeepStrictEqual(before, after)) return;
    await tx.send(
      `insert into runbook_defaults (account_id, repository_id, draft, pr_mode, target_branch, queue_when_green, budget_micros, workflow_files, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (account_id, repository_id) do update
       set draft = excluded.draft, pr_mode = excluded.pr_mode, target_branch = excluded.target_branch,
           queue_when_green = excluded.queue_when_green, budget_micros = excluded.budget_micros,
           workflow_files = excluded.workflow_files, updated_at = excluded.updated_at`,
      [
        ctx.accountId,
        repository.id,
        after.draft,
        after.prMode,
        after.targetBranch,
        after.queueWhenGreen,
        after.budgetMicros,
        after.workflowFiles,
        ctx.clock().toISOString(),
      ],
    );
    await appendEvents(ctx, tx, [
      { repositoryId: repository.id, action: 'runbook_defaults_changed', payload: { ...after } },
    ]);
    const target = `${repository.owner}/${repository.name}`;
    await recordUserAction(ctx, tx, { action: 'runbook_defaults_changed', target });
  });
  return repository;
}

function merged(before: RunbookDefaultsRead, change: RunbookDefaultsChange): RunbookDefaultsRead {
  return {
    draft: change.draft ?? before.draft,
    prMode: change.prMode ?? before.prMode,
    targetBranch: change.targetBranch === undefined ? before.targetBranch : change.targetBranch,
    queueWhenGreen: change.queueWhenGreen ?? before.queueWhenGreen,
    budgetMicros: change.budgetMicros ?? before.budgetMicros,
    workflowFiles: change.workflowFiles ?? before.workflowFiles,
  };
}
