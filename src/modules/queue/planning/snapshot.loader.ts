// Reads everything `plan` decides on, in the transaction that will write what it decided, under the queue's lock.
import type { Context } from '../../../context.ts';
import { withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import { decideLandingsFrom } from '../../../domain/queue/landing/landing-time.ts';
import { buildsSpeculatively } from '../../../domain/queue/model/snapshot.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import { withStacks } from '../../../domain/queue/requests/stacks.ts';
import { resetCodeOfDeparture } from '../../../domain/queue/model/status.ts';
import type {
  BatchState,
  BlockCode,
  BuildState,
  PinnedHead,
  PullRequestState,
  QueueRules,
  Snapshot,
} from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { askedAt, branchFreezes, pauseInForce } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import {
  successProbabilityBy,
  loadSecondTries,
  loadTargets,
  loadTrackRecords,
  noRecords,
} from '../facts/outlook.loader.ts';
import { lineageOf, loadLandings, ownLineOf, readLandings } from '../facts/landings.loader.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { labelBatches, loadGates } from '../facts/final-gates.ts';
import { openBelow, readBelow } from '../facts/stacks.ts';
import { loadMembers, readAssumed } from '../store/batch.members.ts';
import { readLine, type LineRow } from '../store/line.rows.ts';
import { judgeOwn } from '../facts/own-checks.ts';
import { loadJudgedBuilds } from '../facts/retries.ts';
import {
  BatchEntity,
  PullRequestEntity,
  type BatchMemberRow,
  type BatchRow,
  type PullRequestRow,
  type QueueRow,
} from '../store/queue.entities.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';

export const liveStates = ['making', 'building', 'landing'] as const;

export interface LoadedQueue {
  readonly snapshot: Snapshot;
  /** In the unit of work, by id: see `loadNamed`. */
  readonly pullRequests: ReadonlyMap<string, PullRequestRow>;
  readonly batches: ReadonlyMap<string, BatchRow>;
  readonly members: ReadonlyMap<string, readonly BatchMemberRow[]>;
}

export async function loadSnapshot(
  ctx: Context,
  tx: Transaction,
  from: { queue: QueueRow; repository: RepositoryRow; rules: QueueRules; tip: string; tipTree: string },
): Promise<LoadedQueue> {
  const { queue, repository, rules, tip } = from;
  const batches = await tx.em.find(
    BatchEntity,
    { queueId: queue.id, state: { $in: [...liveStates] } },
    { orderBy: { position: 'asc' } },
  );
  const members = await loadMembers(
    tx,
    batches.map((batch) => batch.id),
  );
  const assumptions = await readAssumed(ctx, tx, idsOfBets(batches));
  const inLine = await readLine(ctx, tx, queue.id);
  const below = await readBelow(ctx, tx, inLine);
  const standing = new Set(inLine.map((row) => row.id));
  const pinned = [...[...members.values()].flat().map(toPinned), ...[...assumptions.values()].flat()];
  const departed = [...new Set(pinned.map(({ pullRequest }) => pullRequest))].filter((id) => !standing.has(id));
  const departures = await loadDepartures(ctx, tx, { departed, pinned });
  const judged = {
    repositoryId: repository.id,
    commits: [
      ...batches.flatMap((batch) => [...(batch.testedCommit ? [batch.testedCommit] : []), ...batch.restsOn]),
      ...inLine.map((row) => row.headSha),
    ],
    trees: batches.flatMap((batch) => batch.tree ?? []),
  };
  const builds = await loadJudgedBuilds(ctx, tx, judged, rules);
  const buildOf = new Map(builds.map((build) => [build.commit, build]));
  const landings = await openLandings(ctx, tx, queue.id);
  const landed = await readLandings(ctx, tx, queue.id);
  const lineage = lineageOf(landed, tip);
  const named = [...members].map(([id, of]) => [id, of.map((member) => member.pullRequestId)] as const);
  const gates = await loadGates(ctx, tx, { rules, batches: labelBatches(named, inLine) });
  const outlook = await loadOutlook(ctx, tx, { queue, rules });
  const snapshot: Snapshot = {
    queue: {
      id: queue.id,
      baseBranch: queue.baseBranch,
      tip,
      tipTree: from.tipTree,
      lineage,
      ownLine: ownLineOf(landed, tip),
      paused: !repository.active || (await pauseInForce(tx, repository, queue.baseBranch)) !== null,
      haltedReason: queue.haltedReason ?? null,
      landingsFrom: await loadLandingsFrom(ctx, tx, { repository, queue }),
      nextPosition: queue.nextPosition,
      buildsElsewhere: await countBuildsElsewhere(ctx, tx, queue),
    },
    rules,
    pullRequests: withStacks(
      inLine.map((row) => ({
        ...toPullRequestState(row, buildOf.get(row.headSha), rules),
        ...outlook(row),
        below: openBelow(below, row.belowId),
      })),
    ),
    departures,
    batches: batches.map((batch) => ({
      ...toBatchState(batch, members.get(batch.id) ?? [], landings.get(batch.id)),
      assumes: assumptions.get(batch.id) ?? [],
      gates: gates.get(batch.id) ?? [],
    })),
    builds: withoutHeads(builds, rules, [
      ...inLine.map((row) => row.headSha),
      ...[...members.values()].flat().map((member) => member.pinnedHead),
    ]),
    readings: await loadReadings(ctx, tx, queue.id),
    ...(buildsSpeculatively(rules) && { secondTries: await loadSecondTries(ctx, tx, { queue, rules }) }),
    landings: await loadLandings(ctx, tx, {
      landed,
      tip,
      since: batches.flatMap((batch) => (batch.sideBuild === 'speculative' ? [batch.baseCommit] : [])),
    }),
    mergeResults: await loadMergeResults(ctx, tx, repository.id, [
      ...lineage,
      ...batches.flatMap((batch) => [batch.parentCommit, batch.commit ?? batch.parentCommit]),
    ]),
  };
  return { snapshot, pullRequests: new Map(), batches: new Map(batches.map((batch) => [batch.id, batch])), members };
}

async function loadLandingsFrom(
  ctx: Context,
  tx: Transaction,
  { repository, queue: { baseBranch } }: { readonly repository: RepositoryRow; readonly queue: QueueRow },
): Promise<number | null> {
  const freezes = await branchFreezes(tx, repository, baseBranch);
  const configuration = configurationOf(repository);
  return decideLandingsFrom({ configuration, baseBranch, freezes }, askedAt(freezes, ctx.clock()));
}

function idsOfBets(batches: readonly BatchRow[]): string[] {
  return batches.filter((batch) => batch.sideBuild === 'speculative').map((batch) => batch.id);
}

/** What is known of those in line where builds are chosen by it: two statements, whatever the line is. */
async function loadOutlook(
  ctx: Context,
  tx: Transaction,
  { queue, rules }: { readonly queue: QueueRow; readonly rules: QueueRules },
): Promise<(row: LineRow) => Partial<Pick<PullRequestState, 'targets' | 'successProbability'>>> {
  if (!buildsSpeculatively(rules)) return () => ({});
  const targets = rules.useAffectedTargets ? await loadTargets(ctx, tx, queue.id) : new Map<string, Targets>();
  const records = await loadTrackRecords(ctx, tx, queue.repositoryId);
  return (row) => ({
    targets: targets.get(row.id) ?? null,
    successProbability: successProbabilityBy(records, row.author),
  });
}

/** Why those that live batches hold or assume are not in line. Flush before: it reads past the unit of work. */
async function loadDepartures(
  ctx: Context,
  tx: Transaction,
  { departed, pinned }: { readonly departed: readonly string[]; readonly pinned: readonly PinnedHead[] },
): Promise<Snapshot['departures']> {
  if (departed.length === 0) return [];
  const rows = await tx.query<Departed>(
    `select id, status, status_code as "statusCode", head_sha as "headSha" from pull_request where account_id = $1 and id = any($2::bigint[])`,
    [ctx.accountId, departed],
  );
  return rows.map((row) => ({
    pullRequest: row.id,
    code: leftByCommit(row, pinned)
      ? 310
      : resetCodeOfDeparture(
          row.status,
          row.status === 'blocked' ? ((row.statusCode ?? null) as BlockCode | null) : null,
        ),
  }));
}

type Departed = Pick<PullRequestRow, 'id' | 'status' | 'statusCode' | 'headSha'>;

/** A commit was added, and it lost a precondition by that: not dequeued, and nobody's failure. */
function leftByCommit(row: Departed, pinned: readonly PinnedHead[]): boolean {
  if (row.status !== 'pending' && row.status !== 'blocked') return false;
  return pinned.some(({ pullRequest, head }) => pullRequest === row.id && head !== row.headSha);
}

/** With the pull requests that the decisions are about: those they name, and all members of live batches. */
export async function loadNamed(
  tx: Transaction,
  loaded: LoadedQueue,
  decisions: readonly Decision[],
): Promise<LoadedQueue> {
  const named = decisions.flatMap(namedBy);
  if (decisions.every(({ kind }) => kind === 'LookAgainAt' || kind === 'ReadChecks')) return loaded;
  const ids = new Set([...named, ...[...loaded.members.values()].flat().map((member) => member.pullRequestId)]);
  const rows = await tx.em.find(PullRequestEntity, { id: { $in: [...ids] } });
  return { ...loaded, pullRequests: new Map(rows.map((row) => [row.id, row])) };
}

function namedBy(decision: Decision): string[] {
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
    case 'LookAgainAt':
      return [];
    default:
      return decision satisfies never;
  }
}

export function toPullRequestState(row: LineRow, build: BuildState | undefined, rules: QueueRules): PullRequestState {
  const own = judgeOwn(build, rules);
  const { conflictParent, bisectionGroup, bisectionMax, bisectionAttempts, bisectionPhase } = row;
  return {
    id: row.id,
    number: row.number,
    status: row.status === 'tagged' ? 'tagged' : 'queued',
    head: row.headSha,
    stack: null,
    below: null,
    isBarrier: rules.barrierLabel !== null && row.labels.includes(rules.barrierLabel),
    rank: row.rank,
    reorderedForFailure: row.reorderedForFailure,
    timesPassed: row.timesPassed,
    skipLine: row.skipLine,
    skipValidation: row.skipValidation,
    queuedAt: Math.round(row.queuedAt),
    requeueAttempts: row.requeueAttempts,
    ownVerdict: own.verdict,
    ownFailedChecks: own.failed,
    ownMissingChecks: own.missing,
    bisection:
      bisectionGroup && bisectionMax
        ? { group: bisectionGroup, max: bisectionMax, attempts: bisectionAttempts, phase: bisectionPhase }
        : null,
    topAnnounced: row.topAnnounced,
    stuckAnnounced: row.stuckAnnounced,
    targets: null,
    successProbability: successProbabilityBy(noRecords, row.author),
    conflict: conflictParent ? { parent: conflictParent, after: row.conflictAfter ?? [] } : null,
  };
}

function toBatchState(
  batch: BatchRow,
  members: readonly BatchMemberRow[],
  landing: 'planned' | 'begun' | undefined,
): BatchState {
  return {
    id: batch.id,
    position: batch.position,
    sideBuild: batch.sideBuild ?? null,
    state: batch.state === 'making' || batch.state === 'building' ? batch.state : 'landing',
    members: members.map(toPinned),
    assumes: [],
    restsOn: batch.restsOn,
    parentBatch: batch.parentBatchId ?? null,
    parentCommit: batch.parentCommit,
    base: batch.baseCommit,
    commit: batch.commit ?? null,
    tree: batch.tree ?? null,
    testedCommit: batch.testedCommit ?? null,
    buildKeysHash: batch.buildKeysHash,
    createdAt: batch.createdAt.getTime(),
    buildStartedAt: batch.buildStartedAt?.getTime() ?? null,
    landingBegun: landing === 'begun',
    landingPlanned: landing !== undefined,
    givenUp: batch.givenUp,
  };
}

function toPinned(row: BatchMemberRow): PinnedHead {
  return { pullRequest: row.pullRequestId, head: row.pinnedHead };
}

async function openLandings(ctx: Context, tx: Transaction, queueId: string): Promise<Map<string, 'planned' | 'begun'>> {
  const rows = await tx.query<{ batch_id: string; state: 'planned' | 'begun' }>(
    `select batch_id, state from intent where account_id = $1 and queue_id = $2 and kind = 'land' and state in ('planned', 'begun')`,
    [ctx.accountId, queueId],
  );
  return new Map(rows.map((row) => [row.batch_id, row.state]));
}

/** What the host was asked anew, and when it had answered. Those of builds long gone do no harm: nobody looks them up. */
async function loadReadings(ctx: Context, tx: Transaction, queueId: string): Promise<Snapshot['readings']> {
  const rows = await tx.query<{ commit: string; done_at: number | null }>(
    // One that the host refused to answer is no answer: it is asked again at the next turn.
    `select key as commit, case when state = 'done' then extract(epoch from concluded_at)::float8 * 1000 end as done_at
     from intent where account_id = $1 and queue_id = $2 and kind = 'read_checks' and state <> 'failed' and planned_at > $3`,
    [ctx.accountId, queueId, new Date(ctx.clock().getTime() - 24 * 3_600_000).toISOString()],
  );
  return rows.map((row) => ({ commit: row.commit, doneAt: row.done_at }));
}

async function countBuildsElsewhere(ctx: Context, tx: Transaction, queue: QueueRow): Promise<number> {
  const rows = await tx.query<{ n: number }>(
    `select count(*)::int as n from batch b
     where b.account_id = $1 and b.repository_id = $2 and b.queue_id <> $3 and b.state in ('making', 'building') and b.rests_on = '{}' and not b.given_up
       and not exists (select from build where account_id = $1 and repository_id = $2 and commit = b.tested_commit and finished_at is not null)`,
    [ctx.accountId, queue.repositoryId, queue.id],
  );
  return rows[0]?.n ?? 0;
}

async function loadMergeResults(
  ctx: Context,
  tx: Transaction,
  repositoryId: string,
  parents: readonly string[],
): Promise<Snapshot['mergeResults']> {
  const rows = await tx.query<{ parent: string; heads: string[]; tree: string | null; conflict_at: number }>(
    'select parent, heads, tree, conflict_at from merge_result where account_id = $1 and repository_id = $2 and parent = any($3) and conflict_at >= 0',
    [ctx.accountId, repositoryId, [...new Set(parents)]],
  );
  return rows.map((row) => ({ parent: row.parent, heads: row.heads, tree: row.tree, conflictAt: row.conflict_at }));
}
