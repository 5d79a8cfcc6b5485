// The decision of the queue: one snapshot in, everything that is to happen now out. Pure and minimal: planning again
// on what the decisions made of the snapshot decides nothing until a fact changes.
//
// The steps, each on the line the one before it left:
// block what failed by itself → reset what no longer stands → judge a red head → start a batch → announce → land.
import { judgeHead, type Step } from './failure.ts';
import { planFormation, type Formation } from './formation.ts';
import { planLanding } from './landing.ts';
import { verdictOf, viewLine, withoutPullRequests, type LineView } from './line.ts';
import { findFault, resetFallen } from './resets.ts';
import { blockText, statusText } from './status.ts';
import type { Decision, PullRequestState, ResetCode, Snapshot } from './snapshot.ts';
import { ciDeadline } from './verdict.ts';

type BlockPullRequest = Extract<Decision, { kind: 'BlockPullRequest' }>;

export function plan(snapshot: Snapshot, now: number): Decision[] {
  if (snapshot.queue.haltedReason !== null) return [];
  const view = viewLine(snapshot, now);
  if (view.batches.some((batch) => batch.landingBegun)) return planBehindLanding(view);
  const blocked = blockFailed(view);
  const reset = resetFallen(blocked.view);
  const judged = judgeHead(reset.view);
  const settled = judged.view;
  const hasStarted = judged.decisions.some((decision) => decision.kind === 'StartBatch');
  const formation: Formation = hasStarted ? { kind: 'nothing' } : planFormation(settled);
  const landing = planLanding(settled);
  const departures = [...reset.decisions, ...blocked.decisions, ...judged.decisions];
  return [
    ...departures,
    ...starts(formation),
    ...announceTop(settled),
    ...(landing === null ? [] : [landing]),
    ...lookAgain(settled, formation),
  ];
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. More may be built on a line that stands. */
function planBehindLanding(view: LineView): Decision[] {
  const formation: Formation = findFault(view) === null ? planFormation(view) : { kind: 'nothing' };
  return [...starts(formation), ...announceTop(view), ...lookAgain(view, formation)];
}

function starts(formation: Formation): Decision[] {
  return formation.kind === 'start' ? [formation.decision] : [];
}

/** Pull requests that cannot land whatever the others do: a required check of their own failed, or they conflict with the tip. */
function blockFailed(view: LineView): Step {
  const blocks = view.inOrder.flatMap((pullRequest) => findBlock(view, pullRequest) ?? []);
  if (blocks.length === 0) return { view, decisions: [] };
  const leaving = new Map<string, ResetCode>(blocks.map((block) => [block.pullRequest, 301]));
  return { view: withoutPullRequests(view, leaving), decisions: blocks };
}

function findBlock(view: LineView, pullRequest: PullRequestState): BlockPullRequest | null {
  const { id, ownFailedChecks } = pullRequest;
  if (pullRequest.ownVerdict === 'red' && !pullRequest.skipValidation) {
    return {
      kind: 'BlockPullRequest',
      pullRequest: id,
      code: 107,
      text: blockText(107, ownFailedChecks),
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

/** The head of the line is announced once: when its build is under way in parallel mode, else as soon as it is first. */
function announceTop(view: LineView): Decision[] {
  const [top] = view.inOrder;
  if (top === undefined || top.topAnnounced) return [];
  const batch = view.batchOf.get(top.id);
  const isValidated = batch !== undefined && verdictOf(view, batch).kind === 'green';
  const isDue = view.snapshot.rules.mode !== 'parallel' || top.status === 'tagged' || isValidated;
  return isDue ? [{ kind: 'AnnounceTop', pullRequest: top.id }] : [];
}

function lookAgain(view: LineView, formation: Formation): Decision[] {
  const deadlines = view.batches.flatMap((batch) =>
    verdictOf(view, batch).kind === 'pending' ? (ciDeadline(batch, view.snapshot.rules) ?? []) : [],
  );
  if (formation.kind === 'wait') deadlines.push(formation.until);
  return deadlines.length === 0
    ? []
    : [{ kind: 'LookAgainAt', at: deadlines.reduce((earliest, at) => Math.min(earliest, at)) }];
}
