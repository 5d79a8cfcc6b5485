// Carries out a sync: updates the branch of a pull request with its base branch, and reports if that is not possible.
import type { Context } from '../../../context.ts';
import {
  syncConflictComment,
  syncKey,
  syncRefusedComment,
  syncedComment,
} from '../../../domain/queue/explain/branch-comments.ts';
import { isQueued, isTerminal } from '../../../domain/queue/model/status.ts';
import { hostClient, HostRefused, RefMoved } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { isLandingStarted } from '../store/intents.ts';
import { updateBranch, type BranchUpdateResult } from '../builds/branch-update.ts';
import { startBranchWork, comment, endBranchWork, type LoadedWork } from './branch-work.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { forLanding, syncPullRequest } from '../host-sync/pull-requests.ts';
import type { IntentRow, PullRequestRow } from '../store/queue.entities.ts';
import { changeQueueOf } from '../store/queue.locks.ts';
import { readLandedBelow } from '../facts/stacks.ts';
import { announce, startWork, finishWork } from '../store/status.writer.ts';

/**
 * Why a sync was planned. An automatic sync leaves out pull requests in line, because the queue updates them itself.
 */
export type SyncCause = 'asked' | 'auto_update' | 'requeue';

type Outcome =
  | { readonly kind: 'moved' | 'up_to_date'; readonly head: string; readonly base: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly head: string; readonly base: string }
  | { readonly kind: 'refused'; readonly message: string; readonly head: string; readonly base: string }
  /** The pull request is merged, closed, or in line and therefore not updated automatically. */
  | { readonly kind: 'over' };

const maxAttempts = 3;

export async function carryOutSync(ctx: Context, intent: IntentRow): Promise<void> {
  const loaded = await startBranchWork(ctx, intent);
  if (loaded === null) return;
  const cause = intent.payload['cause'] as SyncCause;
  // The pull request is landing, so its head is not changed. The end of the landing wakes the queue, which finds this
  // sync open.
  if (await ctx.db.transaction(ctx.accountId, async (tx) => await isLandingStarted(ctx, tx, loaded.row.id))) return;
  const outcome = await updateWithRetries(ctx, loaded, cause);
  await syncPullRequest(ctx, loaded.host, loaded.row.number, readOptions(cause));
  await report(ctx, loaded, { cause, outcome });
  await passFailpoint('sync:before_end');
  await conclude(ctx, loaded, { cause, outcome });
}

/** The line waits for the update of a pull request that is queued again (`update_before_requeue`). */
function readOptions(cause: SyncCause): Parameters<typeof syncPullRequest>[3] {
  return cause === 'requeue' ? forLanding : undefined;
}

async function updateWithRetries(ctx: Context, loaded: LoadedWork, cause: SyncCause): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryOnce(ctx, loaded, cause);
    } catch (error) {
      // Somebody pushed in the meantime, so the new head is updated instead.
      if (!(error instanceof RefMoved) || attempt === maxAttempts) throw error;
    }
  }
}

async function tryOnce(
  ctx: Context,
  { intent, host, repository, row }: LoadedWork,
  cause: SyncCause,
): Promise<Outcome> {
  const now = await syncPullRequest(ctx, host, row.number, readOptions(cause));
  if (now === null)
    return { kind: 'refused', message: `the code host does not show #${row.number}`, head: row.headSha, base: '' };
  if (isTerminal(now.status) || (cause === 'auto_update' && isQueued(now.status))) return { kind: 'over' };
  const base = await hostClient(ctx, host).readRef(`refs/heads/${now.baseBranch}`);
  const at = { head: now.headSha, base: base?.commit ?? '' };
  if (base === null) return { kind: 'refused', message: `the base branch ${now.baseBranch} does not exist`, ...at };
  let updated: BranchUpdateResult;
  try {
    updated = await updateBranch(ctx, {
      host,
      headBranch: now.headBranch,
      headFork: now.headFork,
      baseBranch: now.baseBranch,
      head: now.headSha,
      onto: base.commit,
      method: configurationOf(repository).merge_rules.use_rebase ? 'rebase' : 'merge',
      at: intent.plannedAt,
      belowHead: await readLandedBelow(ctx, now),
      ...(cause === 'auto_update' && {
        onFirstPush: async (tx) => await countRun(ctx, tx, { row: now, base: base.commit }),
      }),
    });
  } catch (error) {
    if (error instanceof HostRefused) return { kind: 'refused', message: error.message, ...at };
    throw error;
  }
  return outcomeOf(updated, { ...at, baseBranch: now.baseBranch });
}

function outcomeOf(
  updated: BranchUpdateResult,
  { head, base, baseBranch }: { readonly head: string; readonly base: string; readonly baseBranch: string },
): Outcome {
  switch (updated.kind) {
    case 'updated':
      return { kind: updated.moved ? 'moved' : 'up_to_date', head: updated.head, base };
    case 'conflict':
      return { kind: 'conflict', paths: updated.paths, head, base };
    case 'empty':
      return { kind: 'refused', message: `${baseBranch} already has all changes of the pull request`, head, base };
    default:
      return updated satisfies never;
  }
}

/** Counts an automatic update. It runs before the push, so that a crash leaves no update uncounted. */
async function countRun(
  ctx: Context,
  tx: Transaction,
  { row, base }: { readonly row: PullRequestRow; readonly base: string },
): Promise<void> {
  await tx.send(
    `insert into branch_update (account_id, pull_request_id, head, base, runs, updated_at) values ($1, $2, $3, $4, 1, $5)
     on conflict (account_id, pull_request_id) do update set runs = branch_update.runs + 1`,
    [ctx.accountId, row.id, row.headSha, base, ctx.clock().toISOString()],
  );
}

/**
 * Reports the outcome in a comment. A person who requested the sync is always informed of a failure. For automatic
 * syncs, `enable_comments` decides.
 */
async function report(
  ctx: Context,
  loaded: LoadedWork,
  { cause, outcome }: { readonly cause: SyncCause; readonly outcome: Outcome },
): Promise<void> {
  const { repository, row } = loaded;
  const { enable_comments, use_rebase } = configurationOf(repository).merge_rules;
  if (cause !== 'asked' && !enable_comments) return;
  const { baseBranch } = row;
  if (outcome.kind === 'conflict') {
    const body = syncConflictComment({ ...outcome, baseBranch, method: use_rebase ? 'rebase' : 'merge' });
    await comment(ctx, loaded, { key: syncKey, body });
  }
  if (outcome.kind === 'refused')
    await comment(ctx, loaded, { key: syncKey, body: syncRefusedComment({ baseBranch, message: outcome.message }) });
  if ((outcome.kind === 'moved' || outcome.kind === 'up_to_date') && (await hasFailedBefore(ctx, row)))
    await comment(ctx, loaded, { key: syncKey, body: syncedComment({ baseBranch, ...outcome }) });
}

async function hasFailedBefore(ctx: Context, row: PullRequestRow): Promise<boolean> {
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query(
        'select 1 from branch_update where account_id = $1 and pull_request_id = $2 and failed_head is not null',
        [ctx.accountId, row.id],
      ),
  );
  return rows.length > 0;
}

async function conclude(
  ctx: Context,
  { intent, row }: LoadedWork,
  { cause, outcome }: { readonly cause: SyncCause; readonly outcome: Outcome },
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueueOf(ctx, tx, row.id, [intent.queueId]);
    if (outcome.kind !== 'over') await keepUpdate(ctx, tx, { row, cause, outcome });
    if (outcome.kind === 'conflict' || outcome.kind === 'refused') {
      const work = startWork(ctx, tx, queue);
      announce(work, row, 'sync_failed', {
        cause,
        base: outcome.base,
        paths: outcome.kind === 'conflict' ? outcome.paths.slice(0, 20) : [],
        reason: outcome.kind === 'refused' ? outcome.message : null,
      });
      await finishWork(work);
    }
    await endBranchWork(ctx, tx, { intent, end: { state: 'done', outcome } });
  });
}

/** Records that the update of the present head failed, so that automatic updates wait for another head. */
export async function keepFailedUpdate(
  ctx: Context,
  tx: Transaction,
  { row, cause }: { readonly row: PullRequestRow; readonly cause: SyncCause },
): Promise<void> {
  await keepUpdate(ctx, tx, { row, cause, outcome: { kind: 'refused', message: '', head: row.headSha, base: '' } });
}

async function keepUpdate(
  ctx: Context,
  tx: Transaction,
  update: {
    readonly row: PullRequestRow;
    readonly cause: SyncCause;
    readonly outcome: Exclude<Outcome, { kind: 'over' }>;
  },
): Promise<void> {
  const { row, cause, outcome } = update;
  const hasFailed = outcome.kind === 'conflict' || outcome.kind === 'refused';
  await tx.send(
    `insert into branch_update (account_id, pull_request_id, head, base, is_automatic, failed_head, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, pull_request_id) do update set head = excluded.head, base = excluded.base,
       is_automatic = excluded.is_automatic, failed_head = excluded.failed_head, updated_at = excluded.updated_at`,
    [
      ctx.accountId,
      row.id,
      outcome.head,
      outcome.base,
      cause === 'auto_update' && outcome.kind === 'moved',
      hasFailed ? outcome.head : null,
      ctx.clock().toISOString(),
    ],
  );
}
