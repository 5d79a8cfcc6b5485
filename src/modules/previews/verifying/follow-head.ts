// Starts the verification of a new head of a pull request. Verifications of earlier heads are woken. If no open pull
// request has the commit of such a verification as its head any more, the next turn cancels the verification.
import type { Context } from '../../../context.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { startVerification } from './start-verification.ts';
import { wakeVerification } from './wake.ts';

export interface SeenHead {
  readonly repositoryId: string;
  readonly pullRequestId: string;
  readonly head: string;
  /** Whether the repository has previews, the pull request is open, and Interlock manages its base branch. */
  readonly isVerified: boolean;
  /**
   * Whether the pull request has got this head or another base branch, or was closed, since it was last seen.
   */
  readonly isNew: boolean;
}

/**
 * Wakes the verifications of pull requests that are merged or closed. Must be called in the transaction that merges or
 * closes the pull requests.
 */
export async function wakeOpenVerifications(
  ctx: Context,
  tx: Transaction,
  pullRequestIds: readonly string[],
): Promise<void> {
  if (pullRequestIds.length === 0) return;
  const open = await tx.query<{ id: string }>(
    `update verification v set next_look_at = $3
     where v.account_id = $1 and v.pull_request_id = any ($2::bigint[]) and ${isOpenSql} returning v.id`,
    [ctx.accountId, pullRequestIds, whenWakeIsLost(ctx.clock()).toISOString()],
  );
  for (const { id } of open) wakeVerification(ctx, tx, id);
}

const isOpenSql = "v.status in ('pending', 'waiting', 'booting', 'driving', 'tearing_down')";

/** Must be called in the transaction that writes the head. A repetition changes nothing. */
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
  // A head that is older than the previews of the repository is not verified here, because its commit may lack their
  // scripts (reconcile.ts).
  if (isVerified && isNew) await startVerification(ctx, tx, { ...seen, cause: 'head' });
}
