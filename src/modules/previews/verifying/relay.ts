// Wakes verifications whose wake was lost, whose deadline nobody watches, or whose workflow went with all of Temporal's
// data.
import type { Ports } from '../../../context.ts';
import { takeDue } from '../../../platform/turns/relay.ts';

export async function wakeDueVerifications(ports: Ports): Promise<void> {
  for (const { account_id: accountId, id } of await takeDue(ports, 'verification'))
    await ports.wake({ accountId, verificationId: id });
}
