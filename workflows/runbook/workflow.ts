// The life of one runbook: plan its prompts, have the agent work on leaf after leaf, publish what it made. The rows say
// what is needed next, so that a lost or doubled run changes nothing; a follow-up after its end starts it again.
import { drivenBy, type DrivenResult } from '../shared/driven.ts';
import { runbookAttributes } from '../shared/search-attributes.ts';
import { runbookLookSignal, type RunbookInput } from './messages.ts';

const drive = drivenBy('Runbook', {
  signal: runbookLookSignal,
  attributes: runbookAttributes,
  failures: ['failed'],
});

export async function runbook(input: RunbookInput): Promise<DrivenResult> {
  return await drive(input);
}
