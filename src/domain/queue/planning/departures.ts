// Decides for both planners which pull requests leave the line: their own checks failed, they conflict with the tip, or
// the pull request that they are stacked on has left the line.
import { withoutPullRequests, type LineView, type Step } from './line.ts';
import { hasFailedByItself } from '../landing/gate.ts';
import { failedChecksText, statusText } from '../model/status.ts';
import type { PullRequestState, ResetCode } from '../model/snapshot.ts';
import type { Decision } from '../model/decision.ts';

type BlockPullRequest = Extract<Decision, { kind: 'BlockPullRequest' }>;

/** Blocks pull requests that cannot land in any case: an own required check failed, or they conflict with the tip. */
export function blockFailedPullRequests(view: LineView): Step {
  const blocks = [...view.pullRequests.values()].flatMap((pullRequest) => findBlock(view, pullRequest) ?? []);
  if (blocks.length === 0) return { view, decisions: [] };
  const leaving = new Map<string, ResetCode>(blocks.map((block) => [block.pullRequest, 301]));
  return { view: withoutPullRequests(view, leaving), decisions: blocks };
}

function findBlock(view: LineView, pullRequest: PullRequestState): BlockPullRequest | null {
  const { id, ownFailedChecks, ownMissingChecks } = pullRequest;
  if (hasFailedByItself(pullRequest)) {
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

/** Takes stacked pull requests out of the line if the pull request below them is not before them in line. */
export function holdPullRequestsAbove(view: LineView): {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
} {
  const inLine = new Set<string>();
  const decisions: Decision[] = [];
  for (const { id, below } of view.inOrder) {
    if (below === null || inLine.has(below)) inLine.add(id);
    else decisions.push({ kind: 'PendPullRequest', pullRequest: id, below });
  }
  if (decisions.length === 0) return { view, decisions };
  const leaving = view.inOrder.filter(({ id }) => !inLine.has(id));
  return {
    view: withoutPullRequests(view, new Map<string, ResetCode>(leaving.map(({ id }) => [id, 303]))),
    decisions,
  };
}
