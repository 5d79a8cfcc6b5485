// May the first batch of the line land now, and if only its pull requests' own checks hold it: for how long?
import { judgeGates } from '../evidence/final-gates.ts';
import { resetFallen } from './resets.ts';
import {
  isSpeculative,
  isHeldByOwnChecks,
  membersOf,
  verdictOf,
  waitsForOwnChecks,
  withoutPullRequests,
  type LineView,
} from './line.ts';
import type { BatchState, Decision, PullRequestState, ResetCode } from '../model/snapshot.ts';
import { blockText } from '../model/status.ts';
import { wasReadSince, type BatchVerdict } from '../evidence/verdict.ts';

type Green = Extract<BatchVerdict, { kind: 'green' }>;

/**
 * Its parent is the tip, it is green for its tree, nothing is before it, and its members' own checks agree: then its
 * final gates are asked, one after the other, and then it lands. What skips validation skips them too.
 */
export function planLanding(view: LineView): Extract<Decision, { kind: 'LandBatch' | 'RunGate' }> | null {
  const first = findLandable(view);
  return first === null ? null : landGreen(view, first);
}

export function landGreen(
  view: LineView,
  { batch, verdict }: Landable,
): Extract<Decision, { kind: 'LandBatch' | 'RunGate' }> | null {
  if (membersOf(view, batch).some((member) => isHeldByOwnChecks(view, member))) return null;
  const { id, gates = [] } = batch;
  const outlook = verdict.evidence === '' ? ({ kind: 'open' } as const) : judgeGates(gates, view.now);
  if (outlook.kind === 'due') return { kind: 'RunGate', batch: id, workflow: outlook.workflow };
  return outlook.kind === 'open' ? { kind: 'LandBatch', batch: id, evidence: verdict.evidence } : null;
}

export interface Landable {
  readonly batch: BatchState;
  readonly verdict: Green;
}

/** When the final gate that runs counts as failed. Null: none runs. */
export function gateDeadline(view: LineView): number | null {
  const [first] = view.batches;
  const outlook = judgeGates(first?.gates ?? [], view.now);
  return outlook.kind === 'running' ? outlook.until : null;
}

/** The batch that lands next, as far as it is not its members' own checks that say so. */
function findLandable(view: LineView): Landable | null {
  const [first] = view.batches;
  const { queue } = view.snapshot;
  if (first === undefined || first.givenUp || first.commit === null || first.parentCommit !== queue.tip) return null;
  if (queue.paused || queue.landingsFrom !== null) return null;
  if (view.batches.some((batch) => batch.landingBegun || batch.landingPlanned)) return null;
  if (first.members.some((member, place) => view.inOrder[place]?.id !== member.pullRequest)) return null;
  const verdict = verdictOf(view, first);
  return verdict.kind === 'green' ? { batch: first, verdict } : null;
}

export interface Patience {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
  /** When it ends. Null: nobody waits, or it has ended. */
  readonly until: number | null;
}

/**
 * A landing that only waits for own checks waits for a while: then their pull requests are stuck. Only the first batch
 * is judged, for nobody else is held up; and only by what the host says when it is asked once more.
 */
export function judgePatience(view: LineView): Patience {
  const { mode, stuckTimeoutMins } = view.snapshot.rules;
  const unhurried: Patience = { view, decisions: [], until: null };
  if (mode !== 'parallel' || stuckTimeoutMins === null) return unhurried;
  const first = findLandable(view);
  const held = first === null ? [] : membersOf(view, first.batch).filter((member) => waitsForOwnChecks(view, member));
  if (first === null || held.length === 0) return unhurried;
  return judgeHeld(view, held, greenSince(view, first.verdict) + stuckTimeoutMins * 60_000);
}

/** Of pull requests whose landing waits for their own checks alone, and may do so until then. */
export function judgeHeld(view: LineView, held: readonly PullRequestState[], until: number): Patience {
  if (view.now < until) return { view, decisions: [], until };
  const stuck = held.filter((member) => wasReadSince(view.readings.get(member.head), until));
  const unread = held.filter((member) => !stuck.includes(member) && view.readings.get(member.head) !== null);
  const reads = unread.map((member): Decision => ({ kind: 'ReadChecks', commit: member.head }));
  const told = dequeueStuck(view, stuck);
  return { view: told.view, decisions: [...told.decisions, ...reads], until: null };
}

function dequeueStuck(view: LineView, stuck: readonly PullRequestState[]): Omit<Patience, 'until'> {
  const untold = stuck.filter((member) => !member.stuckAnnounced);
  const told = untold.map(({ id }): Decision => ({ kind: 'AnnounceStuck', pullRequest: id }));
  if (view.snapshot.rules.bypassStuckState) return { view, decisions: told };
  if (stuck.length === 0) return { view, decisions: [] };
  const left = withoutPullRequests(view, new Map<string, ResetCode>(stuck.map((member) => [member.id, 301])));
  const reset = isSpeculative(view) ? { view: left, decisions: [] } : resetFallen(left);
  const blocks = stuck.map(
    ({ id }): Decision => ({
      kind: 'BlockPullRequest',
      pullRequest: id,
      code: 112,
      text: blockText(112),
      failedChecks: [],
    }),
  );
  // Told while its build still stands: it is the tagged one that is stuck.
  return { view: reset.view, decisions: [...told, ...reset.decisions, ...blocks] };
}

export function greenSince(view: LineView, { evidence }: Green): number {
  const build = view.snapshot.builds.find((candidate) => candidate.commit === evidence);
  return build?.finishedAt ?? build?.lastEndAt ?? build?.startedAt ?? view.now;
}
