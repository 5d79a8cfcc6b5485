// Writes the options of a request that say how a pull request is merged. An option that the request leaves out does not
// change.
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
  // An empty list makes the targets unknown, because nobody can be sure that a change affects nothing.
  if (affectedTargets && !isTerminal(row.status))
    row.affectedTargets = affectedTargets.length === 0 ? null : [...new Set(affectedTargets)];
  if (request.mergeCommitMessage) {
    row.mergeTitle = request.mergeCommitMessage.title ?? null;
    row.mergeBody = request.mergeCommitMessage.body ?? null;
  }
}
