// When the relay looks at a verification, should its workflow be lost: later than the workflow does by itself.
import type { Ports } from '../../../context.ts';
import type { VerificationStep } from '../../../domain/previews/drive.ts';

const graceMs = 15_000;
const carryOutMs = 60_000;
const longestMs = 5 * 60_000;
const mostAtOnce = 200;
const againMs = 10_000;

/** Null: never, it has ended. */
export function relayAt(step: VerificationStep, now: Date): Date | null {
  if (step.kind === 'ended') return null;
  if (step.kind !== 'wait') return new Date(now.getTime() + carryOutMs);
  const own = (step.until ?? Number.POSITIVE_INFINITY) + graceMs;
  return new Date(Math.min(own, now.getTime() + longestMs));
}

/** Wakes those whose rows are to be looked at. Run by every server and worker; who takes a row puts it off for the others. */
export async function wakeDueVerifications({ db, clock, wake }: Ports): Promise<void> {
  const now = clock();
  const due = await db.system.query<{ account_id: string; id: string }>(
    `update verification v set next_look_at = $2
     from (select account_id, id from verification where next_look_at <= $1 order by next_look_at limit $3 for no key update skip locked) due
     where v.account_id = due.account_id and v.id = due.id returning v.account_id, v.id`,
    [now.toISOString(), new Date(now.getTime() + againMs).toISOString(), mostAtOnce],
  );
  for (const { account_id: accountId, id } of due) await wake({ accountId, verificationId: id });
}
