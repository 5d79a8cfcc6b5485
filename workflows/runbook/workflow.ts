// The life of one runbook: plan its prompts, have the agent work on leaf after leaf, publish what it made. The rows say what
// is needed next, so that a lost or doubled run changes nothing; a follow-up after its end starts it again.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { driveByRows, type DrivenResult } from '../shared/driven.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { runbookAttributes } from '../shared/search-attributes.ts';
import { attendance, providerCall, turn, turnLocally } from '../shared/timeouts.ts';
import type { RunbookActivities } from './activities.ts';
import { runbookLookSignal, type RunbookInput } from './messages.ts';

const advance = locallyFirst(
  proxyLocalActivities<RunbookActivities>(turnLocally).advanceRunbook,
  proxyActivities<RunbookActivities>(turn).advanceRunbook,
);
const { carryOutRunbook } = proxyActivities<RunbookActivities>(providerCall);
const { carryOutRunbook: attendTo } = proxyActivities<RunbookActivities>(attendance);

export async function runbook(input: RunbookInput): Promise<DrivenResult> {
  return await driveByRows(input, {
    signal: runbookLookSignal,
    advance,
    carryOut: carryOutRunbook,
    attendTo,
    attributes: runbookAttributes,
  });
}
