// Wakes deployments and builds whose wake was lost, whose deadline nobody watches, or whose workflow went with all of
// Temporal's data.
import type { Ports } from '../../../context.ts';
import { takeDue, type DueRow } from '../../../platform/relay.ts';

interface DueDeployment extends DueRow {
  readonly kind: string;
}

export async function wakeDueReleases(ports: Ports): Promise<void> {
  const { wake } = ports;
  const deployments = await takeDue<DueDeployment>(ports, 'deployment', ['kind']);
  const candidates = await takeDue(ports, 'release_candidate');
  for (const { account_id: accountId, id, kind } of deployments)
    await wake({ accountId, deploymentId: id, isRollback: kind === 'rollback' });
  for (const { account_id: accountId, id } of candidates) await wake({ accountId, candidateId: id });
}
