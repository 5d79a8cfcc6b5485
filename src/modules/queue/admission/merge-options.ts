// The options of a request about the merge of a pull request. Options that the request does not name stay.
import { isTerminal } from '../../../domain/queue/model/status.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

export interface MergeCommitMessage {
  readonly title?: string | null;
  readonly body?: string | null;
}

export interface MergeOptions {
  readonly affectedTargets?: readonly string[] | null;
  readonly mergeCommitMessage?: MergeCommitMessage | null;
}

export function keepOptions(row: PullRequestRow, request: MergeOptions): void {
  const { affectedTargets } = request;
  // An empty list removes the targets: nobody can know that a change affects nothing at all.
  if (affectedTargets && !isTerminal(row.status))
    row.affectedTargets = affectedTargets.length === 0 ? null : [...new Set(affectedTargets)];
  if (request.mergeCommitMessage) {
    row.mergeTitle = request.mergeCommitMessage.title ?? null;
    row.mergeBody = request.mergeCommitMessage.body ?? null;
  }
}
