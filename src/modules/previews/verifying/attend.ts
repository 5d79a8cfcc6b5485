// A verification that is driven, under the lease of its row: begun again from its boot when its worker is lost. What ends
// it early is told by the lease, and read from the rows.
import type { Context } from '../../../context.ts';
import { isCanceled } from '../../../domain/previews/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { unattended } from '../../../platform/turns/columns.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { takeLease } from '../../../platform/turns/lease.ts';
import { PreviewRegistrationEntity } from '../previews.entities.ts';
import { driveEndpoint } from './attend.endpoint.ts';
import { driveSandbox, takeAway } from './attend.sandbox.ts';
import { judgeCode } from './attend.code.ts';
import { beginVerification } from './begin.ts';
import type { Attendance, Ending } from './attendance.ts';
import { isWantedSql, lockVerification, situationOf, type VerificationRows } from './rows.ts';
import { openVerificationLog } from './run-log.ts';
import { writeVerificationStatus } from './status.writer.ts';
import { whyStopped } from './stopped.ts';
import type { Verifying } from './verifying.ts';

/** Another attends to it by now, or it has ended. */
class Superseded extends Error {}

const statuses = "status in ('booting', 'driving', 'tearing_down')";
const standsSql = `(verification.registration_id is null or exists (
  select from preview_registration r where r.account_id = verification.account_id and r.id = verification.registration_id and r.ended_at is null))`;
const leases = {
  drive: {
    wanted: `${statuses} and cancel_requested_at is null and ${standsSql} and ${isWantedSql('verification')}`,
    kept: statuses,
  },
  /** Whatever became of it, somebody ends it. */
  conclude: { wanted: statuses, kept: statuses },
} as const;

export async function attend(ctx: Context, verificationId: string, verifying: Verifying): Promise<string> {
  const { rows, isOver, stands } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const locked = await lockVerification(ctx, tx, verificationId);
    return {
      rows: locked,
      isOver: isCanceled(await situationOf(ctx, tx, locked)),
      stands: await hasItsRegistration(ctx, tx, locked),
    };
  });
  const leased = { table: 'verification', id: verificationId, ...leases[isOver || !stands ? 'conclude' : 'drive'] };
  const lease = await takeLease(ctx, leased);
  if (lease === null) return 'somebody else attends to it';
  const log = openVerificationLog(ctx, verificationId);
  const { signal } = verifying;
  const attendance: Attendance = {
    ctx,
    rows,
    verifying,
    lease,
    log,
    signal: signal === undefined ? lease.signal : AbortSignal.any([lease.signal, signal]),
    write: async (change) =>
      await lease.write(
        async () =>
          await ctx.db.transaction(ctx.accountId, async (tx) => {
            const now = await lockVerification(ctx, tx, verificationId);
            if (now.verification.attendedBy !== lease.attendant) throw new Superseded('Another attends to it by now.');
            await change(now, tx);
          }),
      ),
  };
  if (lease.times > 1) log.write(`[interlock] Its worker was lost. It is begun again, for the ${lease.times}. time.\n`);
  try {
    const ending = isOver ? await cleanUp(attendance) : await drive(attendance);
    await log.close();
    await conclude(attendance, ending);
    return `${ending.status}: ${ending.summary ?? ''}`;
  } catch (error) {
    if (error instanceof Superseded) return error.message;
    await release(attendance, error);
    throw error;
  } finally {
    await lease.end();
    await log.close();
  }
}

/** Of a run whose worker was lost it may have ended before another took the run over. */
async function hasItsRegistration(
  { accountId }: Context,
  tx: Transaction,
  { verification }: VerificationRows,
): Promise<boolean> {
  const { registrationId } = verification;
  if (!registrationId) return true;
  const { endedAt } = await tx.em.findOneOrFail(
    PreviewRegistrationEntity,
    { accountId, id: registrationId },
    { refresh: true },
  );
  return (endedAt ?? null) === null;
}

async function drive(attendance: Attendance): Promise<Ending> {
  const { verification } = attendance.rows;
  if (verification.status === 'tearing_down') return await cleanUp(attendance);
  const ending = verification.degraded
    ? await judgeCode(attendance)
    : verification.preview?.method === 'endpoint'
      ? await driveEndpoint(attendance)
      : await driveSandbox(attendance);
  return attendance.signal.aborted && ending.status !== 'passed' ? await whyStopped(attendance) : ending;
}

/** A worker left it: nothing of it may go on running. */
async function cleanUp(attendance: Attendance): Promise<Ending> {
  const { verification } = attendance.rows;
  await takeAway(attendance);
  const { verdict } = verification;
  if (verification.status !== 'tearing_down' || !verdict) return { status: 'canceled', summary: 'It was canceled.' };
  return { status: verdict, summary: null };
}

async function conclude(attendance: Attendance, { status, summary }: Ending): Promise<void> {
  const { ctx } = attendance;
  await passFailpoint('verification:before_conclusion');
  await attendance.write(async (now, tx) => {
    const { verification } = now;
    // The newer one is there, or nothing is waited for any longer.
    if (status === 'waiting')
      Object.assign(verification, { ...unattended, expiresAt: null, registrationId: null, waitUntil: ctx.clock() });
    await writeVerificationStatus(ctx, tx, { verification, to: status, ...(summary !== null && { summary }) });
    if (verification.degraded) await followUp(ctx, tx, now);
  });
}

/** Its preview came while its code was judged: nobody was begun for it then. */
async function followUp(ctx: Context, tx: Transaction, now: VerificationRows): Promise<void> {
  const { registrationId, isWanted } = await situationOf(ctx, tx, now);
  if (registrationId === null || !isWanted) return;
  const { repositoryId, pullRequestId, headCommit: head } = now.verification;
  await beginVerification(ctx, tx, { repositoryId, pullRequestId, head, cause: 'registration' });
}

/** Another begins it again at once. A worker that was stopped is no attendance that failed. */
async function release({ ctx, rows, lease, verifying }: Attendance, error: unknown): Promise<void> {
  if (verifying.signal?.aborted) return await lease.giveBack();
  const words = (error instanceof Error ? error.message : String(error)).slice(0, 500);
  await lease.write(
    async () =>
      await ctx.db.transaction(ctx.accountId, async (tx) => {
        await tx.query(
          `update verification set attended_by = null, attended_until = null, next_look_at = $4, problem = $5
           where account_id = $1 and id = $2 and attended_by = $3`,
          [ctx.accountId, rows.verification.id, lease.attendant, ctx.clock().toISOString(), words],
        );
      }),
  );
}
