// Computes the effect of a change on the builds of a queue. The planner plans once with the change and once without it,
// each time until no decision is left or 30 builds have started. The difference is the impact. Merges that git has not
// tried are assumed to succeed.
import { plan } from './plan.ts';
import { countPullRequests } from './explain/explain.ts';
import { recordReorder } from './model/reordered.ts';
import type { BatchState, PullRequestState, ResetCode, Snapshot } from './model/snapshot.ts';
import { statusText } from './model/status.ts';
import type { Decision } from './model/decision.ts';

/** The effect of a change. All lists contain numbers of pull requests. */
export interface Impact {
  readonly resets: readonly { readonly code: ResetCode; readonly pullRequests: readonly number[] }[];
  /** Builds that start immediately, each as the numbers of its pull requests. */
  readonly buildsStarted: readonly (readonly number[])[];
  readonly buildsStopped: readonly (readonly number[])[];
  /** Pull requests with a live build that the change keeps from landing. */
  readonly landingsHeld: readonly number[];
  /** Pull requests that are in line and would leave it, because somebody dequeues them or a precondition fails. */
  readonly leaving: readonly number[];
  /** How long all stopped builds together have run. */
  readonly buildMsLost: number;
}

interface Future {
  readonly resets: ReadonlyMap<string, ResetCode>;
  readonly stopped: ReadonlySet<string>;
  readonly started: readonly (readonly string[])[];
}

// Without this bound, the whole line of a queue without a limit of builds would be planned.
const maxStarts = 30;

export interface PlannedChange {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Decisions of the change itself that are not applied to `after` yet. */
  readonly decided?: readonly Decision[];
}

/** What the change would reset, start, stop and hold. */
export function measureImpact({ before, after, decided = [] }: PlannedChange, now: number): Impact {
  const without = planToEnd(before, now);
  const change = planToEnd(after, now, decided);
  const numbers = new Map([...before.pullRequests, ...after.pullRequests].map(({ id, number }) => [id, number]));
  const numbersOf = (ids: readonly string[]): number[] => ids.flatMap((id) => numbers.get(id) ?? []);
  const membersOf = (batch: BatchState): string[] => batch.members.map(({ pullRequest }) => pullRequest);
  const stopped = before.batches.filter(({ id }) => change.stopped.has(id) && !without.stopped.has(id));
  const known = new Set(without.started.map(String));
  const inLine = new Set(after.pullRequests.map(({ id }) => id));
  const held = new Set(
    before.batches
      .filter(({ id, sideBuild }) => !change.stopped.has(id) && sideBuild !== 'isolation')
      .flatMap(membersOf),
  );
  const resets = new Map<ResetCode, number[]>();
  for (const batch of stopped) {
    const code = change.resets.get(batch.id);
    // A pull request that is also in another live speculative build is not reset.
    const requeued = numbersOf(membersOf(batch).filter((id) => inLine.has(id) && !held.has(id)));
    if (code !== undefined && requeued.length > 0)
      resets.set(code, [...new Set([...(resets.get(code) ?? []), ...requeued])]);
  }
  const isHeld = canLand(before) && !canLand(after);
  const kept = before.batches.filter(({ id, landingStarted }) => !change.stopped.has(id) && !landingStarted);
  return {
    resets: [...resets].map(([code, pullRequests]) => ({ code, pullRequests })),
    buildsStarted: change.started.filter((members) => !known.has(String(members))).map(numbersOf),
    buildsStopped: stopped.map((batch) => numbersOf(membersOf(batch))),
    leaving: before.pullRequests
      .flatMap(({ id, number }) => (inLine.has(id) ? [] : [number]))
      .toSorted((a, b) => a - b),
    landingsHeld: isHeld ? numbersOf([...new Set(kept.flatMap(membersOf))]) : [],
    buildMsLost: stopped.reduce((sum, { buildStartedAt }) => sum + Math.max(0, now - (buildStartedAt ?? now)), 0),
  };
}

function canLand({ queue }: Snapshot): boolean {
  return !queue.paused && queue.haltedReason === null && queue.landingsFrom === null;
}

/** Kinds of decisions that are left out, because their result depends on the clock or the code host. */
const outsideKinds: readonly Decision['kind'][] = ['PlanAgainAt', 'ReadChecks', 'RunGate'];

function planToEnd(snapshot: Snapshot, now: number, decided: readonly Decision[] = []): Future {
  const resets = new Map<string, ResetCode>();
  const stopped = new Set<string>();
  const started: string[][] = [];
  let state = snapshot;
  let decisions = decided;
  do {
    for (const decision of decisions) {
      if (isBuild(decision)) started.push(decision.members.map(({ pullRequest }) => pullRequest));
      if (decision.kind === 'SupersedeBatch') resets.set(decision.batch, decision.code);
      if ('batch' in decision && decision.kind !== 'LandBatch') stopped.add(decision.batch);
      state = apply(state, decision, now);
    }
    decisions = plan(state, now).filter(({ kind }) => !outsideKinds.includes(kind));
  } while (decisions.length > 0 && started.length < maxStarts);
  return { resets, stopped, started };
}

/** A landing that is justified by the builds of its parts has no build of its own. */
function isBuild(decision: Decision): decision is Extract<Decision, { kind: 'StartBatch' }> {
  return decision.kind === 'StartBatch' && decision.restsOn.length === 0;
}

/** The snapshot after the decisions, if no outside fact changes in between. */
export function afterDecisions(snapshot: Snapshot, decisions: readonly Decision[], now: number): Snapshot {
  return decisions.reduce((state, decision) => apply(state, decision, now), snapshot);
}

/** The snapshot after the decision, if no outside fact changes in between. */
function apply(snapshot: Snapshot, decision: Decision, now: number): Snapshot {
  switch (decision.kind) {
    case 'SupersedeBatch':
    case 'FailBatch':
      return withoutBatch(snapshot, decision.batch);
    case 'BisectBatch': {
      const { group, attempts, halves, phase } = decision;
      const bisection = { group, attempts, phase, max: halves[0]?.length ?? 1 };
      return withChanged(withoutBatch(snapshot, decision.batch), halves.flat(), () => ({ bisection }));
    }
    case 'ReturnBatch': {
      const members = snapshot.batches.find(({ id }) => id === decision.batch)?.members ?? [];
      return withChanged(
        withoutBatch(snapshot, decision.batch),
        members.map(({ pullRequest }) => pullRequest),
        ({ bisection }) => ({ bisection: bisection && { ...bisection, phase: 'returned' } }),
      );
    }
    case 'BlockPullRequest':
      return withoutPullRequest(snapshot, { pullRequest: decision.pullRequest, code: 301 });
    case 'PendPullRequest':
      return withoutPullRequest(snapshot, { pullRequest: decision.pullRequest, code: 303 });
    case 'RequeuePullRequest':
      return withChanged(snapshot, [decision.pullRequest], (row) => ({ requeueAttempts: row.requeueAttempts + 1 }));
    case 'Reorder': {
      const rank = Math.max(...snapshot.pullRequests.map((row) => row.rank)) + 1;
      return withChanged(snapshot, [decision.pullRequest], (row) => ({
        rank,
        ...recordReorder(row, decision.reason),
      }));
    }
    case 'StartBatch':
      return withBatch(snapshot, decision, now);
    case 'LandBatch':
      return withBatches(snapshot, (batch) =>
        batch.id === decision.batch ? { ...batch, landingPlanned: true } : batch,
      );
    case 'AnnounceTop':
      return withChanged(snapshot, [decision.pullRequest], () => ({ topAnnounced: true }));
    case 'AnnounceStuck':
      return withChanged(snapshot, [decision.pullRequest], () => ({ stuckAnnounced: true }));
    case 'ReadChecks':
    case 'RunGate':
    case 'PlanAgainAt':
      return snapshot;
    default:
      return decision satisfies never;
  }
}

function withoutPullRequest(snapshot: Snapshot, departure: Snapshot['departures'][number]): Snapshot {
  return {
    ...snapshot,
    pullRequests: snapshot.pullRequests.filter(({ id }) => id !== departure.pullRequest),
    departures: [...snapshot.departures, departure],
  };
}

function withBatches(snapshot: Snapshot, change: (batch: BatchState) => BatchState): Snapshot {
  return { ...snapshot, batches: snapshot.batches.map(change) };
}

function withoutBatch(snapshot: Snapshot, id: string): Snapshot {
  const ended = snapshot.batches.find((batch) => batch.id === id);
  const held = new Set(
    snapshot.batches.flatMap((batch) => (batch.id === id ? [] : batch.members.map(({ pullRequest }) => pullRequest))),
  );
  const requeued = ended?.members.map(({ pullRequest }) => pullRequest).filter((member) => !held.has(member)) ?? [];
  const changed = withChanged(snapshot, requeued, () => ({ status: 'queued' }));
  return { ...changed, batches: changed.batches.filter((batch) => batch.id !== id) };
}

function withChanged(
  snapshot: Snapshot,
  ids: readonly string[],
  change: (row: PullRequestState) => Partial<PullRequestState>,
): Snapshot {
  const pullRequests = snapshot.pullRequests.map((row) => (ids.includes(row.id) ? { ...row, ...change(row) } : row));
  return { ...snapshot, pullRequests };
}

/** Adds the batch as if its commit were made and its heads had merged. The result of CI is not known. */
function withBatch(snapshot: Snapshot, decision: Extract<Decision, { kind: 'StartBatch' }>, now: number): Snapshot {
  const id = `planned-${decision.position}`;
  const batch: BatchState = {
    id,
    position: decision.position,
    sideBuild: decision.sideBuild,
    assumes: decision.assumes,
    restsOn: decision.restsOn,
    state: 'building',
    members: decision.members,
    parentBatch: decision.parentBatch,
    parentCommit: decision.parentCommit,
    base: decision.base,
    commit: id,
    tree: id,
    testedCommit: id,
    buildKeysHash: snapshot.rules.buildKeysHash,
    createdAt: now,
    buildStartedAt: now,
    landingStarted: false,
    landingPlanned: false,
  };
  const ids = decision.members.map(({ pullRequest }) => pullRequest);
  const tagged =
    snapshot.rules.mode === 'parallel' ? withChanged(snapshot, ids, () => ({ status: 'tagged' })) : snapshot;
  const nextPosition = Math.max(snapshot.queue.nextPosition, decision.position + 1);
  return { ...tagged, queue: { ...tagged.queue, nextPosition }, batches: [...tagged.batches, batch] };
}

/** A pull request that would not be in line although it is queued, and the reason as a sentence. */
export interface NotAdmitted {
  readonly number: number;
  readonly status: 'blocked' | 'pending';
  readonly text: string;
}

/** Describes the impact in one paragraph. `notAdmitted` is null unless the change queues a pull request. */
export function impactText(
  { resets, buildsStarted, buildsStopped, landingsHeld, leaving }: Omit<Impact, 'buildMsLost'>,
  notAdmitted: NotAdmitted | null = null,
): string {
  const sentences = [
    ...(notAdmitted === null ? [] : [notAdmittedText(notAdmitted)]),
    ...(leaving.length === 0 ? [] : [`${named(leaving)} ${leaving.length === 1 ? 'leaves' : 'leave'} the line.`]),
    ...resets.map(({ code, pullRequests }) => `${named(pullRequests)} go back in line. ${statusText(code)}`),
    ...(buildsStopped.length === 0 ? [] : [`${countBuilds(buildsStopped.length)} stopped: ${listed(buildsStopped)}.`]),
    ...(buildsStarted.length === 0
      ? []
      : [`${countBuilds(buildsStarted.length)} started if nothing conflicts: ${listed(buildsStarted)}.`]),
    ...(landingsHeld.length === 0
      ? []
      : [
          `${named(landingsHeld)} could land and cannot land any more: ${countPullRequests(landingsHeld.length)} held.`,
        ]),
  ];
  return sentences.length === 0 ? 'The change affects no build and no landing.' : sentences.join(' ');
}

function notAdmittedText({ number, status, text }: NotAdmitted): string {
  return `#${number} would ${status === 'blocked' ? 'be blocked' : 'not be in line yet'}. ${text}`;
}

function countBuilds(count: number): string {
  return count === 1 ? 'One build is' : `${count} builds are`;
}

function listed(builds: readonly (readonly number[])[]): string {
  return builds.map(named).join('; ');
}

function named(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}
