// What a pull request's head and state mean to verifications: a head that is seen is verified. Runs over a head that no
// pull request has any more look again, and cancel themselves.
import type { Context } from '../../../context.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { startVerification } from './start-verification.ts';
import { wakeVerification } from './wake.ts';

export interface SeenHead {
  readonly repositoryId: string;
  readonly pullRequestId: string;
  readonly head: string;
  /** Whether its repository has previews, the pull request is open, and its base branch is managed. */
  readonly isVerified: boolean;
  /** Whether this head of the pull request was not seen before, or the pull request was closed since. */
  readonly isNew: boolean;
}

/** For pull requests that were merged or closed, in the transaction that writes this. */
export async function leaveHeads(ctx: Context, tx: Transaction, pullRequestIds: readonly string[]): Promise<void> {
  if (pullRequestIds.length === 0) return;
  const open = await tx.query<{ id: string }>(
    `update verification v set next_look_at = $3
     where v.account_id = $1 and v.pull_request_id = any ($2::bigint[]) and ${isOpenSql} returning v.id`,
    [ctx.accountId, pullRequestIds, whenWakeIsLost(ctx.clock()).toISOString()],
  );
  for (const { id } of open) wakeVerification(ctx, tx, id);
}

const isOpenSql = "v.status in ('pending', 'waiting', 'booting', 'driving', 'tearing_down')";

/** In the transaction that writes the head. Idempotent. */
export async function followHead(
  ctx: Context,
  tx: Transaction,
  { isVerified, isNew, ...seen }: SeenHead,
): Promise<void> {
  await tx.em.flush();
  const others = await tx.query<{ id: string }>(
    `update verification v set next_look_at = $4
     where v.account_id = $1 and v.pull_request_id = $2 and ${isOpenSql}
       and (v.head_commit <> $3 or not $5::boolean) returning v.id`,
    [ctx.accountId, seen.pullRequestId, seen.head, whenWakeIsLost(ctx.clock()).toISOString(), isVerified],
  );
  for (const { id } of others) wakeVerification(ctx, tx, id);
  // A head that was there before the repository had previews knows nothing of them (reconcile.ts).
  if (isVerified && isNew) await startVerification(ctx, tx, { ...seen, cause: 'head' });
}
