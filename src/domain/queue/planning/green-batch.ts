// Decides what a green batch still waits for: the own checks of its members, for a limited time, and its final gates.
import { judgeGates } from '../evidence/final-gates.ts';
import { isHeld, membersOf, withoutPullRequests, type LineView, type Step } from './line.ts';
import type { BatchState, PullRequestState, ResetCode } from '../model/snapshot.ts';
import { blockText } from '../model/status.ts';
import { wasReadSince, type BatchVerdict } from '../evidence/verdict.ts';
import type { Decision } from '../model/decision.ts';

type Green = Extract<BatchVerdict, { kind: 'green' }>;

/** Lands the batch, unless the own checks of its members delay it or a final gate must be passed first. */
export function landGreenBatch(view: LineView, { batch, verdict }: LandableBatch): readonly Decision[] {
  if (membersOf(view, batch).some((member) => isHeld(view, member))) return [];
  const { id, gates = [] } = batch;
  const outlook = verdict.evidence === '' ? ({ kind: 'open' } as const) : judgeGates(gates, view.now);
  if (outlook.kind === 'due') return [{ kind: 'RunGate', batch: id, workflow: outlook.workflow }];
  return outlook.kind === 'open' ? [{ kind: 'LandBatch', batch: id, evidence: verdict.evidence }] : [];
}

export interface LandableBatch {
  readonly batch: BatchState;
  readonly verdict: Green;
}

/** When the running final gate counts as failed. Null: no final gate runs. */
export function gateDeadline(view: LineView): number | null {
  const [first] = view.batches;
  const outlook = judgeGates(first?.gates ?? [], view.now);
  return outlook.kind === 'running' ? outlook.until : null;
}

export interface OwnCheckWait extends Step {
  /** When the time for own checks ends. Null: no pull request waits, or the time has ended. */
  readonly until: number | null;
}

export interface Deadline {
  readonly until: number;
  /** Resets batches after the stuck pull requests have left the line. */
  readonly resetWithout: (view: LineView) => Step;
}

/**
 * Ends the wait for pull requests whose landing waits only for their own checks. After `until`, their checks are read
 * from the host once more, and pull requests whose checks still run are stuck.
 */
export function endOwnCheckWait(
  view: LineView,
  held: readonly PullRequestState[],
  { until, resetWithout }: Deadline,
): OwnCheckWait {
  if (view.now < until) return { view, decisions: [], until };
  const stuck = held.filter((member) => wasReadSince(view.readings.get(member.head), until));
  const unread = held.filter((member) => !stuck.includes(member) && view.readings.get(member.head) !== null);
  const reads = unread.map((member): Decision => ({ kind: 'ReadChecks', commit: member.head }));
  const dequeued = dequeueStuck(view, stuck, resetWithout);
  return { view: dequeued.view, decisions: [...dequeued.decisions, ...reads], until: null };
}

function dequeueStuck(
  view: LineView,
  stuck: readonly PullRequestState[],
  resetWithout: Deadline['resetWithout'],
): Step {
  const unannounced = stuck.filter((member) => !member.stuckAnnounced);
  const announcements = unannounced.map(({ id }): Decision => ({ kind: 'AnnounceStuck', pullRequest: id }));
  if (view.snapshot.rules.bypassStuckState) return { view, decisions: announcements };
  if (stuck.length === 0) return { view, decisions: [] };
  const left = withoutPullRequests(view, new Map<string, ResetCode>(stuck.map((member) => [member.id, 301])));
  const reset = resetWithout(left);
  const blocks = stuck.map(
    ({ id }): Decision => ({
      kind: 'BlockPullRequest',
      pullRequest: id,
      code: 112,
      text: blockText(112),
      failedChecks: [],
    }),
  );
  // The announcement comes before the reset, because a stuck pull request is still in its batch when it is announced.
  return { view: reset.view, decisions: [...announcements, ...reset.decisions, ...blocks] };
}

/**
 * Since when a landing has waited only for the own checks of these members. The evidence may be older than their place
 * in the line, and then the wait begins when the newest of them was queued.
 */
export function greenSince(view: LineView, { evidence }: Green, waiting: readonly PullRequestState[]): number {
  const build = view.snapshot.builds.find((candidate) => candidate.commit === evidence);
  const greenAt = build?.finishedAt ?? build?.lastEndAt ?? build?.startedAt ?? view.now;
  return Math.max(greenAt, ...waiting.map(({ queuedAt }) => queuedAt));
}
