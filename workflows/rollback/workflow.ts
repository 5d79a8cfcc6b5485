// The workflow of a rollback. When it starts, the deployments that were active at the request are already marked to be
// canceled. The workflow waits until they have ended, and then runs the deployment that restores the earlier version as
// a child workflow.
import {
  continueAsNew,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { deploymentLookSignal, deploymentWorkflowId, type DeploymentInput } from '../deployment/messages.ts';
import type { deployment } from '../deployment/workflow.ts';
import { createDescription } from '../shared/describe.ts';
import { isHistoryLong, listenTo, waitUntil, showUntilEnd, type Wake } from '../shared/drive.ts';
import { conclude, deploymentFailures, turnOfKind, type AdvanceOf, type DrivenResult } from '../shared/driven.ts';
import { deploymentAttributes } from '../shared/search-attributes.ts';
import { workflowTaskTimeout } from '../shared/timeouts.ts';
import { rollbackLookSignal, rollbackWorkflowId, type RollbackInput } from './messages.ts';

const advance = turnOfKind('Deployment');

type DeploymentAdvance = AdvanceOf<'Deployment'>;

/** A change of this workflow, by which Temporal distinguishes the histories of earlier versions. */
const continuesAsNew = 'continues-as-new';

export async function rollback(input: RollbackInput): Promise<DrivenResult> {
  const wake = listenTo(rollbackLookSignal);
  const describe = createDescription();
  const takeTurn = async (): Promise<DeploymentAdvance> => {
    wake.isPending = false;
    const advanced = await advance(input);
    describe(advanced.summary.details, deploymentAttributes(advanced.summary), advanced.summary.title);
    return advanced;
  };
  let advanced = await takeTurn();
  const signaled = new Set<string>();
  while (advanced.isInLine) {
    const { inTheWay } = advanced;
    if (inTheWay !== null && !signaled.has(inTheWay.deploymentId)) {
      signaled.add(inTheWay.deploymentId);
      await signal(input, inTheWay);
    }
    await waitUntil(wake, advanced);
    await continueWhenLong(input);
    advanced = await takeTurn();
  }
  if (advanced.need !== 'ended') await runDeployment(input, { wake, takeTurn, title: advanced.summary.title });
  const { summary } = await untilEnded(input, { wake, takeTurn });
  return conclude(summary, deploymentFailures);
}

/**
 * Continues as a new run if the history is long, for example because a freeze holds the rollback for weeks. This is done
 * before a turn, because Temporal refuses to continue a run if a signal arrives during the same task.
 */
async function continueWhenLong(input: RollbackInput): Promise<void> {
  if (isHistoryLong(input.mostHistoryEvents) && patched(continuesAsNew)) await continueAsNew<typeof rollback>(input);
}

/**
 * Wakes the deployment that this rollback waits for, so that its workflow reads at once that a cancellation was
 * requested. If the deployment has already ended, the signal fails, which is harmless.
 */
async function signal(
  { accountId }: DeploymentInput,
  { deploymentId, isRollback }: NonNullable<DeploymentAdvance['inTheWay']>,
): Promise<void> {
  const other = { accountId, deploymentId };
  const handle = getExternalWorkflowHandle(isRollback ? rollbackWorkflowId(other) : deploymentWorkflowId(other));
  await handle.signal(deploymentLookSignal).catch(() => {});
}

async function runDeployment(
  input: DeploymentInput,
  {
    wake,
    takeTurn,
    title,
  }: { readonly wake: Wake; readonly takeTurn: () => Promise<DeploymentAdvance>; readonly title: string },
): Promise<void> {
  try {
    const child = await startChild<typeof deployment>('deployment', {
      args: [input],
      workflowId: deploymentWorkflowId(input),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout,
      staticSummary: title,
    });
    const forwardWake = async (): Promise<void> => {
      await child.signal(deploymentLookSignal).catch(() => {});
      await takeTurn();
    };
    await showUntilEnd(wake, { work: child.result().catch(() => {}), takeTurn: forwardWake });
  } catch (error) {
    // The child workflow was already started, and continues.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await getExternalWorkflowHandle(deploymentWorkflowId(input))
      .signal(deploymentLookSignal)
      .catch(() => {});
  }
}

/**
 * Waits until the deployment has ended. After the end of the child workflow, the deployment has ended too, and this
 * returns at once. If another run carries the deployment out, its state is read after each wake and every half minute.
 */
async function untilEnded(
  input: RollbackInput,
  { wake, takeTurn }: { readonly wake: Wake; readonly takeTurn: () => Promise<DeploymentAdvance> },
): Promise<DeploymentAdvance> {
  for (;;) {
    const advanced = await takeTurn();
    if (advanced.need === 'ended') return advanced;
    await waitUntil(wake, { ...advanced, nextLookAt: Date.now() + readAgainMs });
    await continueWhenLong(input);
  }
}

const readAgainMs = 30_000;
