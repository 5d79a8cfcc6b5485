// Handles the case that a host permanently refuses something that a batch needs. A pull request that the host refuses
// must not stop the pull requests behind it. It is blocked with the message of the host, and the others are built
// without it.
import type { Context } from '../../../context.ts';
import { blockText } from '../../../domain/queue/model/status.ts';
import { hostClient, CallGivenBack, CommitMissing, HostRefused, retryAtOf } from '../../../hosts/port.ts';
import type { Database } from '../../../platform/database.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { BatchEntity, PullRequestEntity, type BatchMemberRow } from '../store/queue.entities.ts';
import { changeQueue, noteHostWait } from '../store/queue.locks.ts';
import { startWork, blockPullRequest, finishWork, haltWork } from '../store/status.writer.ts';

interface Refused {
  readonly member: BatchMemberRow;
  /** The host's message. */
  readonly message: string;
}

/**
 * Blocks the pull requests that the host refuses to build (110). If the batch has several members, each is composed
 * alone, and the refused ones are blocked. If none is refused alone, or if the parent commit cannot be read, no pull
 * request is at fault, and the refusal is thrown again.
 */
export async function blockRefusedMembers(
  ctx: Context,
  loaded: LoadedBatch,
  {
    refusal,
    composeAlone,
  }: { readonly refusal: HostRefused; readonly composeAlone: (member: BatchMemberRow) => Promise<unknown> },
): Promise<void> {
  const { batch, assumed, members, host } = loaded;
  if ((await hostClient(ctx, host).readCommit(batch.parentCommit)) === null) throw refusal;
  const refused =
    members.length === 1 && assumed.length === 0
      ? members.map((member) => ({ member, message: refusal.message }))
      : await findRefused(members, composeAlone);
  if (refused.length === 0) throw refusal;
  await blockMembers(ctx, loaded, refused);
}

async function findRefused(
  members: readonly BatchMemberRow[],
  composeAlone: (member: BatchMemberRow) => Promise<unknown>,
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const member of members) {
    try {
      await composeAlone(member);
    } catch (error) {
      if (!(error instanceof HostRefused)) throw error;
      refused.push({ member, message: error.message });
    }
  }
  return refused;
}

/**
 * Blocks the members, if the batch is still being made and their heads have not changed. The refusal says nothing about
 * other batches or heads.
 */
export async function blockMembers(ctx: Context, { batch }: LoadedBatch, refused: readonly Refused[]): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, batch.queueId));
    if ((await tx.em.count(BatchEntity, { id: batch.id, state: 'making' })) === 0) return;
    for (const { member, message } of refused) {
      const row = await tx.em.findOne(PullRequestEntity, {
        id: member.pullRequestId,
        headSha: member.pinnedHead,
        status: { $in: ['queued', 'tagged'] },
      });
      if (row !== null) blockPullRequest(work, row, { code: 110, text: blockText(110, [message]), message });
    }
    await finishWork(work);
  });
}

const haltAfterMs = 10 * 60_000;
/**
 * A step that fails is tried again within seconds. If two failures in this process are further apart than this, the
 * steps between them succeeded in other processes, or no step was due.
 */
const longestGapMs = 5 * 60_000;

interface Failing {
  readonly since: number;
  readonly lastAt: number;
}

// When the steps of each batch began to fail in this process. If the process is restarted, the time starts again.
const failing = new WeakMap<Database, Map<string, Failing>>();

/**
 * Takes a step of a batch. If the step fails for ten minutes, the queue is halted with the error as reason, because no
 * pull request behind the batch can land. `counts`: which errors count. Default: every error.
 */
export async function takeStep(
  ctx: Context,
  { batch }: LoadedBatch,
  step: { readonly take: () => Promise<void>; readonly counts?: (error: unknown) => boolean },
): Promise<void> {
  const ofBatches = failing.get(ctx.db) ?? new Map<string, Failing>();
  failing.set(ctx.db, ofBatches);
  const key = `${ctx.accountId}/${batch.id}`;
  try {
    await step.take();
    ofBatches.delete(key);
  } catch (error) {
    if (error instanceof CommitMissing) return await giveUpMissing(ctx, batch.id);
    // The call was not made, so it is no failure of the step.
    if (error instanceof CallGivenBack) throw error;
    const now = ctx.clock().getTime();
    const retryAt = retryAtOf(error);
    if (retryAt !== null && retryAt > now) {
      await ctx.db.transaction(
        ctx.accountId,
        async (tx) => await noteHostWait(ctx, tx, { queueId: batch.queueId, retryAt }),
      );
      throw error;
    }
    if (step.counts?.(error) === false) throw error;
    const before = ofBatches.get(key);
    const since = before === undefined || now - before.lastAt > longestGapMs ? now : before.since;
    ofBatches.set(key, { since, lastAt: now });
    if (now - since >= haltAfterMs) await haltFor(ctx, batch.id, error);
    throw error;
  }
}

/** Gives the batch up. The planner supersedes it (309), and its pull requests are built again. */
async function giveUpMissing(ctx: Context, batchId: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { queueId } = await tx.em.findOneOrFail(BatchEntity, { id: batchId });
    await changeQueue(ctx, tx, queueId);
    await tx.send(
      `update batch set given_up = true, commit_missing = true
       where account_id = $1 and id = $2 and state in ('making', 'building')`,
      [ctx.accountId, batchId],
    );
  });
}

async function haltFor(ctx: Context, batchId: string, error: unknown): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { queueId } = await tx.em.findOneOrFail(BatchEntity, { id: batchId });
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queueId));
    const live = await tx.em.count(BatchEntity, { id: batchId, state: { $in: ['making', 'building'] } });
    if (live === 0 || work.queue.haltedReason) return;
    haltWork(
      work,
      `Batch ${batchId} could not be built for ten minutes: ${error instanceof Error ? error.message : String(error)}`,
    );
    await finishWork(work);
  });
}
