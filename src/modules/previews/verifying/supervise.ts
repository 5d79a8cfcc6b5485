// Supervises a verification that boots, tests or tears down its preview. If its worker is lost, the verification starts
// again from the boot. The lease aborts the work when the verification need not continue, and `whyStopped` reads the
// reason from the rows.
import type { Context } from '../../../context.ts';
import { cancellationText, isCanceled } from '../../../domain/previews/drive.ts';
import { hostFailureOf } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { supervise, type DueStep, WorkHandedOver } from '../../../platform/turns/index.ts';
import { PreviewRegistrationEntity } from '../previews.entities.ts';
import { driveSandbox, destroyAbandonedSandbox } from './drive-sandbox.ts';
import { judgeCode } from './judge-code.ts';
import { verificationKind, type VerificationTypes } from './advance.ts';
import { startVerification } from './start-verification.ts';
import type { SupervisedVerification, Ending } from './supervised-verification.ts';
import { isWantedSql, situationOf, type VerificationRows, lockVerification } from './rows.ts';
import { openVerificationLog } from './run-log.ts';
import { writeVerificationStatus } from './status.writer.ts';
import type { VerificationPorts } from './verifying.ts';
import { judgeSteps } from '../../../domain/previews/judge.ts';
import { openRegistration } from '../registrations/registrations.open.ts';
import { UndecryptableSecret } from '../secrets/secrets.open.ts';
import { driveApp } from './drive-app.ts';

const statuses = "status in ('booting', 'driving', 'tearing_down')";
const isRegistrationOpenSql = `(verification.registration_id is null or exists (
  select from preview_registration r where r.account_id = verification.account_id and r.id = verification.registration_id and r.ended_at is null))`;
const leases = {
  drive: {
    wanted: `${statuses} and cancel_requested_at is null and ${isRegistrationOpenSql} and ${isWantedSql('verification')}`,
    kept: statuses,
  },
  /** Used to end a verification that is canceled or has lost its registration. */
  conclude: { wanted: statuses, kept: statuses },
} as const;

export async function superviseVerification(
  ctx: Context,
  due: DueStep<VerificationTypes>,
  verifying: VerificationPorts,
): Promise<string> {
  const { id, rows, situation } = due;
  const isOver = isCanceled(situation);
  const isDriven = !isOver && (await hasOpenRegistration(ctx, rows));
  const log = openVerificationLog(ctx, id);
  return await supervise(ctx, {
    kind: verificationKind,
    due,
    by: verifying,
    leased: { table: 'verification', id, ...leases[isDriven ? 'drive' : 'conclude'] },
    openLog: () => log,
    again: (attempt) => `The verification starts again: attempt ${attempt}.`,
    hostFailureOf,
    beforeWrite: 'verification:before_conclusion',
    work: async ({ lease, signal, isHandedOver, write }) => {
      const supervised: SupervisedVerification = {
        ctx,
        rows,
        verifying,
        lease,
        log,
        signal,
        isHandedOver,
        write: async (change) => await write(async (tx, now) => await change(now, tx)),
      };
      const ending = isOver ? await cleanUp(supervised) : await drive(supervised).catch(asUndecryptable);
      return {
        message: `${ending.status}: ${ending.summary ?? ''}`,
        write: async (tx, now) => await conclude(ctx, tx, { now, ending }),
      };
    },
    failed: async (supervised, error) => await release(ctx, id, { ...supervised, log, error }),
  });
}

/**
 * Whether the registered preview of a verification still exists. After its worker was lost, the registration may have
 * ended before another worker takes the verification over.
 */
async function hasOpenRegistration(ctx: Context, { verification }: VerificationRows): Promise<boolean> {
  const { accountId } = ctx;
  const { registrationId } = verification;
  if (!registrationId) return true;
  const registration = await ctx.db.load(accountId, PreviewRegistrationEntity, registrationId);
  return registration !== null && (registration.endedAt ?? null) === null;
}

async function drive(supervised: SupervisedVerification): Promise<Ending> {
  const { verification } = supervised.rows;
  if (verification.status === 'tearing_down') return await cleanUp(supervised);
  const ending = verification.degraded
    ? await judgeCode(supervised)
    : verification.preview?.method === 'endpoint'
      ? await driveEndpoint(supervised)
      : await driveSandbox(supervised);
  return supervised.signal.aborted && ending.status !== 'passed' ? await whyStopped(supervised) : ending;
}

/** Another attempt could not decrypt the secret either. */
function asUndecryptable(error: unknown): Ending {
  if (!(error instanceof UndecryptableSecret)) throw error;
  return { status: 'error', summary: error.message };
}

/** Tears down the sandbox of a lost worker, so that nothing of the verification keeps running. */
async function cleanUp(supervised: SupervisedVerification): Promise<Ending> {
  const { verification } = supervised.rows;
  await destroyAbandonedSandbox(supervised);
  const { verdict } = verification;
  if (verification.status !== 'tearing_down' || !verdict) return { status: 'canceled', summary: 'It was canceled.' };
  return { status: verdict, summary: null };
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  { now, ending }: { readonly now: VerificationRows; readonly ending: Ending },
): Promise<void> {
  const { verification } = now;
  const { status, summary } = (await isTestedAgain(ctx, tx, { now, ending })) ? registeredAgain : ending;
  // The verification has a newer registration, which the next turn attaches. If that registration ends before, the
  // verification does not wait for another one.
  if (status === 'waiting')
    Object.assign(verification, { expiresAt: null, registrationId: null, waitUntil: ctx.clock() });
  await writeVerificationStatus(ctx, tx, { verification, to: status, ...(summary !== null && { summary }) });
  if (verification.degraded) await followUp(ctx, tx, now);
}

const registeredAgain: Ending = {
  status: 'waiting',
  summary: 'The preview was registered again during the verification.',
};

/** Whether CI replaced the tested preview after the lease was last looked at, so that a bad verdict is out of date. */
async function isTestedAgain(
  ctx: Context,
  tx: Transaction,
  { now, ending }: { readonly now: VerificationRows; readonly ending: Ending },
): Promise<boolean> {
  const { registrationId } = now.verification;
  if (!registrationId || (ending.status !== 'failed' && ending.status !== 'error')) return false;
  const situation = await situationOf(ctx, tx, now);
  if (isCanceled(situation)) return false;
  return situation.registrationId !== null && situation.registrationId !== registrationId;
}

/**
 * Starts another verification if a preview was registered while the code was analysed. The registration itself started
 * no verification, because this one was under way.
 */
async function followUp(ctx: Context, tx: Transaction, now: VerificationRows): Promise<void> {
  const { registrationId, isWanted } = await situationOf(ctx, tx, now);
  if (registrationId === null || !isWanted) return;
  const { repositoryId, pullRequestId, headCommit: head } = now.verification;
  await startVerification(ctx, tx, { repositoryId, pullRequestId, head, cause: 'registration' });
}

/**
 * Releases the lease at once, so that the next attempt starts without delay. The failed attempt may occupy a sandbox or
 * a user's preview.
 */
async function release(
  ctx: Context,
  id: string,
  { lease, log, error }: Pick<SupervisedVerification, 'lease' | 'log'> & { readonly error: unknown },
): Promise<void> {
  const message = cutText(log.mask(error instanceof Error ? error.message : String(error)), 500);
  await lease.write(
    async () =>
      await ctx.db.transaction(ctx.accountId, async (tx) => {
        await tx.send(
          `update verification set supervised_by = null, supervised_until = null, next_look_at = $4, problem = $5
           where account_id = $1 and id = $2 and supervised_by = $3`,
          [ctx.accountId, id, lease.holder, ctx.clock().toISOString(), message],
        );
      }),
  );
}

/**
 * Tests the preview that CI registered, at the longest until the registration expires. CI builds the endpoint and tears
 * it down.
 */
async function driveEndpoint(supervised: SupervisedVerification): Promise<Ending> {
  const { ctx, rows, verifying, log } = supervised;
  const { verification } = rows;
  const { preview, registrationId } = verification;
  if (preview?.method !== 'endpoint' || !registrationId)
    return { status: 'error', summary: 'The verification uses no preview.' };
  const registration = await openRegistration(ctx, verifying.secrets, registrationId);
  // The registration has expired, or another one replaced it. `whyStopped` finds out which of the two happened.
  if (registration === null) return await whyStopped(supervised);
  const { secrets, expiresAt } = registration;
  await passFailpoint('verification:registration_opened');
  const leftMs = expiresAt.getTime() - ctx.clock().getTime();
  if (leftMs <= 0) return await whyStopped(supervised);
  log.hide(Object.values(secrets));
  log.write(`[interlock] The verification tests ${registration.url}, which CI registered.\n`);
  const end = AbortSignal.timeout(leftMs);
  const driven = await driveApp(
    { ...supervised, signal: AbortSignal.any([supervised.signal, end]) },
    { target: { kind: 'endpoint', url: registration.url }, preview, secrets },
  );
  if (end.aborted && !supervised.signal.aborted) return await whyStopped(supervised);
  if (driven.kind === 'undrivable') return { status: 'error', summary: driven.message };
  const { verdict, summary } = judgeSteps(driven.steps);
  return { status: verdict, summary };
}

/**
 * Reads from the rows why a verification was stopped. Throws if the rows do not say why, so that the verification is
 * started again.
 */
async function whyStopped({ ctx, rows, isHandedOver }: SupervisedVerification): Promise<Ending> {
  if (isHandedOver()) throw new WorkHandedOver();
  const unexplained = new Error('The verification was stopped, and its rows do not say why. It is started again.');
  return await ctx.db.transaction(ctx.accountId, async (tx): Promise<Ending> => {
    const now = await lockVerification(ctx, tx, rows.verification.id);
    const situation = await situationOf(ctx, tx, now);
    if (isCanceled(situation)) return { status: 'canceled', summary: cancellationText(situation) };
    const { registrationId } = now.verification;
    if (!registrationId) throw unexplained;
    const of = { accountId: ctx.accountId, id: registrationId };
    const { endReason, expiresAt } = await tx.em.findOneOrFail(PreviewRegistrationEntity, of, { refresh: true });
    if (situation.registrationId !== null && situation.registrationId !== registrationId) return registeredAgain;
    if (endReason === 'deregistered' || endReason === 'replaced')
      return {
        status: 'error',
        summary: 'The preview was deregistered or replaced during the verification. Register it again.',
      };
    if (endReason === 'expired' || expiresAt <= ctx.clock())
      return {
        status: 'error',
        summary:
          'The registration of the preview expired during the verification. Register the preview for a longer time.',
      };
    throw unexplained;
  });
}
