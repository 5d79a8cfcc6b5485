// The facts for the texts about one pull request, read when they are written.
import type { Context } from '../../../context.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { holdSentence, openWays, type StatusFacts } from '../../../domain/queue/explain/status-comment.ts';
import type { BlockCode, ResetCode } from '../../../domain/queue/model/snapshot.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { frozenAt } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import { branchHolds, type BranchHolds } from '../../repositories/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { decideFor } from '../admission/admission.service.ts';
import { configurationOf, haltOf } from '../store/configuration.cache.ts';
import { readFailedChecks } from '../store/failed-checks.ts';
import { hosted, type HostedRepository } from '../store/hosted-repository.ts';
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
  /** It is open, and a request would queue it. */
  readonly isReady: boolean;
}

/**
 * The row is read first: its counter is never newer than the other facts, so that later facts belong to a later
 * notification.
 */
export async function readPublishedState(ctx: Context, pullRequestId: string): Promise<PublishedState> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.load(PullRequestEntity, pullRequestId);
    const repository = row && (await tx.load(RepositoryEntity, row.repositoryId));
    const queue = row?.queueId ? await tx.load(QueueEntity, row.queueId) : null;
    if (row === null || repository === null || queue === null)
      throw new Error(`There is no pull request ${pullRequestId} in a queue.`);
    const configuration = configurationOf(repository);
    const admission =
      row.status === 'open' ? await decideFor(ctx, tx, { repository, queue, pullRequest: row }) : undefined;
    const batch = await readNewestBatch(ctx, tx, row.id);
    const facts: StatusFacts = {
      status: row.status,
      code: (row.statusCode ?? null) as BlockCode | null,
      text: row.statusText ?? null,
      actor: row.statusActor ?? null,
      isDequeued: row.status === 'open' && (await wasDequeued(ctx, tx, row.id)),
      baseBranch: queue.baseBranch,
      trigger: configuration.merge_rules.labels.trigger,
      ways: openWays(configuration.merge_rules.blocked_queue_sources),
      failedChecks:
        row.status === 'blocked'
          ? await readFailedChecks(ctx, tx, { pullRequestId: row.id, names: row.failedChecks })
          : [],
      line: isQueued(row.status)
        ? lineFacts(row, batch, {
            hold: holdOf({
              queue,
              repository,
              holds: await branchHolds(tx, repository, queue.baseBranch),
              now: ctx.clock(),
            }),
            isHalted: haltOf(repository, queue) !== null,
          })
        : null,
      landed: row.status === 'merged' ? await readLanded(ctx, tx, row) : null,
    };
    return { row, repository: hosted(repository), configuration, facts, isReady: admission?.kind === 'queue' };
  });
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
  readonly botNumber: number | null;
  readonly botUrl: string | null;
  readonly otherMembers: number[];
}

async function readNewestBatch(ctx: Context, tx: Transaction, pullRequestId: string): Promise<NewestBatch | null> {
  const [row] = await tx.query<NewestBatch>(
    `select b.state, b.reset_code as "resetCode", cause.number as "causedBy", (extract(epoch from b.created_at) * 1000)::float8 as "createdAt",
       b.build_started_at is not null as "isBuilt",
       bot.number as "botNumber", bot.url as "botUrl",
       array(select o.number from batch_member c join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
             where c.account_id = $1 and c.batch_id = b.id and c.pull_request_id <> $2 order by c.ordinal) as "otherMembers"
     from batch_member m
     join batch b on b.account_id = m.account_id and b.id = m.batch_id and b.side_build is distinct from 'isolation'
     left join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id
     left join pull_request cause on cause.account_id = b.account_id and cause.id = b.caused_by
     where m.account_id = $1 and m.pull_request_id = $2
     order by b.state in ('making', 'building', 'landing') desc, b.id desc, bot.id desc limit 1`,
    [ctx.accountId, pullRequestId],
  );
  return row ?? null;
}

/** In the words of `explain`, for all pull requests of the queue. */
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
    frozen: frozenAt(holds.freezes, now.getTime()),
  });
}

interface Hold {
  readonly hold: string | null;
  readonly isHalted: boolean;
}

function lineFacts(row: PullRequestRow, batch: NewestBatch | null, { hold, isHalted }: Hold): StatusFacts['line'] {
  const since = row.queuedAt?.getTime() ?? 0;
  const isLive = batch !== null && ['making', 'building', 'landing'].includes(batch.state);
  const isBuilding = isLive && batch.isBuilt;
  const isOfThisStay = batch !== null && batch.createdAt >= since;
  return {
    since,
    skipsLine: row.skipLine,
    isTop: row.topAnnounced,
    isStuck: row.stuckAnnounced,
    // Nothing is planned in a halted queue, so that nobody in line becomes the first or is validated.
    hold: isHalted || row.topAnnounced || isBuilding ? hold : null,
    batch: isBuilding
      ? {
          otherMembers: batch.otherMembers,
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

async function readLanded(ctx: Context, tx: Transaction, row: PullRequestRow): Promise<StatusFacts['landed']> {
  const [landed] = await tx.query<{ commit: string; grade: string; isEmpty: boolean; otherMembers: number[] }>(
    `select l.commit, l.grade, coalesce(p.body->>'isEmpty' = 'true', false) as "isEmpty",
       array(select o.number from landed_member c join pull_request o on o.account_id = c.account_id and o.id = c.pull_request_id
             where c.account_id = $1 and c.landing_id = l.id and c.pull_request_id <> $2 order by o.number) as "otherMembers"
     from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
     left join proof p on p.account_id = l.account_id and p.landing_id = l.id
     where m.account_id = $1 and m.pull_request_id = $2`,
    [ctx.accountId, row.id],
  );
  if (landed !== undefined) return landed;
  return row.mergeCommitSha
    ? { commit: row.mergeCommitSha, grade: 'external', isEmpty: false, otherMembers: [] }
    : null;
}
