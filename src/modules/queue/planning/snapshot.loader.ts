// Reads everything that `plan` decides on, under the queue's lock and in the transaction that writes the decisions.
import type { Context } from '../../../context.ts';
import { withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import { decideLandingsFrom, decideNextLook } from '../../../domain/queue/landing/landing-time.ts';
import { buildsSpeculatively } from '../../../domain/queue/model/rules.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import { withStacks } from '../../../domain/queue/requests/stacks.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { BuildState, PullRequestState, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readBranchHolds, type BranchHolds } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { successProbabilityBy, loadSecondTries, loadPastResults } from '../facts/past-results.ts';
import { lineageOf, loadLandings, ownLineOf } from '../facts/landings.loader.ts';
import { configurationOf, haltOf } from '../store/rules-in-force.ts';
import { labelBatches, loadGates } from '../facts/final-gates.ts';
import { findOpenBelow, readPullRequestsBelow } from '../facts/stacks.ts';
import type { PlannedMember } from '../store/batch.members.ts';
import { readLine, type LineRow } from '../store/line.rows.ts';
import { judgedHeads, loadJudgedBuilds } from '../facts/judged-builds.ts';
import type { HeadBuilds } from '../facts/kept-line.ts';
import { readQueueFacts, type LiveBatches, type QueueFacts } from './queue.facts.ts';
import {
  toPullRequestState,
  toBatchState,
  toPinned,
  countBuildsElsewhere,
  loadMergeResults,
  loadDepartures,
} from './snapshot.rows.ts';
import { loadTargets, loadTargetsOf } from '../facts/affected-targets.ts';
import { PullRequestEntity, type BatchRow, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';

export interface LoadedQueue {
  readonly snapshot: Snapshot;
  /** Loaded into the unit of work by `loadPullRequests`, by id. */
  readonly pullRequests: ReadonlyMap<string, PullRequestRow>;
  readonly batches: ReadonlyMap<string, BatchRow>;
  readonly members: ReadonlyMap<string, readonly PlannedMember[]>;
}

/** The queue to read, and the tip of its base branch on which the plan is made. */
interface SnapshotOf {
  readonly queue: QueueRow;
  readonly repository: RepositoryRow;
  readonly rules: QueueRules;
  readonly tip: string;
  readonly tipTree: string;
  /** Whether a turn reads the queue. It only needs to know when to look again whether landings may happen. */
  readonly isTurn?: boolean;
  /** What this transaction has already read. A turn has read it under the queue's lock. Absent: nothing was read yet. */
  readonly known?: {
    readonly line: readonly LineRow[];
    readonly heads: HeadBuilds;
    readonly holds?: BranchHolds;
    readonly facts?: QueueFacts;
    /** Whether `line` is only the front of the line. */
    readonly isFront?: boolean;
  };
}

export async function loadSnapshot(ctx: Context, tx: Transaction, from: SnapshotOf): Promise<LoadedQueue> {
  const { queue, repository, rules, tip, known } = from;
  // Reads that do not need each other share a round trip.
  const [facts, inLine, holds] = await Promise.all([
    known?.facts ?? readQueueFacts(ctx, tx, queue.id),
    known?.line ?? readLine(ctx, tx, queue.id),
    known?.holds ?? readBranchHolds(tx, repository, queue.baseBranch),
  ]);
  const { live, intents, landed } = facts;
  const { batches, members } = live;
  const lineage = lineageOf(landed, tip);
  const labelled = rules.finalGates.length === 0 ? [] : labelBatches(namesOfMembers(live), inLine);
  const [below, departures, { builds, own }, gates, outlook, state, secondTries, landingsSince, mergeResults] =
    await Promise.all([
      readPullRequestsBelow(ctx, tx, inLine),
      loadDeparted(ctx, tx, { live, inLine }),
      readBuilds(ctx, tx, { batches, inLine, heads: known?.heads ?? null, from }),
      loadGates(ctx, tx, { rules, batches: labelled }),
      loadOutlook(ctx, tx, { queue, rules, front: known?.isFront ? inLine : null }),
      loadQueueState(ctx, tx, { ...from, holds }),
      buildsSpeculatively(rules) ? loadSecondTries(ctx, tx, { queue, rules }) : null,
      loadLandings(ctx, tx, { landed, tip, since: basesOfSpeculativeBuilds(batches) }),
      loadMergeResults(ctx, tx, {
        repositoryId: repository.id,
        parents: [...lineage, ...batches.flatMap((batch) => [batch.parentCommit, batch.commit ?? batch.parentCommit])],
      }),
    ]);
  const snapshot: Snapshot = {
    queue: { ...state, lineage, ownLine: ownLineOf(landed, tip) },
    rules,
    pullRequests: withStacks(
      inLine.map((row) => {
        const kept = keptStateOf(row, own.get(row.headSha), rules);
        if (outlook === null && !row.belowId) return kept;
        return { ...kept, ...outlook?.(row), below: findOpenBelow(below, row.belowId) };
      }),
    ),
    departures,
    batches: batches.map((batch) => ({
      ...toBatchState(batch, members.get(batch.id) ?? [], intents.landings.get(batch.id)),
      assumes: live.assumptions.get(batch.id) ?? [],
      gates: gates.get(batch.id) ?? [],
      needsNoBuild: live.withoutBuild.has(batch.id),
    })),
    builds: withoutHeads(builds, rules, headsOf(live, inLine)),
    readings: intents.readings,
    ...(secondTries !== null && { secondTries }),
    landings: landingsSince,
    mergeResults,
  };
  return { snapshot, pullRequests: new Map(), batches: new Map(batches.map((batch) => [batch.id, batch])), members };
}

/** Why members and assumed pull requests of live batches are not in line any more. */
async function loadDeparted(
  ctx: Context,
  tx: Transaction,
  { live, inLine }: { readonly live: LiveBatches; readonly inLine: readonly LineRow[] },
): Promise<Snapshot['departures']> {
  const idsInLine = new Set(inLine.map((row) => row.id));
  const pinned = [...[...live.members.values()].flat().map(toPinned), ...[...live.assumptions.values()].flat()];
  const departed = [...new Set(pinned.map(({ pullRequest }) => pullRequest))].filter((id) => !idsInLine.has(id));
  return await loadDepartures(ctx, tx, { departed, pinned });
}

function namesOfMembers({ members }: LiveBatches): (readonly [batchId: string, pullRequestIds: string[]])[] {
  return [...members].map(([id, of]) => [id, of.map((member) => member.pullRequestId)]);
}

interface Builds {
  /** The builds of batches and their parts, and the builds of heads that have the tree of a batch. */
  readonly builds: readonly BuildState[];
  /** The builds of the heads in line, by head commit. */
  readonly own: ReadonlyMap<string, BuildState>;
}

/** Reads the builds that a plan judges. */
async function readBuilds(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly batches: readonly BatchRow[];
    readonly inLine: readonly LineRow[];
    readonly heads: HeadBuilds;
    readonly from: SnapshotOf;
  },
): Promise<Builds> {
  const { rules, repository } = of.from;
  const tested = of.batches.flatMap((batch) => [...(batch.testedCommit ? [batch.testedCommit] : []), ...batch.restsOn]);
  const wanted = { repositoryId: repository.id, trees: of.batches.flatMap((batch) => batch.tree ?? []) };
  if (of.heads === null) {
    const commits = [...tested, ...of.inLine.map((row) => row.headSha)];
    const builds = await loadJudgedBuilds(ctx, tx, { wanted: { ...wanted, commits }, rules });
    return { builds, own: new Map(builds.map((build) => [build.commit, build])) };
  }
  const built = await loadJudgedBuilds(ctx, tx, { wanted: { ...wanted, commits: tested }, rules });
  const own = await judgedHeads(ctx, tx, { heads: of.heads, wanted, rules });
  const trees = new Set(wanted.trees);
  const known = new Set(built.map(({ commit }) => commit));
  const proving: BuildState[] = [];
  for (const build of own.values()) if (trees.has(build.tree) && !known.has(build.commit)) proving.push(build);
  return { builds: [...built, ...proving], own };
}

/** The state of each row of a kept line. A row of a kept line is the same object until it changes. */
const keptStates = new WeakMap<LineRow, { readonly by: readonly unknown[]; readonly state: PullRequestState }>();

function keptStateOf(row: LineRow, build: BuildState | undefined, rules: QueueRules): PullRequestState {
  const by = [build, rules];
  const known = keptStates.get(row);
  if (known?.by.every((value, at) => value === by[at])) return known.state;
  const state = toPullRequestState(row, build, rules);
  keptStates.set(row, { by, state });
  return state;
}

/** What keeps a queue from landing pull requests. */
export function holdsOf(
  ctx: Context,
  of: Pick<SnapshotOf, 'queue' | 'repository' | 'isTurn'> & { readonly holds: BranchHolds },
): Pick<Snapshot['queue'], 'paused' | 'haltedReason' | 'landingsFrom'> {
  const { queue, repository, isTurn = false, holds } = of;
  const { pause, freezes } = holds;
  const configuration = configurationOf(repository);
  const { baseBranch } = queue;
  const decideFrom = isTurn ? decideNextLook : decideLandingsFrom;
  return {
    paused: !repository.active || pause !== null,
    haltedReason: haltOf(repository, queue),
    landingsFrom: decideFrom({ configuration, baseBranch, freezes }, ctx.clock().getTime()),
  };
}

async function loadQueueState(
  ctx: Context,
  tx: Transaction,
  { queue, repository, tip, tipTree, isTurn, holds }: SnapshotOf & { readonly holds: BranchHolds },
): Promise<Omit<Snapshot['queue'], 'lineage' | 'ownLine'>> {
  return {
    id: queue.id,
    baseBranch: queue.baseBranch,
    tip,
    tipTree,
    ...holdsOf(ctx, { queue, repository, ...(isTurn && { isTurn }), holds }),
    nextPosition: queue.nextPosition,
    buildsElsewhere: await countBuildsElsewhere(ctx, tx, queue),
  };
}

function basesOfSpeculativeBuilds(batches: readonly BatchRow[]): string[] {
  return batches.filter((batch) => batch.sideBuild === 'speculative').map((batch) => batch.baseCommit);
}

/** The heads in line, and the pinned heads of live batches. */
function headsOf({ members }: LiveBatches, inLine: readonly LineRow[]): string[] {
  return [...inLine.map((row) => row.headSha), ...[...members.values()].flat().map((member) => member.pinnedHead)];
}

/**
 * Loads the affected targets and the success probability of each pull request, by which speculative builds are chosen.
 * Null: the mode does not build speculatively. The number of statements does not depend on the length of the line.
 */
async function loadOutlook(
  ctx: Context,
  tx: Transaction,
  of: { readonly queue: QueueRow; readonly rules: QueueRules; readonly front: readonly LineRow[] | null },
): Promise<((row: LineRow) => Partial<Pick<PullRequestState, 'targets' | 'successProbability'>>) | null> {
  const { queue, rules, front } = of;
  if (!buildsSpeculatively(rules)) return null;
  const targets = rules.useAffectedTargets ? await readTargets(ctx, tx, { queue, front }) : new Map<string, Targets>();
  const records = await loadPastResults(ctx, tx, queue.repositoryId);
  return (row) => ({
    targets: targets.get(row.id) ?? null,
    successProbability: successProbabilityBy(records, row.author),
  });
}

async function readTargets(
  ctx: Context,
  tx: Transaction,
  { queue, front }: { readonly queue: QueueRow; readonly front: readonly LineRow[] | null },
): Promise<ReadonlyMap<string, Targets>> {
  if (front === null) return await loadTargets(ctx, tx, queue.id);
  return await loadTargetsOf(
    ctx,
    tx,
    front.map(({ id }) => id),
  );
}

/** Decisions that are written without a row of a pull request. */
const ofNoPullRequest: ReadonlySet<Decision['kind']> = new Set(['LandBatch', 'RunGate', 'ReadChecks', 'PlanAgainAt']);

/** Loads the pull requests that the decisions refer to, and all members of live batches, into the unit of work. */
export async function loadPullRequests(
  tx: Transaction,
  loaded: LoadedQueue,
  decisions: readonly Decision[],
): Promise<LoadedQueue> {
  const ofDecisions = decisions.flatMap(pullRequestsIn);
  if (decisions.every(({ kind }) => ofNoPullRequest.has(kind))) return loaded;
  const ids = new Set([...ofDecisions, ...[...loaded.members.values()].flat().map((member) => member.pullRequestId)]);
  await tx.em.flush();
  const rows = await tx.find(PullRequestEntity, { column: 'id', ids: [...ids], orderBy: 'id' });
  return { ...loaded, pullRequests: new Map(rows.map((row) => [row.id, row])) };
}

function pullRequestsIn(decision: Decision): string[] {
  switch (decision.kind) {
    case 'StartBatch':
      return [...decision.assumes, ...decision.members].map(({ pullRequest }) => pullRequest);
    case 'SupersedeBatch':
      return decision.causedBy === null ? [] : [decision.causedBy];
    case 'PendPullRequest':
      return [decision.pullRequest, decision.below];
    case 'BlockPullRequest':
    case 'RequeuePullRequest':
    case 'Reorder':
    case 'AnnounceTop':
    case 'AnnounceStuck':
      return [decision.pullRequest];
    case 'BisectBatch':
    case 'FailBatch':
    case 'ReturnBatch':
    case 'LandBatch':
    case 'RunGate':
    case 'ReadChecks':
    case 'PlanAgainAt':
      return [];
    default:
      return decision satisfies never;
  }
}
