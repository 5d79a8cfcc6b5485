// Reads the facts for the texts about a pull request when the texts are written.
import type { Context } from '../../../context.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { holdSentence, openQueueMethods, type StatusFacts } from '../../../domain/queue/explain/status-comment.ts';
import type { BlockCode, ResetCode } from '../../../domain/queue/model/snapshot.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { findFreezeInForce } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readBranchHolds, type BranchHolds } from '../../repositories/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { loadAdmission } from '../admission/admission.service.ts';
import { configurationOf, haltOf } from '../store/rules-in-force.ts';
import { readFailedChecks } from '../store/failed-checks.ts';
import { toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import {
  PullRequestEntity,
  QueueEntity,
  type BatchRowState,
  type PullRequestRow,
  type QueueRow,
} from '../store/queue.entities.ts';

export interface PublishedState {
  readonly row: PullRequestRow;
  readonly repository: HostedRepository;
  readonly configuration: Configuration;
  readonly facts: StatusFacts;
  /** Whether the pull request is open and a request would put it in line at once. */
  readonly isReady: boolean;
}

/**
 * Returns what is published about each pull request, by id. A pull request without a queue is left out. The rows are
 * read first, so that `notificationVersion` is never newer than the other facts. A fact that changes later has a later
 * version.
 */
export async function readPublishedStates(
  ctx: Context,
  pullRequestIds: readonly string[],
): Promise<ReadonlyMap<string, PublishedState>> {
  const rows = await ctx.db.loadMany(ctx.accountId, PullRequestEntity, pullRequestIds);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const readQueue = createQueueReads(tx);
    const idsOf = (isIncluded: (row: PullRequestRow) => boolean): string[] =>
      rows.filter(isIncluded).map(({ id }) => id);
    const batches = await readNewestBatches(
      ctx,
      tx,
      idsOf(({ status }) => isQueued(status)),
    );
    const landings = await readLandings(
      ctx,
      tx,
      idsOf(({ status }) => status === 'merged'),
    );
    const states = new Map<string, PublishedState>();
    for (const row of rows) {
      const read = row.queueId ? await readQueue(row.repositoryId, row.queueId) : null;
      if (read === null) continue;
      const known = { batch: batches.get(row.id) ?? null, landed: landings.get(row.id) ?? null };
      states.set(row.id, await readState(ctx, tx, { row, ...read, ...known }));
    }
    return states;
  });
}

interface QueueRead {
  readonly repository: RepositoryRow;
  readonly queue: QueueRow;
  readonly holds: BranchHolds;
}

/**
 * Reads what all pull requests of a queue share, once for each queue. The function returns null if there is no such
 * queue.
 */
function createQueueReads(tx: Transaction): (repositoryId: string, queueId: string) => Promise<QueueRead | null> {
  const reads = new Map<string, QueueRead | null>();
  const readQueue = async (repositoryId: string, queueId: string): Promise<QueueRead | null> => {
    const repository = await tx.load(RepositoryEntity, repositoryId);
    const queue = await tx.load(QueueEntity, queueId);
    if (repository === null || queue === null) return null;
    return { repository, queue, holds: await readBranchHolds(tx, repository, queue.baseBranch) };
  };
  return async (repositoryId, queueId) => {
    const known = reads.get(queueId);
    if (known !== undefined) return known;
    const read = await readQueue(repositoryId, queueId);
    reads.set(queueId, read);
    return read;
  };
}

interface Read extends QueueRead {
  readonly row: PullRequestRow;
  readonly batch: NewestBatch | null;
  readonly landed: StatusFacts['landed'];
}

async function readState(
  ctx: Context,
  tx: Transaction,
  { row, repository, queue, holds, batch, landed }: Read,
): Promise<PublishedState> {
  const configuration = configurationOf(repository);
  const admission =
    row.status === 'open' ? await loadAdmission(ctx, tx, { repository, queue, pullRequest: row }) : undefined;
  const facts: StatusFacts = {
    status: row.status,
    code: (row.statusCode ?? null) as BlockCode | null,
    text: row.statusText ?? null,
    actor: row.statusActor ?? null,
    isDequeued: row.status === 'open' && (await wasDequeued(ctx, tx, row.id)),
    baseBranch: queue.baseBranch,
    trigger: configuration.merge_rules.labels.trigger,
    ways: openQueueMethods(configuration.merge_rules.blocked_queue_sources),
    failedChecks:
      row.status === 'blocked'
        ? await readFailedChecks(ctx, tx, { pullRequestId: row.id, names: row.failedChecks })
        : [],
    line: isQueued(row.status)
      ? lineFacts(row, batch, {
          hold: holdOf({ queue, repository, holds, now: ctx.clock() }),
          isHalted: haltOf(repository, queue) !== null,
          hasNoQueue: configuration.merge_rules.merge_mode.type === 'no-queue',
        })
      : null,
    landed: row.status === 'merged' ? (landed ?? landedElsewhere(row)) : null,
  };
  return {
    row,
    repository: toHostedRepository(repository),
    configuration,
    facts,
    isReady: admission?.kind === 'queue',
  };
}

async function wasDequeued(ctx: Context, tx: Transaction, pullRequestId: string): Promise<boolean> {
  const [left] = await tx.query<{ action: string }>(
    `select action from event where account_id = $1 and pull_request_id = $2 and action in ('dequeued', 'queued', 'opened')
     order by id desc limit 1`,
    [ctx.accountId, pullRequestId],
  );
  return left?.action === 'dequeued';
}

interface NewestBatch {
  readonly state: BatchRowState;
  readonly resetCode: number | null;
  readonly causedBy: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly isBuilt: boolean;
  /** Whether the validation of each member is skipped. */
  readonly areAllSkipped: boolean;
  readonly botNumber: number | null;
  readonly botUrl: string | null;
  readonly otherMembers: number[];
}

async function readNewestBatches(
  ctx: Context,
  tx: Transaction,
  pullRequestIds: readonly string[],
): Promise<ReadonlyMap<string, NewestBatch>> {
  if (pullRequestIds.length === 0) return new Map();
  const rows = await tx.query<NewestBatch & { readonly pullRequestId: string }>(
    `select distinct on (m.pull_request_id) m.pull_request_id as "pullRequestId", b.state, b.reset_code as "resetCode", cause.number as "causedBy",
       (extract(epoch from b.created_at) * 1000)::float8 as "createdAt", b.build_started_at is not null as "isBuilt",
       bot.number as "botNumber", bot.url as "botUrl",
       not exists (select from batch_member c join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
                   where c.account_id = $1 and c.batch_id = b.id and not o.skip_validation) as "areAllSkipped",
       array(select o.number from batch_member c join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
             where c.account_id = $1 and c.batch_id = b.id and c.pull_request_id <> m.pull_request_id order by c.ordinal) as "otherMembers"
     from batch_member m
     join batch b on b.account_id = m.account_id and b.id = m.batch_id and b.side_build is distinct from 'isolation'
     left join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id
     left join pull_request cause on cause.account_id = b.account_id and cause.id = b.caused_by
     where m.account_id = $1 and m.pull_request_id = any($2::bigint[])
     order by m.pull_request_id, b.state in ('making', 'building', 'landing') desc, b.id desc, bot.id desc`,
    [ctx.accountId, pullRequestIds],
  );
  return new Map(rows.map((row) => [row.pullRequestId, row]));
}

/** Why nothing in the queue lands, in a sentence of `explain`. Null: nothing stops it. */
export function holdOf({
  queue,
  repository,
  holds,
  now,
}: {
  readonly queue: QueueRow;
  readonly repository: RepositoryRow;
  readonly holds: BranchHolds;
  readonly now: Date;
}): string | null {
  return holdSentence({
    haltedReason: haltOf(repository, queue),
    paused: holds.pause,
    frozen: findFreezeInForce(holds.freezes, now.getTime()),
  });
}

interface Hold {
  readonly hold: string | null;
  readonly isHalted: boolean;
  /** Whether the repository lands without validation. */
  readonly hasNoQueue: boolean;
}

function lineFacts(
  row: PullRequestRow,
  batch: NewestBatch | null,
  { hold, isHalted, hasNoQueue }: Hold,
): StatusFacts['line'] {
  const since = row.queuedAt?.getTime() ?? 0;
  const isLive = batch !== null && ['making', 'building', 'landing'].includes(batch.state);
  const isBuilding = isLive && batch.isBuilt;
  const isOfThisStay = batch !== null && batch.createdAt >= since;
  return {
    since,
    skipsLine: row.skipLine,
    isTop: row.topAnnounced,
    isStuck: row.stuckAnnounced,
    // In a halted queue nothing is planned, so no pull request in line becomes the first or is built.
    hold: isHalted || row.topAnnounced || isBuilding ? hold : null,
    batch: isBuilding
      ? {
          otherMembers: batch.otherMembers,
          skipsValidation: hasNoQueue || batch.areAllSkipped,
          botPullRequest:
            batch.botNumber === null || batch.botUrl === null ? null : { number: batch.botNumber, url: batch.botUrl },
        }
      : null,
    reset:
      batch?.state === 'superseded' && isOfThisStay && batch.resetCode !== null
        ? { code: batch.resetCode as ResetCode, causedBy: batch.causedBy === row.number ? null : batch.causedBy }
        : null,
  };
}

async function readLandings(
  ctx: Context,
  tx: Transaction,
  pullRequestIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<StatusFacts['landed']>>> {
  if (pullRequestIds.length === 0) return new Map();
  const rows = await tx.query<NonNullable<StatusFacts['landed']> & { readonly pullRequestId: string }>(
    `select m.pull_request_id as "pullRequestId", l.commit, l.grade, coalesce(p.body->>'isEmpty' = 'true', false) as "isEmpty",
       array(select o.number from landed_member c join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
             where c.account_id = $1 and c.landing_id = l.id and c.pull_request_id <> m.pull_request_id order by o.number) as "otherMembers"
     from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
     left join proof p on p.account_id = l.account_id and p.landing_id = l.id
     where m.account_id = $1 and m.pull_request_id = any($2::bigint[])`,
    [ctx.accountId, pullRequestIds],
  );
  return new Map(rows.map((row) => [row.pullRequestId, row]));
}

/** The landing of a pull request that somebody merged outside the queue. Nothing was recorded about its tree. */
function landedElsewhere({ mergeCommitSha }: PullRequestRow): StatusFacts['landed'] {
  return mergeCommitSha ? { commit: mergeCommitSha, grade: 'external', isEmpty: false, otherMembers: [] } : null;
}
