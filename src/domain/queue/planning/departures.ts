// Pull requests that can no longer land, whatever the planner: by their own checks, or by a conflict with the tip.
import type { Step } from './failure.ts';
import { withoutPullRequests, type LineView } from './line.ts';
import { failedChecksText, statusText } from '../model/status.ts';
import type { Decision, PullRequestState, ResetCode } from '../model/snapshot.ts';

type BlockPullRequest = Extract<Decision, { kind: 'BlockPullRequest' }>;

/** Pull requests that cannot land whatever the others do: a required check of their own failed, or they conflict with the tip. */
export function blockFailed(view: LineView): Step {
  const blocks = [...view.pullRequests.values()].flatMap((pullRequest) => findBlock(view, pullRequest) ?? []);
  if (blocks.length === 0) return { view, decisions: [] };
  const leaving = new Map<string, ResetCode>(blocks.map((block) => [block.pullRequest, 301]));
  return { view: withoutPullRequests(view, leaving), decisions: blocks };
}

function findBlock(view: LineView, pullRequest: PullRequestState): BlockPullRequest | null {
  const { id, ownFailedChecks, ownMissingChecks } = pullRequest;
  if (pullRequest.ownVerdict === 'red' && !pullRequest.skipValidation) {
    return {
      kind: 'BlockPullRequest',
      pullRequest: id,
      code: 107,
      text: failedChecksText(ownFailedChecks, ownMissingChecks),
      failedChecks: ownFailedChecks,
    };
  }
  const hasMerged = (view.batchOf.get(id)?.commit ?? null) !== null;
  const conflictsWithTip = (view.conflicts.get(id) ?? []).some(
    (conflict) => conflict.parent === view.snapshot.queue.tip && conflict.after.length === 0,
  );
  if (hasMerged || !conflictsWithTip) return null;
  return { kind: 'BlockPullRequest', pullRequest: id, code: 106, text: statusText(106), failedChecks: [] };
}
