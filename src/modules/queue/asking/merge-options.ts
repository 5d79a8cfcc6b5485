// What a request says of how a pull request is merged; what it does not say stays.
import { isTerminal } from '../../../domain/queue/status.ts';
import type { PullRequestRow } from '../queue.entities.ts';

export interface MergeCommitMessage {
  readonly title?: string | null;
  readonly body?: string | null;
}

export interface MergeOptions {
  readonly affectedTargets?: readonly string[] | null;
  readonly mergeCommitMessage?: MergeCommitMessage | null;
}

export function keepOptions(row: PullRequestRow, request: MergeOptions): void {
  if (request.affectedTargets && !isTerminal(row.status)) row.affectedTargets = [...new Set(request.affectedTargets)];
  if (request.mergeCommitMessage) {
    row.mergeTitle = request.mergeCommitMessage.title ?? null;
    row.mergeBody = request.mergeCommitMessage.body ?? null;
  }
}
