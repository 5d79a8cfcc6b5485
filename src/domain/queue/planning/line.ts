// The line as the planner sees it: pull requests in order, live batches by position, and the known facts about both. A
// LineView never changes. A decision that removes batches or pull requests makes a new view, which the next step plans
// on.
import { arrangeLine, inLineOrder } from '../model/order.ts';
import { buildsSpeculatively } from '../model/rules.ts';
import type { BatchState, PullRequestState, ResetCode, Snapshot } from '../model/snapshot.ts';
import { hasFailedByItself, waitsForOwnChecks } from '../landing/gate.ts';
import { judgeBatches, readingsOf, type BatchVerdict } from '../evidence/verdict.ts';
import type { Decision } from '../model/decision.ts';

type Conflict = NonNullable<PullRequestState['conflict']>;

export interface LineView {
  readonly snapshot: Snapshot;
  readonly now: number;
  /** Queued and tagged pull requests in line order, without those in side builds. */
  readonly inOrder: readonly PullRequestState[];
  /** All pull requests, by id. */
  readonly pullRequests: ReadonlyMap<string, PullRequestState>;
  /** Why a member of a live batch is missing from `pullRequests`. */
  readonly departures: ReadonlyMap<string, ResetCode>;
  /** Live batches in line, by position. */
  readonly batches: readonly BatchState[];
  /** Live batches beside the line, by position. */
  readonly sideBuilds: readonly BatchState[];
  /** The live batch in line of each pull request. */
  readonly batchOf: ReadonlyMap<string, BatchState>;
  /** Known conflicts that are still relevant: their parent is the tip, was the tip recently, or is in line. */
  readonly conflicts: ReadonlyMap<string, readonly Conflict[]>;
  /** The verdict of each batch, computed once for each plan. */
  readonly verdicts: ReadonlyMap<string, BatchVerdict>;
  /** When the checks of a commit were last read from the host again, by commit. Null: the host has not answered yet. */
  readonly readings: ReadonlyMap<string, number | null>;
}

/** One step of a plan: its decisions, and the line after them. */
export interface Step {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
}

export function viewLine(snapshot: Snapshot, now: number): LineView {
  const live = [...snapshot.batches].sort((a, b) => a.position - b.position);
  const batches = live.filter((batch) => batch.sideBuild === null);
  return arranged({
    snapshot,
    now,
    inOrder: [],
    pullRequests: byId(inLineOrder(snapshot.pullRequests)),
    departures: new Map(snapshot.departures.map((departure) => [departure.pullRequest, departure.code])),
    batches,
    sideBuilds: live.filter((batch) => batch.sideBuild !== null),
    batchOf: indexMembers(batches),
    conflicts: collectConflicts(snapshot, batches),
    verdicts: judgeBatches(snapshot, now),
    readings: readingsOf(snapshot),
  });
}

function byId(pullRequests: readonly PullRequestState[]): ReadonlyMap<string, PullRequestState> {
  return new Map(pullRequests.map((pullRequest) => [pullRequest.id, pullRequest]));
}

/** Computes the order again. The order may change whenever a pull request enters or leaves the line or a batch. */
function arranged(view: LineView): LineView {
  if (isSpeculative(view)) return { ...view, inOrder: inLineOrder([...view.pullRequests.values()]) };
  const { batches, sideBuilds } = view;
  const { rules } = view.snapshot;
  const isSuspendedHere = (pullRequest: PullRequestState): boolean => isSuspended(view, pullRequest);
  const inOrder = arrangeLine(view.pullRequests.values(), { rules, batches, sideBuilds, isSuspended: isSuspendedHere });
  return { ...view, inOrder };
}

function indexMembers(batches: readonly BatchState[]): Map<string, BatchState> {
  return new Map(batches.flatMap((batch) => batch.members.map((member) => [member.pullRequest, batch] as const)));
}

function collectConflicts(snapshot: Snapshot, line: readonly BatchState[]): Map<string, readonly Conflict[]> {
  const relevantParents = new Set([
    ...snapshot.queue.lineage,
    snapshot.queue.tip,
    ...line.flatMap((batch) => batch.commit ?? []),
  ]);
  const conflictsOfHead = new Map<string, Conflict[]>();
  for (const { parent, heads, conflictAt } of snapshot.mergeResults) {
    const head = heads[conflictAt];
    if (head === undefined || !relevantParents.has(parent)) continue;
    conflictsOfHead.set(head, [...(conflictsOfHead.get(head) ?? []), { parent, after: heads.slice(0, conflictAt) }]);
  }
  const conflicts = new Map<string, readonly Conflict[]>();
  for (const { id, head, conflict } of snapshot.pullRequests) {
    const known = conflictsOfHead.get(head) ?? [];
    const all = conflict !== null && relevantParents.has(conflict.parent) ? [...known, conflict] : known;
    if (all.length > 0) conflicts.set(id, all);
  }
  return conflicts;
}

/** Removes the batches. Their members are in line without a batch, unless they are in another live batch. */
export function withoutBatches(view: LineView, leaving: readonly BatchState[]): LineView {
  const removed = new Set(leaving);
  const batches = view.batches.filter((batch) => !removed.has(batch));
  const sideBuilds = view.sideBuilds.filter((batch) => !removed.has(batch));
  const held = new Set([...batches, ...sideBuilds].filter(isTagging).flatMap(idsOf));
  const members = leaving.flatMap(idsOf).filter((id) => !held.has(id));
  // A conflict with a batch that has left the line no longer delays any pull request.
  const conflicts = collectConflicts(view.snapshot, batches);
  return withChange({ ...view, batches, sideBuilds, batchOf: indexMembers(batches), conflicts }, members, {
    status: 'queued',
  });
}

function idsOf({ members }: BatchState): string[] {
  return members.map((member) => member.pullRequest);
}

function isTagging({ sideBuild, buildStartedAt }: BatchState): boolean {
  return sideBuild !== 'isolation' && buildStartedAt !== null;
}

/** Adds a batch that is about to be made. It takes a position and counts as a running build. */
export function withStartedBatch(view: LineView, start: Extract<Decision, { kind: 'StartBatch' }>): LineView {
  const { queue, rules } = view.snapshot;
  const started: BatchState = {
    ...start,
    id: '',
    state: 'making',
    commit: null,
    tree: null,
    testedCommit: null,
    buildKeysHash: rules.buildKeysHash,
    createdAt: view.now,
    buildStartedAt: null,
    landingStarted: false,
    landingPlanned: false,
  };
  const batches = start.sideBuild === null ? [...view.batches, started] : view.batches;
  const sideBuilds = start.sideBuild === null ? view.sideBuilds : [...view.sideBuilds, started];
  const nextPosition = Math.max(queue.nextPosition, start.position + 1);
  const snapshot = { ...view.snapshot, queue: { ...queue, nextPosition } };
  return arranged({ ...view, snapshot, batches, sideBuilds, batchOf: indexMembers(batches) });
}

export function withoutPullRequests(view: LineView, leaving: ReadonlyMap<string, ResetCode>): LineView {
  const staying = [...view.pullRequests.values()].filter((pullRequest) => !leaving.has(pullRequest.id));
  return arranged({
    ...view,
    pullRequests: byId(staying),
    departures: new Map([...view.departures, ...leaving]),
  });
}

/** Applies `change` to the pull requests with these ids. */
export function withChange(view: LineView, ids: readonly string[], change: Partial<PullRequestState>): LineView {
  return withChanges(view, new Map(ids.map((id) => [id, change])));
}

/** Applies `changes` by pull request and recomputes the order. */
export function withChanges(view: LineView, changes: ReadonlyMap<string, Partial<PullRequestState>>): LineView {
  const pullRequests = [...view.pullRequests.values()].map((pullRequest) => {
    const change = changes.get(pullRequest.id);
    return change === undefined ? pullRequest : { ...pullRequest, ...change };
  });
  return arranged({ ...view, pullRequests: byId(pullRequests) });
}

export function membersOf(view: LineView, batch: BatchState): PullRequestState[] {
  return batch.members.flatMap((member) => view.pullRequests.get(member.pullRequest) ?? []);
}

/**
 * Whether a pull request is in line without a batch because it, or the pull request that it is stacked on, conflicts
 * with an earlier pull request. The pull requests behind it are built without it. It keeps its place, and is tried
 * alone on the tip when no pull request is before it. No pull request is suspended in a mode other than parallel,
 * because only one is built at a time.
 */
export function isSuspended(view: LineView, pullRequest: PullRequestState): boolean {
  if (view.snapshot.rules.mode !== 'parallel' || view.batchOf.has(pullRequest.id)) return false;
  // Two pull requests that are retargeted onto each other at once are each stacked on the other.
  const passed = new Set<string>();
  for (let at: PullRequestState | undefined = pullRequest; at !== undefined && !passed.has(at.id); ) {
    if (view.batchOf.has(at.id)) return isTriedAgain(view, at);
    if (view.conflicts.has(at.id)) return true;
    passed.add(at.id);
    at = at.below === null ? undefined : view.pullRequests.get(at.below);
  }
  return false;
}

/**
 * Whether the merge of the pull request is being tried again. Until the result is known, the pull requests that are
 * stacked on it stay suspended.
 */
function isTriedAgain(view: LineView, { id }: PullRequestState): boolean {
  return view.conflicts.has(id) && view.batchOf.get(id)?.commit === null;
}

/**
 * Index of the first member that is known to conflict with the parent and the members before it; -1 if there is none.
 */
export function conflictingMember(view: LineView, batch: BatchState): number {
  if (batch.commit !== null) return -1;
  const heads = batch.members.map((member) => member.head);
  return batch.members.findIndex((member, index) =>
    (view.conflicts.get(member.pullRequest) ?? []).some(
      (conflict) =>
        conflict.parent === batch.parentCommit &&
        conflict.after.length === index &&
        conflict.after.every((head, at) => head === heads[at]),
    ),
  );
}

export function verdictOf(view: LineView, batch: BatchState): BatchVerdict {
  return view.verdicts.get(batch.id) ?? { kind: 'pending' };
}

/**
 * Whether a fact about the pull request itself keeps it from landing now: its own checks, or a head that the host does
 * not show yet. The landing gate refuses such a head even if validation is skipped.
 */
export function isHeld(view: LineView, pullRequest: PullRequestState): boolean {
  return (
    pullRequest.isHeadUnseen || hasFailedByItself(pullRequest) || waitsForOwnChecks(view.snapshot.rules, pullRequest)
  );
}

/** Whether neither a pause nor a landing time stops landings now. (The halt of a queue stops the whole plan.) */
export function mayLand({ snapshot: { queue } }: LineView): boolean {
  return !queue.paused && queue.landingsFrom === null;
}

export function isSpeculative({ snapshot }: LineView): boolean {
  return buildsSpeculatively(snapshot.rules);
}
