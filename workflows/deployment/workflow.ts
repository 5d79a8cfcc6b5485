// The life of one deployment: wait in line, trigger its provider, hear how it goes, cancel it when it is to be
// canceled. The row says what is needed next, so that a lost or doubled run changes nothing.
import { deploymentFailures, drivenBy, type DrivenResult } from '../shared/driven.ts';
import { deploymentAttributes } from '../shared/search-attributes.ts';
import { deploymentLookSignal, type DeploymentInput } from './messages.ts';

const drive = drivenBy('Deployment', {
  signal: deploymentLookSignal,
  attributes: deploymentAttributes,
  failures: deploymentFailures,
});

export async function deployment(input: DeploymentInput): Promise<DrivenResult> {
  return await drive(input);
}
