// A batch as the planner decided it, in rows: its members with how each becomes a commit, and what it assumes.
import type { Configuration } from '../../../domain/configuration/keys.ts';
import { DomainError } from '../../../domain/errors.ts';
import { groupMessage, type MessageSource } from '../../../domain/queue/message.ts';
import type { Decision, PinnedHead } from '../../../domain/queue/snapshot.ts';
import { BatchEntity, BatchMemberEntity, type PullRequestRow } from '../queue.entities.ts';
import type { QueueWork } from '../status.writer.ts';
import type { LoadedQueue } from './snapshot.loader.ts';
import { planCommits, type PlannedCommit } from './stacks.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** The entity among those that were loaded for the decisions. */
export function pullRequestOf(loaded: Pick<LoadedQueue, 'pullRequests'>, id: string): PullRequestRow {
  const row = loaded.pullRequests.get(id);
  if (row === undefined) throw new DomainError('INTERNAL', `The plan names pull request ${id}, which is not in line.`);
  return row;
}

export async function startBatch(
  work: QueueWork,
  loaded: LoadedQueue,
  decision: StartBatch,
  configuration: Configuration,
): Promise<void> {
  const { ctx, tx, queue, now } = work;
  const { rules } = loaded.snapshot;
  const { merge_commit } = configuration.merge_rules;
  const sourced = (pinned: PinnedHead) => {
    const row = pullRequestOf(loaded, pinned.pullRequest);
    return { ...pinned, row, source: messageSource(row) };
  };
  const members = decision.members.map(sourced);
  const batch = tx.em.create(BatchEntity, {
    accountId: ctx.accountId,
    queueId: queue.id,
    repositoryId: queue.repositoryId,
    position: decision.position,
    beside: decision.beside,
    cause: decision.cause,
    // Nothing is done to a head in no-queue mode: its commit is composed, as in parallel mode.
    mode: rules.mode === 'serial' ? 'serial' : 'parallel',
    parentBatchId: decision.parentBatch,
    parentCommit: decision.parentCommit,
    baseCommit: decision.base,
    restsOn: [...decision.restsOn],
    strategy: rules.strategy,
    batchCommit: rules.batchCommit,
    buildKeysHash: rules.buildKeysHash,
    groupMessage: groupMessage(
      members.map(({ source }) => source),
      merge_commit,
    ),
    createdAt: now,
  });
  queue.nextPosition = Math.max(queue.nextPosition, decision.position + 1);
  await tx.em.flush();
  const commits = await planCommits(work, members, configuration);
  commits.forEach(({ row, message, strategy, belowHead, joinsNext, ...member }, ordinal) => {
    tx.em.create(BatchMemberEntity, {
      accountId: ctx.accountId,
      batchId: batch.id,
      ordinal,
      pullRequestId: member.pullRequest,
      pinnedHead: member.head,
      message,
      authorName: row.authorName,
      authorEmail: row.authorEmail,
      strategy,
      belowHead,
      joinsNext,
      namesCoauthors: merge_commit.include_coauthors && !row.mergeBody && strategy !== 'rebase',
    });
  });
  const assumed = await planCommits(work, decision.assumes.map(sourced), configuration);
  if (assumed.length > 0) await keepAssumed(work, batch.id, assumed);
  work.events.push({
    repositoryId: queue.repositoryId,
    queueId: queue.id,
    batchId: batch.id,
    action: 'batch_started',
    payload: {
      cause: decision.cause,
      pullRequests: members.map(({ row }) => row.number),
      parentCommit: decision.parentCommit,
      ...(assumed.length > 0 && { assumes: assumed.map(({ row }) => row.number) }),
      ...(decision.restsOn.length > 0 && { restsOn: decision.restsOn }),
    },
  });
}

/** One statement, however deep the line is that it is built upon. */
async function keepAssumed(
  { ctx, tx }: QueueWork,
  batchId: string,
  assumed: readonly (PinnedHead & Omit<PlannedCommit, 'message'>)[],
): Promise<void> {
  const rows = assumed.map(({ pullRequest, head, strategy, belowHead, joinsNext }, ordinal) => ({
    ordinal,
    pullRequest,
    head,
    strategy,
    belowHead,
    joinsNext,
  }));
  await tx.query(
    `insert into batch_assumption (account_id, batch_id, ordinal, pull_request_id, pinned_head, strategy, below_head, joins_next)
     select $1, $2, a.ordinal, a."pullRequest", a.head, a.strategy, a."belowHead", a."joinsNext"
     from jsonb_to_recordset($3::jsonb) as a (ordinal int, "pullRequest" bigint, head text, strategy text, "belowHead" text, "joinsNext" boolean)`,
    [ctx.accountId, batchId, JSON.stringify(rows)],
  );
}

export function messageSource(row: PullRequestRow): MessageSource {
  return {
    number: row.number,
    title: row.title,
    body: row.body,
    mergeTitle: row.mergeTitle ?? null,
    mergeBody: row.mergeBody ?? null,
  };
}
