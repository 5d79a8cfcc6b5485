// Decides whether a provider must still be notified that its run was canceled.
import { endsSlot, isFinal } from './deployment.status.ts';
import type { DeploymentStatus, ProviderSettings } from './release.ts';
import type { DeploymentSituation } from './situation.ts';

/**
 * Whether the provider must be notified that a deployment was canceled, although nobody waits for the result. The
 * provider must be notified if it was called and may still run the deployment. A deployment from outside has no
 * provider, and a provider that was configured later does not know the deployment.
 */
export function mustNotifyCancel({
  status,
  isReported,
  triggerStartedAt,
  provider,
  isElsewhere,
}: Pick<DeploymentSituation, 'status' | 'isReported' | 'triggerStartedAt' | 'provider' | 'isElsewhere'>): boolean {
  return status === 'unknown' && mayRunAt(provider, triggerStartedAt) && !isReported && !isElsewhere;
}

/** Whether the provider may have been called, and a run may go on there without Interlock. */
function mayRunAt(provider: ProviderSettings, triggerStartedAt: number | null): boolean {
  return triggerStartedAt !== null && (provider.kind === 'http' || provider.kind === 'github_actions');
}

/** Whether a user canceled the deployment with the slot, and its provider has not been asked to cancel it yet. */
export function isCancelUnsent({
  slot,
  cancelRequestedAt,
  cancelSentAt,
}: Pick<DeploymentSituation, 'slot' | 'cancelRequestedAt' | 'cancelSentAt'>): boolean {
  return slot === 'ours' && cancelRequestedAt !== null && cancelSentAt === null;
}

/**
 * Whether the provider must still be notified of a cancellation after this change of status. Only the report of an end
 * shows that the run needs no cancellation any more.
 */
export function mustStillNotifyCancel(
  before: Pick<
    DeploymentSituation,
    'slot' | 'cancelRequestedAt' | 'cancelSentAt' | 'cancelPending' | 'provider' | 'triggerStartedAt'
  >,
  { to, source }: { readonly to: DeploymentStatus; readonly source: 'service' | 'report' },
): boolean {
  if (before.cancelPending) return source === 'service' || !isFinal(to);
  const losesSlot = endsSlot(to) && !isFinal(to);
  return losesSlot && isCancelUnsent(before) && mayRunAt(before.provider, before.triggerStartedAt);
}

/**
 * Whether the pauses between failed calls go on after this change of status, because they belong to a cancellation that
 * is still to be sent. A report between two calls is no reason to call at once. The pauses after other failed calls end.
 */
export function keepsPauses(
  before: Pick<DeploymentSituation, 'slot' | 'cancelRequestedAt' | 'cancelSentAt' | 'cancelPending'>,
  { to, cancelPending }: { readonly to: DeploymentStatus; readonly cancelPending: boolean },
): boolean {
  return (before.cancelPending && cancelPending) || (isCancelUnsent(before) && !endsSlot(to));
}
