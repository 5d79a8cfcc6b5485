// Writes the row of a new verification. The workflow of the verification then reads the configuration. All pull
// requests with the same head share the verifications of this commit.
import type { Context } from '../../../context.ts';
import { verificationCheckName } from '../../../domain/previews/check.ts';
import type { VerificationCause } from '../../../domain/previews/preview.ts';
import { isFinal } from '../../../domain/previews/verification.status.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { PreviewRegistrationEntity, VerificationEntity, type VerificationRow } from '../previews.entities.ts';
import { findUsableRegistration } from './rows.ts';
import { announceVerification } from './status.writer.ts';
import { wakeVerification } from './wake.ts';

export interface VerificationRequest {
  readonly repositoryId: string;
  readonly pullRequestId: string;
  readonly head: string;
  /**
   * `head`: a pull request has got the head or another base branch. `registration`: CI registered the preview. `asked`:
   * a user asked for another verification.
   */
  readonly cause: VerificationCause;
}

/**
 * Returns the verification under way, or else a new one. Null: the head was verified and needs no other verification.
 */
export async function startVerification(
  ctx: Context,
  tx: Transaction,
  request: VerificationRequest,
): Promise<VerificationRow | null> {
  const newest = await newestOf(ctx, tx, request);
  if (newest !== null && !isFinal(newest.status)) {
    // The verification under way may be waiting for this request, such as for the registration of the preview.
    newest.nextLookAt = whenWakeIsLost(ctx.clock());
    wakeVerification(ctx, tx, newest.id);
    return newest;
  }
  if (newest !== null && !isRunAgain(newest, await causeOf(ctx, tx, { request, newest }))) return null;
  const started = await insert(ctx, tx, { request, attempt: (newest?.attempt ?? 0) + 1 });
  // Null: another transaction has just started the same attempt.
  if (started === null) return await newestOf(ctx, tx, request);
  await resetCheck(ctx, tx, started);
  await announceVerification(ctx, tx, started);
  wakeVerification(ctx, tx, started.id);
  return started;
}

/**
 * The newest verification decides the check `interlock/verify` from its start on. So the check becomes pending again,
 * and an earlier verdict, which may rest only on the code, allows no landing any more. The turns of the new
 * verification report this to the queue and the host.
 */
async function resetCheck(
  { accountId }: Context,
  tx: Transaction,
  { repositoryId, headCommit, attempt, createdAt }: VerificationRow,
): Promise<void> {
  await tx.send(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, started_at, heard_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $6)
     on conflict (account_id, repository_id, commit, name, attempt) do nothing`,
    [accountId, repositoryId, headCommit, verificationCheckName, attempt, createdAt.toISOString()],
  );
}

/**
 * A head is verified once, and again if its verification was canceled. A skipped verification is no verdict: which paths
 * a head changes depends on the base branches of its pull requests. A late registration starts another verification only
 * if no preview was tested.
 */
function isRunAgain({ status, degraded }: VerificationRow, cause: VerificationCause): boolean {
  switch (cause) {
    case 'head':
      return status === 'canceled' || status === 'skipped';
    case 'registration':
      return degraded || status === 'error' || status === 'canceled';
    case 'asked':
      return true;
  }
}

/**
 * A registration of a commit that was no head starts no verification. So a head counts as registered if its preview was
 * registered after the newest verification began.
 */
async function causeOf(
  ctx: Context,
  tx: Transaction,
  { request, newest }: { readonly request: VerificationRequest; readonly newest: VerificationRow },
): Promise<VerificationCause> {
  if (request.cause !== 'head') return request.cause;
  const id = await findUsableRegistration(ctx, tx, newest.id);
  if (id === null) return 'head';
  const registration = await tx.em.findOneOrFail(PreviewRegistrationEntity, { accountId: ctx.accountId, id });
  return registration.createdAt > newest.createdAt ? 'registration' : 'head';
}

/** Locks the newest verification, so that it cannot end unnoticed while another one starts. */
async function newestOf(
  { accountId }: Context,
  tx: Transaction,
  { repositoryId, head }: Pick<VerificationRequest, 'repositoryId' | 'head'>,
): Promise<VerificationRow | null> {
  await tx.query(
    `select 1 from verification where account_id = $1 and repository_id = $2 and head_commit = $3
     order by attempt desc limit 1 for no key update`,
    [accountId, repositoryId, head],
  );
  const of = { accountId, repositoryId, headCommit: head };
  return await tx.em.findOne(VerificationEntity, of, { orderBy: { attempt: 'desc' }, refresh: true });
}

async function insert(
  ctx: Context,
  tx: Transaction,
  {
    request: { repositoryId, pullRequestId, head, cause },
    attempt,
  }: { readonly request: VerificationRequest; readonly attempt: number },
): Promise<VerificationRow | null> {
  const now = ctx.clock();
  await tx.em.flush();
  const [made] = await tx.query<{ id: string }>(
    `insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, next_look_at, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $9)
     on conflict (account_id, repository_id, head_commit, attempt) do nothing returning id`,
    [
      ctx.accountId,
      repositoryId,
      pullRequestId,
      head,
      attempt,
      cause,
      whenWakeIsLost(now).toISOString(),
      ctx.actor.email ?? 'interlock',
      now.toISOString(),
    ],
  );
  return made === undefined ? null : await tx.em.findOneOrFail(VerificationEntity, { id: made.id });
}
