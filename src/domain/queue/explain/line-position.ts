// Finds the position of one pull request in line, by the rules of the planner. `explain` turns these facts into
// sentences.
import { waitsForOwnChecks } from '../landing/gate.ts';
import { planNextBatch } from '../linear/next-batch.ts';
import { isSpeculative, isSuspended, membersOf, verdictOf, type LineView } from '../planning/line.ts';
import { judgeGates } from '../evidence/final-gates.ts';
import { reorderedText } from '../model/reordered.ts';
import { ciDeadline, startDeadline, type BatchVerdict } from '../evidence/verdict.ts';
import { countHeldBuilds, speculativePositionOf, type Container } from './speculative-position.ts';
import type { ExplainedBatch, ExplainedPullRequest, Hold } from './explain.ts';
import type { BatchState, PullRequestState, Verdict } from '../model/snapshot.ts';
import { findPass } from '../linear/red-head.ts';
import { limitThatIsReached } from '../planning/capacity.ts';
import { countHeld, judgeOwnCheckWait } from '../linear/landing.ts';
import type { Decision } from '../model/decision.ts';

export type BatchCause = Extract<Decision, { kind: 'StartBatch' }>['cause'];

export type LinePosition = Pick<
  ExplainedPullRequest,
  'ahead' | 'skippers' | 'hold' | 'ownChecks' | 'finalGate' | 'batch'
> & {
  /**
   * The commit that the build of the pull request runs on, and when the build started. Null: the pull request has no
   * batch.
   */
  readonly tested: Pick<BatchState, 'testedCommit' | 'buildStartedAt'> | null;
  /** The sentences about its reorders. Empty: it was not reordered. */
  readonly reordered: string;
  /** Numbers of the pull requests directly before this one, the nearest last, at most ten. */
  readonly before: readonly number[];
  /** When its build times out. Null: never, or the build does not run. */
  readonly buildUntil: number | null;
  /** When its own checks time out. Null: no time limit applies to them now. */
  readonly ownChecksUntil: number | null;
};

const maxNamed = 10;

/** Facts for a line position that are not in the line. */
export interface FactsBesideLine {
  /** The cause of each batch's start. */
  readonly causes: ReadonlyMap<string, BatchCause>;
  /**
   * The verdict of the own checks of a pull request that is in no live batch. Absent: the verdict in the line counts.
   */
  readonly ownVerdict?: Verdict;
}

interface LineIndex {
  readonly indexOf: ReadonlyMap<string, number>;
  readonly skippers: readonly PullRequestState[];
  readonly barriers: readonly PullRequestState[];
}

const indexesOfViews = new WeakMap<LineView, LineIndex>();

/**
 * The index is computed once for each view, because lines may be long and several pull requests of one line are
 * explained.
 */
function lineIndexOf(view: LineView): LineIndex {
  const known = indexesOfViews.get(view);
  if (known !== undefined) return known;
  const found = {
    indexOf: new Map(view.inOrder.map(({ id }, index) => [id, index])),
    skippers: view.inOrder.filter(({ skipLine }) => skipLine),
    barriers: view.inOrder.filter(({ isBarrier }) => isBarrier),
  };
  indexesOfViews.set(view, found);
  return found;
}

/** Null if the pull request is not in that line. */
export function linePositionOf(view: LineView, pullRequestId: string, beside: FactsBesideLine): LinePosition | null {
  const inLine = view.pullRequests.get(pullRequestId);
  if (inLine === undefined) return null;
  const { causes, ownVerdict = inLine.ownVerdict } = beside;
  const lineIndex = lineIndexOf(view);
  const index = lineIndex.indexOf.get(pullRequestId) ?? -1;
  const speculative = isSpeculative(view) ? speculativePositionOf(view, pullRequestId) : null;
  const batch = speculative?.batch ?? view.batchOf.get(pullRequestId) ?? partOf(view, pullRequestId);
  const pullRequest = batch === null ? { ...inLine, ownVerdict } : inLine;
  // No pull request is before a pull request that is built beside the line.
  const inFront = speculative?.before ?? view.inOrder.slice(0, Math.max(0, index));
  const company = new Set(batch?.members.map((member) => member.pullRequest) ?? []);
  const before = company.size === 0 ? inFront : inFront.filter(({ id }) => !company.has(id));
  const ahead = before.length;
  return {
    ahead,
    skippers: lineIndex.skippers.filter((other) => before.includes(other)).map(({ number }) => number),
    hold:
      batch !== null
        ? null
        : index === -1
          ? { kind: 'part' }
          : holdOf(view, pullRequest, { before, container: speculative?.container ?? null }),
    ownChecks: ownChecksOf(view, pullRequest, batch),
    finalGate: batch === null || batch.sideBuild === 'part' || ahead > 0 ? null : finalGateOf(view, batch),
    batch: batch === null ? null : batchOf(view, batch, { pullRequestId, causes, assumed: speculative?.assumed ?? [] }),
    tested: batch,
    reordered: reorderedText(pullRequest),
    before: before.slice(-maxNamed).map(({ number }) => number),
    buildUntil: batch === null ? null : buildUntil(view, batch),
    ownChecksUntil: ahead === 0 && batch?.sideBuild === null ? judgeOwnCheckWait(view).until : null,
  };
}

/** Why the pull request has no batch. Null: the pull request only waits for its turn. */
function holdOf(
  view: LineView,
  pullRequest: PullRequestState,
  { before, container }: { readonly before: readonly PullRequestState[]; readonly container: Container | null },
): Hold | null {
  if (before.length > 0 && isSuspended(view, pullRequest))
    return { kind: 'conflict', with: conflictingWith(view, pullRequest) };
  const barrier = lineIndexOf(view).barriers.find((other) => before.includes(other));
  if (barrier !== undefined) return { kind: 'barrier', number: barrier.number };
  if (!isSpeculative(view) && before.every((other) => view.batchOf.has(other.id) || isSuspended(view, other))) {
    const next = planNextBatch(view);
    if (next.kind === 'wait') return { kind: 'company', until: next.until };
  }
  if (view.snapshot.rules.mode !== 'parallel') return null;
  const failed = view.batches.find((batch) => verdictTexts[verdictOf(view, batch).kind] === 'red');
  if (failed !== undefined) return { kind: 'judgement', of: membersOf(view, failed).map(({ number }) => number) };
  if (container !== null)
    return {
      kind: 'contained',
      in: container.members.map(({ number }) => number),
      without: container.without.map(({ number }) => number),
    };
  const builds = limitThatIsReached(view, [pullRequest], isSpeculative(view) ? countHeldBuilds(view) : countHeld(view));
  // While a pause allows no builds, the pull request waits for the end of the pause, which is a condition of its own.
  return builds === null || builds === 0 ? null : { kind: 'room', builds };
}

/**
 * Numbers of the pull requests in line that are known to conflict with this one: the last pull request that was merged
 * before it, or the members of the batch that it was merged onto. A stacked pull request without a conflict of its own
 * gets the numbers of the pull request below.
 */
function conflictingWith(view: LineView, { id, below }: PullRequestState): readonly number[] {
  const conflicts = view.conflicts.get(id);
  if (conflicts === undefined) {
    const under = below === null ? undefined : view.pullRequests.get(below);
    return under === undefined ? [] : conflictingWith(view, under);
  }
  const heads = new Map([...view.pullRequests.values()].map(({ head, number }) => [head, number]));
  const numbers = conflicts.flatMap(({ parent, after }) => {
    const last = after.at(-1);
    const onto = view.batches.find(({ commit }) => commit === parent)?.members.map(({ head }) => head) ?? [];
    return (last === undefined ? onto : [last]).flatMap((head) => heads.get(head) ?? []);
  });
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** A batch lands when the own checks of all of its members have passed. */
function ownChecksOf(
  view: LineView,
  pullRequest: PullRequestState,
  batch: BatchState | null,
): ExplainedPullRequest['ownChecks'] {
  const members = batch === null || batch.sideBuild !== null ? [pullRequest] : membersOf(view, batch);
  const waiting = members.filter((member) => waitsForOwnChecks(view.snapshot.rules, member));
  if (waiting.length === 0) return null;
  const others = waiting.filter(({ id }) => id !== pullRequest.id).map(({ number }) => number);
  return { own: others.length < waiting.length, others };
}

/** The part of a bisected batch in which the pull request is built beside the line. Null: there is none. */
function partOf(view: LineView, pullRequestId: string): BatchState | null {
  const part = view.sideBuilds.find(
    ({ sideBuild, members }) =>
      sideBuild === 'part' && members.some(({ pullRequest }) => pullRequest === pullRequestId),
  );
  return part ?? null;
}

/** The final gate that runs or starts next. Null: there is none. */
function finalGateOf(view: LineView, batch: BatchState): string | null {
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'green' || verdict.evidence === '') return null;
  const outlook = judgeGates(batch.gates ?? [], view.now);
  return outlook.kind === 'due' || outlook.kind === 'running' ? outlook.workflow : null;
}

const verdictTexts = {
  red: 'red',
  timed_out: 'red',
  gate_closed: 'red',
  green: 'green',
  pending: 'pending',
  worthless: 'pending',
} as const satisfies Record<BatchVerdict['kind'], ExplainedBatch['verdict']>;

function batchOf(
  view: LineView,
  batch: BatchState,
  of: {
    readonly pullRequestId: string;
    readonly causes: ReadonlyMap<string, BatchCause>;
    readonly assumed: readonly PullRequestState[];
  },
): ExplainedBatch {
  const judged = verdictOf(view, batch);
  const verdict = verdictTexts[judged.kind];
  return {
    verdict,
    cause: of.causes.get(batch.id) ?? 'new',
    hasCommit: batch.commit !== null,
    landingStarted: batch.landingStarted,
    otherMembers: membersOf(view, batch)
      .filter(({ id }) => id !== of.pullRequestId)
      .map(({ number }) => number),
    assumes: of.assumed.map(({ number }) => number),
    mayBePassed: verdict === 'red' && view.batches[0] === batch && findPass(view, 0) === 'wait',
    skipsValidation: judged.kind === 'green' && judged.evidence === '',
  };
}

function buildUntil(view: LineView, batch: BatchState): number | null {
  if (verdictOf(view, batch).kind !== 'pending') return null;
  const { rules, builds } = view.snapshot;
  const build = builds.find(({ commit }) => commit === batch.testedCommit);
  const deadlines = [ciDeadline(batch, build, rules), startDeadline(batch, build, rules)].filter((at) => at !== null);
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}
