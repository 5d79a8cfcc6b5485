// Finds why a batch is worthless, in line or beside it: its members or the rules have changed, or the batch was given
// up.
import { type LineView } from './line.ts';
import type { BatchState, ResetCode } from '../model/snapshot.ts';
import type { Decision } from '../model/decision.ts';
import type { FailedBuild } from '../model/decision.ts';

export interface Cause {
  readonly code: ResetCode;
  /** The pull request that caused the reset. Null: none did. */
  readonly causedBy: string | null;
  readonly failedBuild?: FailedBuild | null;
}

export function supersede(batches: readonly BatchState[], { code, causedBy, failedBuild = null }: Cause): Decision[] {
  return batches.map((batch) => ({ kind: 'SupersedeBatch', batch: batch.id, code, causedBy, failedBuild }));
}

export function memberFault(view: LineView, batch: BatchState): Cause | null {
  for (const member of batch.members) {
    const pullRequest = view.pullRequests.get(member.pullRequest);
    if (pullRequest === undefined)
      return { code: view.departures.get(member.pullRequest) ?? 303, causedBy: member.pullRequest };
    if (pullRequest.head !== member.head) return { code: 310, causedBy: member.pullRequest };
  }
  return null;
}

export function ruleFault(view: LineView, batch: BatchState): Cause | null {
  if (batch.givenUp === true && batch.sideBuild === null)
    return { code: batch.commitMissing ? 309 : 305, causedBy: null };
  return batch.buildKeysHash === view.snapshot.rules.buildKeysHash ? null : { code: 307, causedBy: null };
}
