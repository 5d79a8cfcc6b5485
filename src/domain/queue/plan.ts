// The decision of the queue: one snapshot in, everything that is to happen now out. Pure and minimal: planning again
// on what the decisions made of the snapshot decides nothing until a fact changes.
//
// The steps, each on the line the one before it left:
// block what failed by itself → hold what stands on it → reset what no longer stands → judge what was asked beside the
// line, and a red head → dequeue what is stuck → start batches, beside the line first → announce → ask the host → ask a
// final gate, or land.
import { judgeBeside, planBeside, questionsAt } from './beside.ts';
import { pendingUntil } from './evidence.ts';
import { judgeHead, type Step } from './failure.ts';
import { planFormation, type Formation } from './formation.ts';
import { gateDeadline, judgePatience, planLanding } from './landing.ts';
import { verdictOf, viewLine, withoutPullRequests, type LineView } from './line.ts';
import { findFault, resetFallen } from './resets.ts';
import { holdAbove } from './stack.ts';
import { failedChecksText, statusText } from './status.ts';
import type { Decision, PullRequestState, ResetCode, Snapshot } from './snapshot.ts';
import { ciDeadline, startDeadline } from './verdict.ts';

type BlockPullRequest = Extract<Decision, { kind: 'BlockPullRequest' }>;

export function plan(snapshot: Snapshot, now: number): Decision[] {
  if (snapshot.queue.haltedReason !== null) return [];
  const view = viewLine(snapshot, now);
  if (view.batches.some((batch) => batch.landingBegun)) return planBehindLanding(view);
  const blocked = blockFailed(view);
  const held = holdAbove(blocked.view);
  const reset = resetFallen(held.view);
  const answered = judgeBeside(reset.view);
  const judged = judgeHead(answered.view);
  const patience = judgePatience(judged.view);
  const left = holdAbove(patience.view);
  // Questions about what has just left the line are over.
  const over = judgeBeside(left.view);
  const settled = over.view;
  const asked = planBeside(settled);
  const pass = judged.start;
  const formation: Formation = pass === null ? planFormation(asked.view) : { kind: 'start', decision: pass };
  const landing = planLanding(settled);
  const departures = [reset, blocked, held, answered, judged, patience, left, over].flatMap((step) => step.decisions);
  return [
    ...departures,
    ...asked.decisions,
    ...starts(formation),
    ...announceTop(settled),
    ...readUnstarted(settled),
    ...(landing === null ? [] : [landing]),
    ...lookAgain(settled, [
      ...[waitOf(formation), patience.until, opening(settled), gateDeadline(settled), questionsAt(settled)],
    ]),
  ];
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. More may be built on a line that stands. */
function planBehindLanding(view: LineView): Decision[] {
  const stands = findFault(view) === null && holdAbove(view).decisions.length === 0;
  const formation: Formation = stands ? planFormation(view) : { kind: 'nothing' };
  return [...starts(formation), ...announceTop(view), ...lookAgain(view, [waitOf(formation)])];
}

function starts(formation: Formation): Decision[] {
  return formation.kind === 'start' ? [formation.decision] : [];
}

/** Pull requests that cannot land whatever the others do: a required check of their own failed, or they conflict with the tip. */
function blockFailed(view: LineView): Step {
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

/** The head of the line is announced once: when its build is under way in parallel mode, else as soon as it is first. */
function announceTop(view: LineView): Decision[] {
  const [top] = view.inOrder;
  if (top === undefined || top.topAnnounced) return [];
  const batch = view.batchOf.get(top.id);
  const isValidated = batch !== undefined && verdictOf(view, batch).kind === 'green';
  const isDue = view.snapshot.rules.mode !== 'parallel' || top.status === 'tagged' || isValidated;
  return isDue ? [{ kind: 'AnnounceTop', pullRequest: top.id }] : [];
}

/** Builds without any check so far, and by when they must have one. */
function startsDue(view: LineView): readonly { readonly commit: string; readonly at: number }[] {
  const { rules, builds } = view.snapshot;
  if (rules.checksStartedTimeoutMins === 0) return [];
  const known = new Map(builds.map((build) => [build.commit, build]));
  return [...view.batches, ...view.beside].flatMap((batch) => {
    const commit = batch.testedCommit;
    if (commit === null || verdictOf(view, batch).kind !== 'pending') return [];
    const at = startDeadline(batch, known.get(commit), rules);
    return at === null ? [] : [{ commit, at }];
  });
}

/** Before anybody is blamed for a build without checks the host is asked once more. */
function readUnstarted(view: LineView): Decision[] {
  const overdue = startsDue(view).filter(({ commit, at }) => at <= view.now && view.readings.get(commit) !== null);
  return overdue.map(({ commit }) => ({ kind: 'ReadChecks', commit }));
}

/** A batch in line lands no earlier than its window opens. */
function opening(view: LineView): number | null {
  return view.batches.length === 0 ? null : view.snapshot.queue.landingsFrom;
}

function waitOf(formation: Formation): number | null {
  return formation.kind === 'wait' ? formation.until : null;
}

/** When a green build no longer waits for what else runs on its commit. */
function pendingEnds(view: LineView): number[] {
  const { rules, builds } = view.snapshot;
  const tested = new Set([...view.batches, ...view.beside].map((batch) => batch.testedCommit));
  return builds
    .filter((build) => tested.has(build.commit))
    .map((build) => pendingUntil(build, rules))
    .filter((at) => at > view.now);
}

function lookAgain(view: LineView, waits: readonly (number | null)[]): Decision[] {
  const timeouts = [...view.batches, ...view.beside]
    .flatMap((batch) =>
      verdictOf(view, batch).kind === 'pending' ? (ciDeadline(batch, view.snapshot.rules) ?? []) : [],
    )
    // A green build that waits for what nobody requires has no time limit of CI.
    .filter((at) => at > view.now);
  const starts = startsDue(view).flatMap(({ at }) => (at > view.now ? [at] : []));
  const at = [...timeouts, ...starts, ...pendingEnds(view), ...waits.flatMap((wait) => wait ?? [])].reduce(
    (earliest, instant) => Math.min(earliest, instant),
    Infinity,
  );
  return Number.isFinite(at) ? [{ kind: 'LookAgainAt', at }] : [];
}
