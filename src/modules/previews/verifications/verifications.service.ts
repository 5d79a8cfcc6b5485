// Starts another verification of a pull request's head, and cancels verifications, at the request of users.
import type { Context } from '../../../context.ts';
import { previewEntries } from '../../../domain/configuration/index.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { isFinal } from '../../../domain/previews/verification.status.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { recordUserAction, requireAction, requireScope } from '../../accounts/index.ts';
import { appendEvents } from '../../events/index.ts';
import { PullRequestEntity } from '../../queue/store/queue.entities.ts';
import {
  configurationOf,
  loadActiveRepository,
  maySeeInside,
  requireActive,
  requireAtHostOf,
  lockRepositoryForShare,
  type RepositoryName,
} from '../../repositories/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { VerificationEntity, type VerificationRow } from '../previews.entities.ts';
import { startVerification } from '../verifying/start-verification.ts';
import { wakeVerification } from '../verifying/wake.ts';

/** Returns the id of the verification that is under way, or of a new one. */
export async function verifyPullRequest(
  ctx: Context,
  request: { readonly repository: RepositoryName; readonly number: number },
): Promise<string> {
  requireAction(ctx, 'verify');
  const repository = await loadActiveRepository(ctx, request.repository, 'queue:write');
  if (previewEntries(configurationOf(repository)).length === 0)
    throw new DomainError(
      'BAD_INPUT',
      'The repository has no preview: declare one under verify.preview of its configuration',
      'input.repository',
    );
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    requireActive(await lockRepositoryForShare(tx, repository.id));
    const of = { accountId: ctx.accountId, repositoryId: repository.id, number: request.number };
    const pullRequest = await tx.em.findOne(PullRequestEntity, of);
    if (pullRequest === null) throw notFound('Pull request');
    if (pullRequest.status === 'merged' || pullRequest.status === 'closed')
      throw new DomainError('BAD_INPUT', `Pull request is already ${pullRequest.status}`, 'input.number');
    const run = await startVerification(ctx, tx, {
      repositoryId: repository.id,
      pullRequestId: pullRequest.id,
      head: pullRequest.headSha,
      cause: 'asked',
    });
    if (run === null) throw new DomainError('CONFLICT', 'The head of the pull request cannot be verified now.');
    const target = `${repository.owner}/${repository.name}#${request.number}`;
    await recordUserAction(ctx, tx, { action: 'verification_requested', target });
    return run.id;
  });
}

/** Requests the end of a verification. The preview is torn down first. A repetition changes nothing. */
export async function cancelVerification(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'queue:write');
  await refuseReader(ctx, id);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await lock(ctx, tx, id);
    if (row.status === 'canceled' || (row.cancelRequestedAt ?? null) !== null) return;
    if (isFinal(row.status)) throw new DomainError('CONFLICT', `The verification has ended: ${row.status}.`);
    const now = ctx.clock();
    row.cancelRequestedAt = now;
    row.nextLookAt = whenWakeIsLost(now);
    const { repositoryId, pullRequestId } = row;
    await appendEvents(ctx, tx, [
      { repositoryId, pullRequestId, verificationId: id, action: 'verification_cancel_requested' },
    ]);
    await recordUserAction(ctx, tx, { action: 'verification_canceled', target: await targetOf(ctx, tx, row) });
    wakeVerification(ctx, tx, id);
  });
}

/**
 * For a caller of GitHub: throws NOT_FOUND if the caller does not see the repository, and FORBIDDEN if the caller may
 * not write to it.
 */
async function refuseReader(ctx: Context, id: string): Promise<void> {
  if (ctx.actor.personAtGitHub === null) return;
  const [row] = await ctx.db.read<{ repositoryId: string }>(ctx.accountId, {
    name: 'repository_of_verification',
    text: 'select repository_id as "repositoryId" from verification where account_id = $1 and id = $2',
    values: [ctx.accountId, id],
  });
  if (row === undefined || !(await maySeeInside(ctx, row.repositoryId))) throw notFound('Verification');
  await requireAtHostOf(ctx, row.repositoryId, 'queue:write');
}

async function lock(ctx: Context, tx: Transaction, id: string): Promise<VerificationRow> {
  const rows = await tx.query('select 1 from verification where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    id,
  ]);
  if (rows.length === 0) throw notFound('Verification');
  return await tx.em.findOneOrFail(VerificationEntity, { id, accountId: ctx.accountId }, { refresh: true });
}

async function targetOf(ctx: Context, tx: Transaction, row: VerificationRow): Promise<string> {
  const { accountId } = ctx;
  const { owner, name } = await tx.em.findOneOrFail(RepositoryEntity, { accountId, id: row.repositoryId });
  const { number } = await tx.em.findOneOrFail(PullRequestEntity, { accountId, id: row.pullRequestId });
  return `${owner}/${name}#${number}`;
}
