// Writes the options of a request that say how a pull request is merged. An option that the request leaves out does not
// change.
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { isBasedOnLanded } from '../facts/stacks.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import type { QueueWork } from '../store/status.writer.ts';

export interface MergeCommitMessage {
  readonly title?: string | null;
  readonly body?: string | null;
}

export interface MergeOptions {
  readonly affectedTargets?: readonly string[] | null;
  readonly mergeCommitMessage?: MergeCommitMessage | null;
}

export async function keepOptions(work: QueueWork, row: PullRequestRow, request: MergeOptions): Promise<void> {
  const { affectedTargets } = request;
  // An empty list makes the targets unknown, because nobody can be sure that a change affects nothing. Targets that were
  // reported against a base branch do not cover the commits that only this branch has.
  if (affectedTargets && !isTerminal(row.status)) {
    const isUnknown = affectedTargets.length === 0 || (await isBasedOnLanded(work, row));
    row.affectedTargets = isUnknown ? null : [...new Set(affectedTargets)];
  }
  if (request.mergeCommitMessage) {
    row.mergeTitle = request.mergeCommitMessage.title ?? null;
    row.mergeBody = request.mergeCommitMessage.body ?? null;
  }
}
