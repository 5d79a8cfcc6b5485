// Reads the rows of a snapshot and converts them to the pull requests and batches of the domain.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type {
  BatchState,
  BuildState,
  PinnedHead,
  PullRequestState,
  Snapshot,
  BlockCode,
  Verdict,
} from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { successProbabilityBy, noPastResults } from '../facts/past-results.ts';
import type { PlacedRow } from '../store/line.rows.ts';
import { judgeOwnChecks, type OwnChecks } from '../facts/judged-builds.ts';
import { resetCodeOfDeparture } from '../../../domain/queue/model/status.ts';
import type { PlannedMember } from '../store/batch.members.ts';
import { sqlNeedsNoBuild } from '../store/batch.rows.ts';
import type { BatchRow, QueueRow, PullRequestRow } from '../store/queue.entities.ts';

const probabilityWithoutRecords = successProbabilityBy(noPastResults, '');

export function toPullRequestState(row: PlacedRow, build: BuildState | undefined, rules: QueueRules): PullRequestState {
  const own = judgeOwnChecks(build, rules);
  const { conflictParent, bisectionGroup, bisectionMax, bisectionAttempts, bisectionPhase } = row;
  return {
    id: row.id,
    number: row.number,
    status: row.status === 'tagged' ? 'tagged' : 'queued',
    head: row.headSha,
    stack: null,
    isHeadUnseen: row.headUnseen,
    below: null,
    isBarrier: rules.barrierLabel !== null && hasLabel(row.labels, rules.barrierLabel),
    rank: row.rank,
    reorderedForFailure: row.reorderedForFailure,
    timesPassed: row.timesPassed,
    skipLine: row.skipLine,
    skipValidation: row.skipValidation,
    queuedAt: Math.round(row.queuedAt),
    requeueAttempts: row.requeueAttempts,
    ownVerdict: ownVerdictOf(row, own),
    ownFailedChecks: own.failed,
    ownMissingChecks: own.missing,
    bisection:
      bisectionGroup && bisectionMax
        ? { group: bisectionGroup, max: bisectionMax, attempts: bisectionAttempts, phase: bisectionPhase }
        : null,
    topAnnounced: row.topAnnounced,
    stuckAnnounced: row.stuckAnnounced,
    targets: null,
    successProbability: probabilityWithoutRecords,
    conflict: conflictParent ? { parent: conflictParent, after: row.conflictAfter ?? [] } : null,
  };
}

/**
 * While the host's record of the pull request still has an older head, its checks and reviews are those of the older
 * head. So the verdict is pending.
 */
export function ownVerdictOf({ headUnseen }: Pick<PlacedRow, 'headUnseen'>, { verdict }: OwnChecks): Verdict {
  return headUnseen && verdict !== 'red' ? 'pending' : verdict;
}

export function toBatchState(
  batch: BatchRow,
  members: readonly PlannedMember[],
  landing: 'planned' | 'started' | undefined,
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
    landingStarted: landing === 'started',
    landingPlanned: landing !== undefined,
    givenUp: batch.givenUp,
    commitMissing: batch.commitMissing,
  };
}

export function toPinned(row: PlannedMember): PinnedHead {
  return { pullRequest: row.pullRequestId, head: row.pinnedHead };
}

export interface IntentFacts {
  /** Open landing intents, by batch id. */
  readonly landings: ReadonlyMap<string, 'planned' | 'started'>;
  /** When the checks of commits were read again. Commits of ended builds are included, which is harmless. */
  readonly readings: Snapshot['readings'];
}

interface IntentFact {
  readonly kind: 'land' | 'read_checks';
  readonly subject: string;
  readonly state: 'planned' | 'started';
  readonly doneAt: number | null;
}

export async function loadIntents(ctx: Context, tx: Transaction, queueId: string): Promise<IntentFacts> {
  const rows = await tx.query<IntentFact>(
    // A read that failed is left out, so that the next turn plans it again.
    `select kind, batch_id::text as subject, state, null::float8 as "doneAt"
     from intent where account_id = $1 and queue_id = $2 and kind = 'land' and state in ('planned', 'started')
     union all
     select kind, key, state, case when state = 'done' then extract(epoch from concluded_at)::float8 * 1000 end
     from intent where account_id = $1 and queue_id = $2 and kind = 'read_checks' and state <> 'failed' and planned_at > $3`,
    [ctx.accountId, queueId, new Date(ctx.clock().getTime() - 24 * 3_600_000).toISOString()],
  );
  const { land = [], read_checks = [] } = Object.groupBy(rows, ({ kind }) => kind);
  return {
    landings: new Map(land.map(({ subject, state }) => [subject, state])),
    readings: read_checks.map(({ subject, doneAt }) => ({ commit: subject, doneAt })),
  };
}

/** How long builds of a halted queue count. Nobody ends them, and their checks may never start. */
const haltedBuildsCountMs = 60 * 60_000;

/** The running builds of the other queues of the repository, which count towards `max_parallel_builds` too. */
export async function countBuildsElsewhere(ctx: Context, tx: Transaction, queue: QueueRow): Promise<number> {
  const rows = await tx.query<{ n: number }>(
    `select count(*)::int as n from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
     where b.account_id = $1 and b.repository_id = $2 and b.queue_id <> $3 and b.state in ('making', 'building') and b.rests_on = '{}' and not b.given_up and not ${sqlNeedsNoBuild('b')}
       and (q.halted_reason is null or (b.commit is not null and q.halted_at > $4))
       and not exists (select from build where account_id = $1 and repository_id = $2 and commit = b.tested_commit and finished_at is not null)`,
    [ctx.accountId, queue.repositoryId, queue.id, new Date(ctx.clock().getTime() - haltedBuildsCountMs).toISOString()],
  );
  return rows[0]?.n ?? 0;
}

export async function loadMergeResults(
  ctx: Context,
  tx: Transaction,
  { repositoryId, parents }: { readonly repositoryId: string; readonly parents: readonly string[] },
): Promise<Snapshot['mergeResults']> {
  const rows = await tx.query<{ parent: string; heads: string[]; tree: string | null; conflict_at: number }>(
    'select parent, heads, tree, conflict_at from merge_result where account_id = $1 and repository_id = $2 and parent = any($3) and conflict_at >= 0',
    [ctx.accountId, repositoryId, [...new Set(parents)]],
  );
  return rows.map((row) => ({ parent: row.parent, heads: row.heads, tree: row.tree, conflictAt: row.conflict_at }));
}

/**
 * Why members and assumed pull requests of live batches are not in line. Flush the unit of work before the call,
 * because this reads the database.
 */
export async function loadDepartures(
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

/**
 * Whether the pull request left the line because a new commit broke a precondition, and not by a dequeue or a failure.
 */
function leftByCommit(row: Departed, pinned: readonly PinnedHead[]): boolean {
  if (row.status !== 'pending' && row.status !== 'blocked') return false;
  return pinned.some(({ pullRequest, head }) => pullRequest === row.id && head !== row.headSha);
}
