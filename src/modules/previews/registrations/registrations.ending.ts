// Ends registrations that are deregistered, replaced or expired. The same statement deletes their secrets. A
// verification that uses an ended registration is woken.
import { systemContext, type Context, type Ports } from '../../../context.ts';
import type { RegistrationEnd } from '../../../domain/previews/registration.ts';
import type { Transaction } from '../../../platform/database.ts';
import { appendEvents } from '../../events/index.ts';

/**
 * SQL: whether a registration `r` in the repository $2 is about the pull request $3 or the branch $4. A registration
 * with a number belongs to that pull request, even if its branch is another one. A registration of a branch belongs to
 * the branch's open pull request. Branches of several forks may have the same name: if the commit of a registration is
 * the head of another open pull request, the registration belongs to that one.
 */
const sameSubjectSql = `case
    when r.pr_number is null and $3::integer is null then r.branch = $4
    when r.pr_number is null then r.branch in (
      select p.head_branch from pull_request p where p.account_id = $1 and p.repository_id = $2 and p.number = $3
        and (p.head_sha = r.commit or not exists (
          select from pull_request other where other.account_id = $1 and other.repository_id = $2
            and other.head_branch = r.branch and other.head_sha = r.commit and other.number <> p.number
            and other.status not in ('merged', 'closed'))))
    when $3::integer is null then r.pr_number in (
      select p.number from pull_request p where p.account_id = $1 and p.repository_id = $2 and p.head_branch = $4
        and p.status not in ('merged', 'closed'))
    else r.pr_number = $3 end`;

export interface RegistrationsToEnd {
  readonly repositoryId: string;
  readonly name: string;
  readonly prNumber: number | null;
  readonly branch: string | null;
  /** Null: registrations of every commit end. */
  readonly commit: string | null;
  readonly reason: RegistrationEnd;
}

interface EndedRow {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly prNumber: number | null;
  readonly endReason: RegistrationEnd;
}

const endedColumns = `r.id, r.repository_id as "repositoryId", r.name, r.commit, r.branch, r.pr_number as "prNumber",
  r.end_reason as "endReason"`;

const actions = {
  deregistered: 'preview_deregistered',
  replaced: 'preview_replaced',
  expired: 'preview_expired',
} as const satisfies Record<RegistrationEnd, string>;

/** Ends the active registrations of a preview. Returns their number. */
export async function endRegistrations(ctx: Context, tx: Transaction, ending: RegistrationsToEnd): Promise<number> {
  const { repositoryId, name, prNumber, branch, commit, reason } = ending;
  // `expireDueRegistrations` ends the registrations that have already expired.
  const ended = await tx.query<EndedRow>(
    `update preview_registration r set ended_at = $7, end_reason = $8, secrets = null
     where r.account_id = $1 and r.repository_id = $2 and r.ended_at is null and r.expires_at > $7
       and r.name = $5 and ($6::text is null or r.commit = $6) and ${sameSubjectSql}
     returning ${endedColumns}`,
    [ctx.accountId, repositoryId, prNumber, branch, name, commit, ctx.clock().toISOString(), reason],
  );
  await announceEnds(ctx, tx, ended);
  return ended.length;
}

/** Ends an expired registration. A repetition writes no event twice. */
async function expireRegistration(ctx: Context, tx: Transaction, id: string): Promise<void> {
  const ended = await tx.query<EndedRow>(
    `update preview_registration r set ended_at = r.expires_at, end_reason = 'expired', secrets = null
     where r.account_id = $1 and r.id = $2 and r.ended_at is null and r.expires_at <= $3
     returning ${endedColumns}`,
    [ctx.accountId, id, ctx.clock().toISOString()],
  );
  await announceEnds(ctx, tx, ended);
}

async function announceEnds(ctx: Context, tx: Transaction, ended: readonly EndedRow[]): Promise<void> {
  if (ended.length === 0) return;
  const runs = await tx.query<{ id: string; registrationId: string; pullRequestId: string }>(
    `select v.id, v.registration_id as "registrationId", v.pull_request_id as "pullRequestId" from verification v
     where v.account_id = $1 and v.registration_id = any ($2::bigint[])`,
    [ctx.accountId, ended.map(({ id }) => id)],
  );
  const pullRequests = await pullRequestsOf(ctx, tx, ended);
  await appendEvents(
    ctx,
    tx,
    ended.map(({ id, repositoryId, endReason, name, commit, branch, prNumber }) => ({
      repositoryId,
      pullRequestId: pullRequests.get(id) ?? null,
      registrationId: id,
      action: actions[endReason],
      payload: { name, commit, branch, prNumber },
    })),
  );
  for (const { id } of runs) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, verificationId: id }));
}

async function pullRequestsOf(
  ctx: Context,
  tx: Transaction,
  ended: readonly EndedRow[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; pullRequestId: string }>(
    `select r.id, p.id as "pullRequestId" from preview_registration r join lateral (
       select p.id from pull_request p where p.account_id = r.account_id and p.repository_id = r.repository_id
         and case when r.pr_number is null then p.head_branch = r.branch else p.number = r.pr_number end
       order by p.status in ('merged', 'closed'), p.id desc limit 1) p on true
     where r.account_id = $1 and r.id = any ($2::bigint[])`,
    [ctx.accountId, ended.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, pullRequestId }) => [id, pullRequestId]));
}

const maxAtOnce = 100;

/** SQL: whether `expireDueRegistrations` would end a registration. */
export const registrationsAreDue =
  'exists (select from preview_registration where ended_at is null and expires_at <= $1)';

/**
 * Ends expired registrations. Every server and worker runs this, and the first process that locks a row writes the
 * event. Reads do not depend on this function, because they compare the expiry with the clock.
 */
export async function expireDueRegistrations(ports: Ports): Promise<void> {
  const due = await ports.db.system.query<{ account_id: string; id: string }>(
    `select account_id, id from preview_registration where ended_at is null and expires_at <= $1
     order by expires_at limit ${maxAtOnce}`,
    [ports.clock().toISOString()],
  );
  for (const { account_id: accountId, id } of due) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => await expireRegistration(ctx, tx, id));
  }
}
