// Side builds are built on the tip, beside the line. There are two kinds. Parts of a bisected batch are built while
// other batches of the line land. An isolation build shows whether a batch that is red behind other batches is red by
// itself. Side builds never land, and nothing is built on them.
//
// A red part with several members is bisected again. None of its members is blocked or requeued. A part with one member
// is built only after all pull requests that were before the member have left the line. Its red build then proves as
// much as a red build at the head of the line. Each part is built at most once on each level. Then its members are in
// line again, and a failure at the head of the line is final. So a bisection of n pull requests ends after at most 2
// log2(n) + 2 builds of each member, even while the rest of the line changes.
import { bisect, causeOf, fail, mayBisect, type Failure } from '../planning/failure.ts';
import {
  membersOf,
  verdictOf,
  withChanges,
  withStartedBatch,
  withoutBatches,
  type LineView,
  type Step,
} from '../planning/line.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import { compareInLine, hasLostPlace } from '../model/order.ts';
import { memberFault, ruleFault, supersede, type Cause } from '../planning/resets.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';
import { countHeld } from './landing.ts';
import { findPass } from './red-head.ts';
import { hasCapacity } from '../planning/capacity.ts';
import type { Decision } from '../model/decision.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/**
 * Judges the side builds until nothing changes, because one result may remove a pull request and so decide about
 * another side build.
 */
export function judgeSideBuilds(view: LineView): Step {
  const leftover = endLeftoverBuilds(view);
  const decisions = [...leftover.decisions];
  let left = leftover.view;
  for (let step = judgeNext(left); step !== null; step = judgeNext(left)) {
    left = step.view;
    decisions.push(...step.decisions);
  }
  return { view: left, decisions };
}

/**
 * Ends the speculative builds that were started before the mode of the queue changed. There may be hundreds, so that
 * all leave the line at once.
 */
function endLeftoverBuilds(view: LineView): Step {
  const leftover = view.sideBuilds.filter(({ sideBuild }) => sideBuild === 'speculative');
  if (leftover.length === 0) return { view, decisions: [] };
  return { view: withoutBatches(view, leftover), decisions: supersede(leftover, { code: 307, causedBy: null }) };
}

/** The next step of the judgement. Null: no side build decides anything now. */
function judgeNext(view: LineView): Step | null {
  const over = endBuildsAtOnce(view);
  if (over !== null) return over;
  for (const batch of view.sideBuilds) {
    const step = batch.sideBuild === 'part' ? judgeRedPart(view, batch) : judgeIsolation(view, batch);
    if (step.decisions.length > 0) return step;
  }
  return null;
}

/**
 * Ends all side builds whose end decides nothing about any other, because each end of one build arranges the whole line
 * again. Null: there are none.
 */
function endBuildsAtOnce(view: LineView): Step | null {
  const ends = view.sideBuilds.flatMap((batch) => {
    const end = endOf(view, batch);
    return end === null ? [] : [{ batch, end }];
  });
  if (ends.length === 0) return null;
  const returned = ends.flatMap(({ batch, end }) => (end === 'return' ? membersOf(view, batch) : []));
  const changes = returned.flatMap(({ id, bisection }) =>
    bisection === null ? [] : [[id, { bisection: { ...bisection, phase: 'returned' } }] as const],
  );
  return {
    view: withChanges(
      withoutBatches(
        view,
        ends.map(({ batch }) => batch),
      ),
      new Map(changes),
    ),
    decisions: ends.flatMap(({ batch, end }) =>
      end === 'return' ? [{ kind: 'ReturnBatch', batch: batch.id, code: 301 }] : supersede([batch], end),
    ),
  };
}

/** How a side build ends without a consequence for any other. `return`: its members return to the line. Null: it does not. */
function endOf(view: LineView, batch: BatchState): Cause | 'return' | null {
  const cause = memberFault(view, batch) ?? ruleFault(view, batch) ?? placeFault(view, batch);
  if (cause !== null || batch.sideBuild === 'isolation') return cause;
  const verdict = verdictOf(view, batch);
  if (batch.givenUp === true || verdict.kind === 'green') return 'return';
  // The members must be built again.
  if (verdict.kind === 'worthless') return { code: verdict.code, causedBy: null };
  return isRedPart(verdict) && !mayBisect(view, batch) && !isAtFault(view, batch) ? 'return' : null;
}

/**
 * Why the side build is no longer needed: a request put its members back in line, or the batch that the isolation build
 * judges has ended.
 */
function placeFault(view: LineView, batch: BatchState): Cause | null {
  if (batch.sideBuild === 'isolation') {
    const own = view.batchOf.get(batch.members[0]?.pullRequest ?? '');
    return own === undefined || own.position > batch.position ? { code: 309, causedBy: null } : null;
  }
  const returned = membersOf(view, batch).find(
    (member) => member.bisection?.phase !== 'side_build' || !hasLostPlace(member, view.snapshot.rules),
  );
  return returned === undefined ? null : { code: returned.skipLine ? 302 : 309, causedBy: returned.id };
}

/** A side build never lands, so no final gate runs for it. */
function isRedPart(verdict: BatchVerdict): verdict is Failure {
  return verdict.kind === 'red' || verdict.kind === 'timed_out';
}

/** Bisects a red part, or blocks or requeues its member. */
function judgeRedPart(view: LineView, batch: BatchState): Step {
  const verdict = verdictOf(view, batch);
  if (!isRedPart(verdict)) return { view, decisions: [] };
  const ended = (mayBisect(view, batch) ? bisect : fail)(view, batch, verdict);
  return { view: ended.view, decisions: [...ended.decisions, ...ended.departures] };
}

/**
 * Whether a red side build proves that its member is at fault. The member must have been built alone on the tip of that
 * time, and only our own landings may have moved the base branch since. Several members count as failed together only
 * at the head of the line, because beside the line the results of the pull requests before them are not known.
 */
function isAtFault(view: LineView, batch: BatchState): boolean {
  return batch.members.length === 1 && view.snapshot.queue.ownLine.includes(batch.parentCommit);
}

/**
 * A batch that is red behind others, and whose pull request is also red alone, cannot become green when the batches
 * before it land. So the batch fails. Any other result of the isolation build has no effect.
 */
function judgeIsolation(view: LineView, batch: BatchState): Step {
  const unchanged: Step = { view, decisions: [] };
  const own = view.batchOf.get(batch.members[0]?.pullRequest ?? '');
  if (own === undefined) return unchanged;
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'red' || !isAtFault(view, batch) || !isIsolationWanted(view, own)) return unchanged;
  const above = view.batches.slice(view.batches.indexOf(own) + 1);
  const ended = fail(withoutBatches(view, [batch]), own, verdict);
  const resets = supersede([batch, ...above], causeOf(batch, verdict));
  return { view: ended.view, decisions: [...ended.decisions, ...resets, ...ended.departures] };
}

/**
 * Whether an isolation build of the batch is useful. The batch has one member, which is in no stack. It is red on top
 * of green or undecided batches, and no later build passes it.
 */
function isIsolationWanted(view: LineView, batch: BatchState): boolean {
  const at = view.batches.indexOf(batch);
  const isOnAnother = at > 0 && view.batches[at - 1]?.commit === batch.parentCommit;
  const isOne = batch.members.length === 1 && membersOf(view, batch).every((member) => member.stack === null);
  const isFirstRed = isRed(view, batch) && !view.batches.slice(0, at).some((before) => isRed(view, before));
  return isOnAnother && isOne && isFirstRed && findPass(view, at) === 'none';
}

function isRed(view: LineView, batch: BatchState): boolean {
  return verdictOf(view, batch).kind === 'red';
}

/**
 * Plans the parts and isolation builds that start now. They start before batches in line, because other pull requests
 * wait for their results.
 */
export function planSideBuilds(view: LineView): Step {
  const { queue, rules } = view.snapshot;
  const unchanged: Step = { view, decisions: [] };
  if (rules.mode !== 'parallel') return unchanged;
  if (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0) return unchanged;
  const held = countHeld(view);
  let planned = unchanged;
  for (const { members, sideBuild } of [...partsToBuild(view), ...isolationsToBuild(view)]) {
    if (members.some((member) => isBehindBarrier(view, member))) continue;
    if (!hasCapacity(planned.view, members, held)) break;
    const start = startSideBuild(planned.view, members, sideBuild);
    planned = { view: withStartedBatch(planned.view, start), decisions: [...planned.decisions, start] };
  }
  return planned;
}

function isBehindBarrier(view: LineView, member: PullRequestState): boolean {
  return [...view.pullRequests.values()].some((other) => other.isBarrier && compareInLine(other, member) < 0);
}

interface SideBuildRequest {
  readonly members: readonly PullRequestState[];
  readonly sideBuild: 'part' | 'isolation';
}

function partsToBuild(view: LineView): readonly SideBuildRequest[] {
  const { rules } = view.snapshot;
  if (!rules.useParallelBisection) return [];
  const inSideBuilds = new Set(view.sideBuilds.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  const waiting = [...view.pullRequests.values()].filter(
    (candidate) =>
      candidate.bisection?.phase === 'side_build' &&
      hasLostPlace(candidate, rules) &&
      !view.batchOf.has(candidate.id) &&
      !inSideBuilds.has(candidate.id),
  );
  const running = view.sideBuilds.filter(
    (batch) => batch.sideBuild === 'part' && verdictOf(view, batch).kind === 'pending',
  ).length;
  return partsOf(waiting, rules.batchSize)
    .filter((members) => members.length > 1 || isFirst(view, members[0]))
    .slice(0, Math.max(0, (rules.maxParallelBisectedBuilds ?? Infinity) - running))
    .map((members) => ({ members, sideBuild: 'part' }));
}

/** Splits the waiting pull requests into neighbours of one group, at most as many as a part may have. */
function partsOf(waiting: readonly PullRequestState[], batchSize: number): readonly (readonly PullRequestState[])[] {
  const parts: PullRequestState[][] = [];
  for (const candidate of waiting) {
    const last = parts.at(-1);
    const size = Math.min(batchSize, candidate.bisection?.max ?? 1);
    const fits = last?.[0]?.bisection?.group === candidate.bisection?.group && (last?.length ?? 0) < size;
    if (fits) last?.push(candidate);
    else parts.push([candidate]);
  }
  return parts;
}

/**
 * Whether all pull requests that were before the member have left the line. Pull requests that skip the line do not
 * count, because new ones might arrive without end.
 */
function isFirst(view: LineView, member: PullRequestState | undefined): boolean {
  if (member === undefined) return false;
  return ![...view.pullRequests.values()].some((other) => !other.skipLine && other.rank < member.rank);
}

interface DueIsolation {
  readonly batch: BatchState;
  readonly at: number;
}

/** Batches that need an isolation build, and the instant at which each isolation build is due. */
function isolationsDue(view: LineView): readonly DueIsolation[] {
  const { mode, useProactiveDequeue, proactiveDequeueDelaySeconds } = view.snapshot.rules;
  if (mode !== 'parallel' || !useProactiveDequeue) return [];
  const ends = new Map(view.snapshot.builds.map((build) => [build.commit, build.lastEndAt ?? build.startedAt]));
  return view.batches
    .filter((batch) => isIsolationWanted(view, batch) && !view.sideBuilds.some((other) => isIsolationOf(other, batch)))
    .map((batch) => ({
      batch,
      at: (ends.get(batch.testedCommit ?? '') ?? view.now) + proactiveDequeueDelaySeconds * 1000,
    }));
}

function isIsolationOf(isolation: BatchState, batch: BatchState): boolean {
  return isolation.sideBuild === 'isolation' && isolation.members[0]?.pullRequest === batch.members[0]?.pullRequest;
}

function isolationsToBuild(view: LineView): readonly SideBuildRequest[] {
  return isolationsDue(view)
    .filter(({ at }) => at <= view.now)
    .map(({ batch }) => ({ members: membersOf(view, batch), sideBuild: 'isolation' }));
}

/** When the next isolation build is due. Null: none is due later. */
export function isolationsAt(view: LineView): number | null {
  const later = isolationsDue(view).flatMap(({ at }) => (at > view.now ? [at] : []));
  return later.length === 0 ? null : Math.min(...later);
}

function startSideBuild(
  view: LineView,
  members: readonly PullRequestState[],
  sideBuild: SideBuildRequest['sideBuild'],
): StartBatch {
  const { tip, nextPosition } = view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: nextPosition,
    members: members.map((member) => ({ pullRequest: member.id, head: member.head })),
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    sideBuild,
    assumes: [],
    restsOn: [],
    cause: sideBuild === 'part' ? 'bisect' : 'probe',
  };
}
