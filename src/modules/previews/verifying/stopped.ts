// Why a run was stopped, or found nothing to drive: read from the rows, after the fact.
import { isCanceled } from '../../../domain/previews/drive.ts';
import { HandedOver } from '../../../platform/turns/index.ts';
import { PreviewRegistrationEntity } from '../previews.entities.ts';
import type { SupervisedVerification, Ending } from './supervised-verification.ts';
import { lockVerification, situationOf } from './rows.ts';

/** Throws where the rows want it to go on. */
export async function whyStopped({ ctx, rows, isHandedOver }: SupervisedVerification): Promise<Ending> {
  if (isHandedOver()) throw new HandedOver();
  const unexplained = new Error('It was stopped, and its rows want it to go on; it is started again.');
  return await ctx.db.transaction(ctx.accountId, async (tx): Promise<Ending> => {
    const now = await lockVerification(ctx, tx, rows.verification.id);
    const situation = await situationOf(ctx, tx, now);
    if (isCanceled(situation))
      return {
        status: 'canceled',
        summary: situation.isWanted ? 'It was canceled.' : 'The pull request has another head by now, or is closed.',
      };
    const { registrationId } = now.verification;
    if (!registrationId) throw unexplained;
    const of = { accountId: ctx.accountId, id: registrationId };
    const { endReason, expiresAt } = await tx.em.findOneOrFail(PreviewRegistrationEntity, of, { refresh: true });
    if (situation.registrationId !== null && situation.registrationId !== registrationId)
      return { status: 'waiting', summary: 'Its preview was registered again while it was driven.' };
    if (endReason === 'deregistered' || endReason === 'replaced')
      return { status: 'error', summary: 'Its preview was taken away while it was driven: register it again.' };
    if (endReason === 'expired' || expiresAt <= ctx.clock())
      return { status: 'error', summary: 'Its preview expired while it was driven: register it for a longer time.' };
    throw unexplained;
  });
}
