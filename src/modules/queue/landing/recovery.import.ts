// Records landings that are in the repository and have no rows.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import type { OutOfBandMerge } from './out-of-band-merges.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { planConclusions } from './landing.record.ts';
import { BatchEntity, PullRequestEntity, IntentEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import type { FoundLanding, QueueSurvey } from './recovery.queue-survey.ts';
import { announce, startWork, finishWork, writeStatus, type QueueWork } from '../store/status.writer.ts';
import { landingRefs } from '../facts/landing-refs.ts';
import { statusText } from '../../../domain/queue/model/status.ts';
import { voidLandings } from '../store/intents.ts';
import { loadMembers } from '../store/batch.members.ts';
import { liveStates } from '../store/batch.rows.ts';

export async function importQueue(ctx: Context, survey: QueueSurvey): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, survey.queueId));
    for (const landing of survey.landings) await importLanding(work, landing);
    await markMerged(work, survey.pushed, { byQueue: false, at: work.now });
    await voidImpossibleLandings(work, survey.impossible);
    await supersedeLiveBatches(work);
    // The tip is unknown now, so that it is read again before anything is planned.
    work.queue.baseTip = null;
    await finishWork(work);
  });
}

/**
 * Records a landing for the batch of its landing ref. If the row of that batch is lost, a batch is made from the
 * commit, because every landing has a batch. There is no proof, because the results of the checks are lost, and
 * `verify` counts the landing as external.
 */
async function importLanding(work: QueueWork, landing: FoundLanding): Promise<void> {
  const { ctx, tx, queue } = work;
  const { commit, merges } = landing;
  const at = new Date(commit.authoredAt);
  const batchId = (await findBatch(work, landing)) ?? (await makeBatch(work, landing));
  await tx.em.flush();
  const [landed] = await tx.query<{ id: string }>(
    `insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'external', $8) on conflict do nothing returning id`,
    [
      ctx.accountId,
      queue.id,
      queue.repositoryId,
      batchId,
      commit.commit,
      commit.parents[0] ?? '',
      commit.tree,
      at.toISOString(),
    ],
  );
  if (landed === undefined) return;
  for (const { pullRequestId, head, own } of merges) {
    await tx.send(
      `insert into landed_member (account_id, repository_id, pull_request_id, landing_id, pinned_head, own_commit) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [ctx.accountId, queue.repositoryId, pullRequestId, landed.id, head, own],
    );
  }
  await markMerged(work, merges, { byQueue: true, at });
}

/** Finds the batch, if the backup has its row, and marks it as landed. Null: the backup does not have it. */
async function findBatch(work: QueueWork, { ref, commit }: FoundLanding): Promise<string | null> {
  const batch = await work.tx.em.findOne(BatchEntity, { queueId: work.queue.id, commit: commit.commit });
  if (batch === null || ref !== `${landingRefs}${batch.id}`) return null;
  Object.assign(batch, { state: 'landed', endedAt: work.now, resetCode: null, endedReason: null });
  return batch.id;
}

async function makeBatch(work: QueueWork, landing: FoundLanding): Promise<string> {
  const id = await insertBatch(work, landing);
  await insertMembers(work, id, landing);
  return id;
}

/** Inserts a batch and returns its id: the id in the landing ref if it is free, otherwise a new one. */
async function insertBatch(work: QueueWork, { ref, commit }: FoundLanding): Promise<string> {
  const { ctx, tx, queue, now } = work;
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
  const { rules } = rulesOf(repository, queue);
  const parent = commit.parents[0] ?? '';
  const values = [
    ctx.accountId,
    queue.id,
    queue.repositoryId,
    queue.nextPosition,
    parent,
    rules.strategy,
    rules.batchCommit,
    commit.message,
    commit.commit,
    commit.tree,
    new Date(commit.authoredAt).toISOString(),
    now.toISOString(),
  ];
  const columns =
    'account_id, queue_id, repository_id, position, parent_commit, base_commit, strategy, batch_commit, group_message, commit, tree, created_at, ended_at, cleaned_up_at, cause, mode, state, build_keys_hash';
  const row = `$1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $12, 'new', 'parallel', 'landed', ''`;
  queue.nextPosition += 1;
  const number = /^\d{1,18}$/.exec(ref.slice(landingRefs.length))?.[0];
  // If another batch has got this id since the restore, this batch gets the next id.
  const [kept] =
    number === undefined
      ? []
      : await tx.query<{ id: string }>(
          `insert into batch (id, ${columns}) overriding system value values ($13, ${row}) on conflict do nothing returning id`,
          [...values, number],
        );
  const [made] =
    kept === undefined
      ? await tx.query<{ id: string }>(`insert into batch (${columns}) values (${row}) returning id`, values)
      : [kept];
  if (made === undefined) throw new DomainError('INTERNAL', `No batch could be recorded for ${ref}.`);
  return made.id;
}

async function insertMembers({ ctx, tx }: QueueWork, batchId: string, { commit, merges }: FoundLanding): Promise<void> {
  for (const [ordinal, { pullRequestId, head, own }] of merges.entries()) {
    await tx.send(
      `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email, own_commit)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ctx.accountId,
        batchId,
        ordinal,
        pullRequestId,
        head,
        commit.message,
        commit.authorName,
        commit.authorEmail,
        own,
      ],
    );
  }
}

async function markMerged(
  work: QueueWork,
  merges: readonly OutOfBandMerge[],
  how: { readonly byQueue: boolean; readonly at: Date },
): Promise<void> {
  const { tx, queue } = work;
  const rows = new Map(
    (
      await tx.em.find(PullRequestEntity, {
        id: { $in: merges.map(({ pullRequestId }) => pullRequestId) },
        queueId: queue.id,
      })
    ).map((row) => [row.id, row]),
  );
  for (const { pullRequestId, commit, own } of merges) {
    const row = rows.get(pullRequestId);
    if (row === undefined || row.status === 'merged') continue;
    Object.assign(row, { mergeCommitSha: commit, ownCommitSha: own, mergedByQueue: how.byQueue });
    writeStatus(work, row, 'merge');
    row.mergedAt = how.at;
    announce(work, row, 'merged', { mergeCommit: commit, commit: own, recovered: true, instantMerge: false });
    await tx.em.flush();
    await planConclusions(work, [row.id], commit);
  }
}

export async function voidImpossibleLandings({ tx, now }: QueueWork, intentIds: readonly string[]): Promise<void> {
  for (const intent of await tx.em.find(IntentEntity, { id: { $in: [...intentIds] }, state: 'started' })) {
    Object.assign(intent, {
      state: 'void',
      outcome: { reason: 'its landing ref is taken: another batch landed under its number, or it was given up' },
      concludedAt: now,
    });
  }
  await tx.em.flush();
}

/**
 * Supersedes the batches that were live at the time of the backup, so that their pull requests are built again on the
 * present tip. A started landing is not changed. The queue ends it by reading the host, as after a crash.
 */
export async function supersedeLiveBatches(work: QueueWork): Promise<void> {
  const { tx, queue, now } = work;
  const started = await tx.em.find(IntentEntity, { queueId: queue.id, kind: 'land', state: 'started' });
  const kept = started.flatMap(({ batchId }) => batchId ?? []);
  const batches = await tx.em.find(
    BatchEntity,
    { queueId: queue.id, state: { $in: [...liveStates] }, id: { $nin: kept } },
    { orderBy: { position: 'asc' } },
  );
  const members = await loadMembers(
    tx,
    batches.map(({ id }) => id),
  );
  // A set, because a pull request may be in several speculative builds.
  const tagged = new Set<PullRequestRow>();
  for (const batch of batches) {
    Object.assign(batch, { state: 'superseded', resetCode: 309, endedAt: now, endedReason: statusText(309) });
    const ids = (members.get(batch.id) ?? []).map(({ pullRequestId }) => pullRequestId);
    for (const row of await tx.em.find(
      PullRequestEntity,
      { id: { $in: ids }, status: 'tagged' },
      { orderBy: { rank: 'asc' } },
    ))
      tagged.add(row);
  }
  const requeued = [...tagged];
  const [first] = requeued;
  for (const row of requeued) writeStatus(work, row, 'reset');
  if (first !== undefined)
    announce(work, first, 'reset', {
      resetCode: 309,
      resetText: statusText(309),
      pullRequestsReset: requeued.length,
      botPullRequestsClosed: batches.length,
    });
  await voidLandings(work);
}
