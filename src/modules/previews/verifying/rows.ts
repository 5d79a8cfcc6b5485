// The rows that a turn of a verification reads, and the situation that they describe.
import type { Context } from '../../../context.ts';
import { notFound } from '../../../domain/errors.ts';
import type { VerificationSituation } from '../../../domain/previews/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { PullRequestEntity, type PullRequestRow } from '../../queue/store/queue.entities.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import {
  PreviewSandboxEntity,
  VerificationEntity,
  type PreviewSandboxRow,
  type VerificationRow,
} from '../previews.entities.ts';

export interface VerificationRows {
  readonly verification: VerificationRow;
  readonly repository: RepositoryRow;
  /** The pull request that the verification was started for. */
  readonly pullRequest: PullRequestRow;
  /** Null: no sandbox has been booted yet. */
  readonly sandbox: PreviewSandboxRow | null;
}

/** Locks the verification's row, and then reads the rows that belong to it. */
export async function lockVerification(
  ctx: Context,
  tx: Transaction,
  verificationId: string,
): Promise<VerificationRows> {
  const { accountId } = ctx;
  await tx.query('select 1 from verification where account_id = $1 and id = $2 for no key update', [
    accountId,
    verificationId,
  ]);
  const verification = await tx.em.findOne(VerificationEntity, { accountId, id: verificationId }, { refresh: true });
  if (verification === null) throw notFound('Verification');
  return {
    verification,
    repository: await tx.em.findOneOrFail(RepositoryEntity, { accountId, id: verification.repositoryId }),
    pullRequest: await tx.em.findOneOrFail(PullRequestEntity, { accountId, id: verification.pullRequestId }),
    sandbox: await tx.em.findOne(PreviewSandboxEntity, { accountId, verificationId }, { refresh: true }),
  };
}

/**
 * SQL: whether a verification with this alias is still needed, that is, whether an open pull request has its commit as
 * the head, and the repository is active.
 */
export function isWantedSql(alias: 'v' | 'verification'): string {
  return `exists (
  select from pull_request p where p.account_id = ${alias}.account_id and p.repository_id = ${alias}.repository_id
    and p.head_sha = ${alias}.head_commit and p.status not in ('merged', 'closed'))
    and exists (select from repository r where r.account_id = ${alias}.account_id and r.id = ${alias}.repository_id and r.active)`;
}

/**
 * SQL: the newest registration that a verification may use. The registration is active, and has the commit, the preview
 * and the pull request of the verification.
 */
const registrationSql = `
  select r.id from preview_registration r
  where r.account_id = v.account_id and r.repository_id = v.repository_id and r.name = v.preview_name
    and r.commit = v.head_commit and r.ended_at is null and r.expires_at > $3
    and exists (select from pull_request p where p.account_id = v.account_id and p.repository_id = v.repository_id
                and p.head_sha = v.head_commit and p.status not in ('merged', 'closed')
                and case when r.pr_number is null then coalesce(r.branch, p.head_branch) = p.head_branch else r.pr_number = p.number end)
  order by r.id desc limit 1`;

/** The id of the newest registration that a verification may use. Null: there is none. */
export async function findUsableRegistration(
  { accountId, clock }: Context,
  tx: Transaction,
  verificationId: string,
): Promise<string | null> {
  await tx.em.flush();
  const [found] = await tx.query<{ id: string | null }>(
    `select (${registrationSql}) as id from verification v where v.account_id = $1 and v.id = $2`,
    [accountId, verificationId, clock().toISOString()],
  );
  return found?.id ?? null;
}

/** The facts that decide the next step of a verification. The caller locks the verification's row. */
export async function situationOf(
  ctx: Context,
  tx: Transaction,
  { verification, repository, sandbox }: VerificationRows,
): Promise<VerificationSituation> {
  await tx.em.flush();
  const [facts] = await tx.query<{ is_wanted: boolean; registration_id: string | null }>(
    `select ${isWantedSql('v')} as is_wanted, (${registrationSql}) as registration_id
     from verification v where v.account_id = $1 and v.id = $2`,
    [ctx.accountId, verification.id, ctx.clock().toISOString()],
  );
  return {
    status: verification.status,
    isWanted: facts?.is_wanted ?? false,
    isActive: repository.active,
    cancelRequestedAt: instant(verification.cancelRequestedAt),
    publishedCheck: verification.publishedCheck ?? null,
    registrationId: facts?.registration_id ?? null,
    waitUntil: instant(verification.waitUntil),
    hasSandbox: sandbox !== null && sandbox.state !== 'gone',
    callAt: instant(verification.callAt),
    calls: verification.calls,
    problem: verification.problem ?? null,
    failingSince: instant(verification.failingSince),
    supervisedUntil: instant(verification.supervisedUntil),
  };
}

function instant(date: Date | null | undefined): number | null {
  return date?.getTime() ?? null;
}
