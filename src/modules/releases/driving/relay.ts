// Wakes deployments and builds whose wake was lost, whose deadline nobody watches, or whose workflow went with all of
// Temporal's data.
import type { Ports } from '../../../context.ts';
import { wakeDue, type DueRow } from '../../../platform/turns/index.ts';

interface DueDeployment extends DueRow {
  readonly kind: string;
}

export async function wakeDueReleases(ports: Ports): Promise<void> {
  await wakeDue<DueDeployment>(ports, {
    table: 'deployment',
    columns: ['kind'],
    whose: ({ id, kind }) => ({ deploymentId: id, isRollback: kind === 'rollback' }),
  });
  await wakeDue(ports, { table: 'release_candidate', whose: ({ id }) => ({ candidateId: id }) });
}
