// A rollback: the rows of the deployments that were active at its request are to be canceled already; this waits for
// that, then runs the deployment of what ran before as a child.
import { getExternalWorkflowHandle, ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { deploymentLookSignal, deploymentWorkflowId, type DeploymentInput } from '../deployment/messages.ts';
import type { deployment } from '../deployment/workflow.ts';
import { createDescription } from '../shared/describe.ts';
import { listenTo, waitUntil, whileShowing, type Wake } from '../shared/drive.ts';
import { conclude, deploymentFailures, turnBy, type AdvanceOf, type DrivenResult } from '../shared/driven.ts';
import { deploymentAttributes } from '../shared/search-attributes.ts';
import { workflowTaskTimeout } from '../shared/timeouts.ts';
import { rollbackLookSignal, rollbackWorkflowId } from './messages.ts';

const advance = turnBy('Deployment');

type DeploymentAdvance = AdvanceOf<'Deployment'>;

export async function rollback(input: DeploymentInput): Promise<DrivenResult> {
  const wake = listenTo(rollbackLookSignal);
  const describe = createDescription();
  const look = async (): Promise<DeploymentAdvance> => {
    wake.isPending = false;
    const advanced = await advance(input);
    describe(advanced.summary.details, deploymentAttributes(advanced.summary), advanced.summary.title);
    return advanced;
  };
  let advanced = await look();
  const asked = new Set<string>();
  while (advanced.isInLine) {
    const { inTheWay } = advanced;
    if (inTheWay !== null && !asked.has(inTheWay.deploymentId)) {
      asked.add(inTheWay.deploymentId);
      await signal(input, inTheWay);
    }
    await waitUntil(wake, advanced);
    advanced = await look();
  }
  if (advanced.need !== 'ended') await runDeployment(input, { wake, look, title: advanced.summary.title });
  const { summary } = await untilEnded(wake, look);
  return conclude(summary, deploymentFailures);
}

/**
 * Wakes the deployment in the way, so that it sees at once that it is to end. A deployment that has ended needs no
 * word.
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
    look,
    title,
  }: { readonly wake: Wake; readonly look: () => Promise<DeploymentAdvance>; readonly title: string },
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
    const pass = async (): Promise<void> => {
      await child.signal(deploymentLookSignal).catch(() => {});
      await look();
    };
    await whileShowing(wake, { work: child.result().catch(() => {}), look: pass });
  } catch (error) {
    // A run of before goes on.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await getExternalWorkflowHandle(deploymentWorkflowId(input))
      .signal(deploymentLookSignal)
      .catch(() => {});
  }
}

/** At once after the child's end; while another run drives it, whenever it is woken. */
async function untilEnded(wake: Wake, look: () => Promise<DeploymentAdvance>): Promise<DeploymentAdvance> {
  for (;;) {
    const advanced = await look();
    if (advanced.need === 'ended') return advanced;
    await waitUntil(wake, { ...advanced, nextLookAt: Date.now() + lookAgainMs });
  }
}

const lookAgainMs = 30_000;
