// The workflow of a deployment: wait for the slot, start the deployment at its provider, follow it, and cancel it if
// this is requested. The row says what is needed next, so that a run that is lost or started twice changes nothing.
import { deploymentFailures, drivenWorkflow, type DrivenResult } from '../shared/driven.ts';
import { deploymentAttributes } from '../shared/search-attributes.ts';
import { deploymentLookSignal, type DeploymentInput } from './messages.ts';

const drive = drivenWorkflow('Deployment', {
  signal: deploymentLookSignal,
  attributes: deploymentAttributes,
  failures: deploymentFailures,
});

export async function deployment(input: DeploymentInput): Promise<DrivenResult> {
  return await drive(input);
}
