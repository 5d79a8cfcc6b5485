// The life of one deployment: wait in line, trigger its provider, hear how it goes, cancel it when it is to be canceled.
// The row says what is needed next, so that a lost or doubled run changes nothing.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { driveByRows, type DrivenResult } from '../shared/driven.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { deploymentAttributes } from '../shared/search-attributes.ts';
import { attendance, providerCall, turn, turnLocally } from '../shared/timeouts.ts';
import type { DeploymentActivities } from './activities.ts';
import { deploymentLookSignal, type DeploymentInput } from './messages.ts';

const advance = locallyFirst(
  proxyLocalActivities<DeploymentActivities>(turnLocally).advanceDeployment,
  proxyActivities<DeploymentActivities>(turn).advanceDeployment,
);
const { carryOutDeployment } = proxyActivities<DeploymentActivities>(providerCall);
const { carryOutDeployment: attendTo } = proxyActivities<DeploymentActivities>(attendance);

export async function deployment(input: DeploymentInput): Promise<DrivenResult> {
  return await driveByRows(input, {
    signal: deploymentLookSignal,
    advance,
    carryOut: carryOutDeployment,
    attendTo,
    attributes: deploymentAttributes,
  });
}
