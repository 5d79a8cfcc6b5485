// Wakes verifications whose wake was lost, whose deadline nobody watches, or whose workflow went with all of Temporal's
// data.
import type { Ports } from '../../../context.ts';
import { wakeDue } from '../../../platform/turns/index.ts';

export async function wakeDueVerifications(ports: Ports): Promise<void> {
  await wakeDue(ports, { table: 'verification', whose: ({ id }) => ({ verificationId: id }) });
}
