// The workflow of a runbook: plan its prompts, let the agent work on one leaf after another, and publish the commits.
// The rows say what is needed next, so that a run that is lost or started twice changes nothing. A follow-up after the
// end starts the workflow again.
import { drivenWorkflow, type DrivenResult } from '../shared/driven.ts';
import { runbookAttributes } from '../shared/search-attributes.ts';
import { runbookLookSignal, type RunbookInput } from './messages.ts';

const drive = drivenWorkflow('Runbook', {
  signal: runbookLookSignal,
  attributes: runbookAttributes,
  failures: ['failed'],
});

export async function runbook(input: RunbookInput): Promise<DrivenResult> {
  return await drive(input);
}
