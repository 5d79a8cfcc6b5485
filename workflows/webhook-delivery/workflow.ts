// Retries a webhook whose first attempt failed. The row of the delivery has the time of the next attempt, so that a run
// that is lost or started twice sends nothing twice.
import { ApplicationFailure, patched, proxyActivities } from '@temporalio/workflow';
import { listenTo, waitUntil } from '../shared/drive.ts';
import { heartbeatTimeout } from '../shared/timeouts.ts';
import type { DeliveryActivities } from './activities.ts';
import { deliveryLookSignal, type DeliveryInput } from './messages.ts';

const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  summary: 'Send the webhook if its next attempt is due',
  startToCloseTimeout: '1m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

/** Returns the final state of the delivery. */
export async function webhookDelivery(input: DeliveryInput): Promise<string> {
  const wake = listenTo(deliveryLookSignal);
  for (;;) {
    wake.isPending = false;
    const { state, nextLookAt } = await attemptDelivery(input);
    if (nextLookAt !== null) await waitUntil(wake, { step: 'waiting for the next attempt', nextLookAt });
    else if (!wake.isPending) {
      // In histories of an earlier version, runs end as completed even after a failure.
      if (state === 'failed' && patched('failures-fail'))
        throw ApplicationFailure.nonRetryable('Every attempt failed. Redeliver the webhook from its endpoint.', state);
      return state;
    }
  }
}
