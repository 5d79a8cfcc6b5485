// Ends a landing according to its outcome at the host: the landing is recorded, given up so that the queue plans again,
// or failed.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../context.ts';
import type { HostCommit } from '../../../hosts/port.ts';
import { isLandingHalt } from '../../../domain/queue/landing/host-retry.ts';
import { branchRefusalHaltText } from '../../../domain/queue/landing/host-rules.ts';
import { blockText, isQueued } from '../../../domain/queue/model/status.ts';
import { loadMembers } from '../store/batch.members.ts';
import { idsOfMembers, lockBatch, type LoadedBatch } from '../store/batch.rows.ts';
import { announceBatch } from '../store/batch.events.ts';
import { demandsOf } from '../facts/base-branches.ts';
import { landingRef } from '../facts/landing-refs.ts';
import type { Outcome } from './landing.move.ts';
import { recordLanding } from './landing.record.ts';
import type { GateApproval } from './proof.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { PullRequestEntity, type BatchRow, type IntentRow, type PullRequestRow } from '../store/queue.entities.ts';
import { countOwnPushes } from '../facts/own-pushes.ts';
import { changeAs } from '../admission/acting-person.ts';
import { answerCommitAdded, endSkippedValidation } from '../admission/commit-added.ts';
import { dequeue } from '../admission/enqueue.ts';
import { followChangeAtHost } from '../host-sync/pull-request.writer.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { changeQueue } from '../store/queue.locks.ts';
import {
  startWork,
  blockPullRequest,
  finishWork,
  haltWork,
  repositoryOf,
  resumeWork,
  type QueueWork,
} from '../store/status.writer.ts';
import { restoredHaltReason } from '../facts/unknown-landings.ts';
import { changesAtHostOf, lockIntent, withdrawalsOf } from '../store/intents.ts';
import { storeHints } from '../store/host-hints.ts';

interface Conclusion {
  readonly intentId: string;
  readonly attempt: number;
  readonly loaded: LoadedBatch;
  readonly outcome: Outcome;
}

export async function concludeLanding(ctx: Context, conclusion: Conclusion): Promise<void> {
  const { loaded, outcome } = conclusion;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These share a round trip. The locks are taken in this order, and the rows are read after them.
    const { id, queueId, repositoryId } = loaded.batch;
    const [queue, batch, intent, repository, memberRows, rows] = await Promise.all([
      changeQueue(ctx, tx, queueId),
      lockBatch(tx, id),
      lockIntent(tx, conclusion.intentId),
      tx.load(RepositoryEntity, repositoryId),
      loadMembers(tx, [id]),
      tx.find(PullRequestEntity, { column: 'id', ids: idsOfMembers(loaded), orderBy: 'id' }),
    ]);
    const members = memberRows.get(id) ?? [];
    const work = startWork(ctx, tx, queue, repository);
    if (intent.state !== 'started' || intent.attempt !== conclusion.attempt) {
      // Another worker has ended the landing in the meantime. A mismatch that this worker saw at the host is still
      // true.
      if (outcome.kind === 'mismatch' && !queue.haltedReason) haltWork(work, outcome.message);
      await finishWork(work);
      return;
    }
    if (isLandingHalt(queue.haltedReason, loaded.batch.id)) resumeWork(work);
    if (outcome.kind !== 'landed') {
      batch.givenUp = true;
      const isRefused = outcome.kind === 'refused' && !outcome.isForAll && !haveRulesChanged(work, intent);
      // The base branch has not moved, and the event about the reset does not say so.
      batch.commitMissing = outcome.kind === 'commit_missing' || (outcome.kind === 'refused' && !isRefused);
      if (isRefused) await failLanding(work, { batch, intent, message: outcome.message });
      else await giveUpLanding(work, { batch, intent, outcome });
      await planReads(work, rows);
      await finishWork(work);
      return;
    }
    const { commit } = outcome;
    const { byHost } = intent.payload['passed'] as GateApproval;
    if ((!byHost && commit.commit !== batch.commit) || commit.tree !== batch.tree)
      await haltForAnotherCommit(work, { batch, intent, commit });
    else {
      Object.assign(intent, { state: 'done', outcome: { commit: commit.commit }, concludedAt: work.now });
      await recordLanding(work, { batch, members, rows, intent, commit: commit.commit, tree: commit.tree });
    }
    await finishWork(work);
  });
}

/**
 * Halts the queue, because another batch had this id and has landed. Ids of batches come from a sequence, which a
 * restore of the database sets back. The members have not landed.
 */
async function haltForAnotherCommit(
  work: QueueWork,
  {
    batch,
    intent,
    commit,
  }: { readonly batch: BatchRow; readonly intent: IntentRow; readonly commit: Pick<HostCommit, 'commit' | 'tree'> },
): Promise<void> {
  Object.assign(intent, {
    state: 'failed',
    outcome: { reason: 'another commit landed', commit: commit.commit },
    concludedAt: work.now,
  });
  batch.state = 'building';
  haltWork(
    work,
    restoredHaltReason(
      `${landingRef(batch.id)} is ${commit.commit} with tree ${commit.tree}, and batch ${batch.id} was to land ${batch.commit} with tree ${batch.tree}`,
    ),
  );
  await followArrivals(work, { batch, intent });
}

/**
 * Whether the host's rules for the base branch have changed since the gate. The rules were read again after the refusal.
 * The queue then plans by the new rules: it waits for a check that the host requires now, or for the end of a rule that
 * refuses every landing. The pull requests have no fault, so they are not blocked.
 */
function haveRulesChanged({ queue }: QueueWork, { payload }: IntentRow): boolean {
  const { demands } = payload;
  // An earlier version started the landing without noting the rules.
  return demands !== undefined && !isDeepStrictEqual(demands, demandsOf(queue));
}

/**
 * Halts the queue if the rule that refuses every landing is not among the rules that the host shows. Otherwise the queue
 * would try one landing after the other. If the rules have changed, the queue plans by the new ones first. If the host
 * has reported a change of its rules since the start of the landing, the rule may be gone, so the queue tries once more.
 */
function haltIfHidden(
  work: QueueWork,
  { intent, message }: { readonly intent: IntentRow; readonly message: string },
): void {
  const { queue } = work;
  if (queue.haltedReason || haveRulesChanged(work, intent)) return;
  if (queue.rulesReportedAt && intent.startedAt && queue.rulesReportedAt > intent.startedAt) return;
  haltWork(work, branchRefusalHaltText(queue.baseBranch, { message, why: queue.hostRules?.why ?? null }));
}

/**
 * Gives a landing up: somebody moved the base branch, the commit of the batch does not exist, the host landed another
 * commit, or refused the landing by a new rule. The queue plans again on the present tip.
 */
async function giveUpLanding(
  work: QueueWork,
  {
    batch,
    intent,
    outcome,
  }: {
    readonly batch: BatchRow;
    readonly intent: IntentRow;
    readonly outcome: Exclude<Outcome, { kind: 'landed' }>;
  },
): Promise<void> {
  Object.assign(intent, { state: 'failed', outcome: reasonOf(outcome), concludedAt: work.now });
  batch.state = 'building';
  // The tip is unknown until the next read of the host, so that nothing is planned on an outdated tip.
  work.queue.baseTip = null;
  if (outcome.kind === 'mismatch' && !work.queue.haltedReason) haltWork(work, outcome.message);
  if (outcome.kind === 'refused' && outcome.isForAll) haltIfHidden(work, { intent, message: outcome.message });
  await followArrivals(work, { batch, intent });
}

/**
 * Applies what arrived while the landing was started. Requests to leave the line and pushes to the heads of members were
 * only recorded, as were merges and changes of the base branch at the host. Members that were withdrawn, merged or given
 * another base branch leave the line now, as do all members of an inactive repository, and `on_commit_added` is applied
 * to pushes.
 */
async function followArrivals(
  work: QueueWork,
  { batch, intent }: { readonly batch: BatchRow; readonly intent: IntentRow },
): Promise<void> {
  const { active } = await repositoryOf(work);
  const withdrawals = withdrawalsOf(intent);
  const changes = changesAtHostOf(intent);
  for (const member of (await loadMembers(work.tx, [batch.id])).get(batch.id) ?? []) {
    const row = await work.tx.em.findOneOrFail(PullRequestEntity, { id: member.pullRequestId });
    await followChangeAtHost(work, row, changes.get(row.id));
    if (!isQueued(row.status)) continue;
    if (!active || withdrawals.has(row.id)) {
      await changeAs(work, withdrawals.get(row.id) ?? null, async () => await dequeue(work, row));
      continue;
    }
    if (row.headSha === member.pinnedHead) continue;
    const pushed = { repositoryId: row.repositoryId, from: member.pinnedHead, to: row.headSha };
    if ((await countOwnPushes(work.ctx, work.tx, pushed)) === 0) await answerCommitAdded(work, row);
    // The service pushes to no branch during a landing, so it may have made this head for another pull request.
    else endSkippedValidation(row);
  }
}

/**
 * Plans to read the members, and the pull requests that are stacked on them, from the host again. While the landing was
 * started, a change of their base branch was not written to their rows. After a landing that succeeds, `retargetAbove`
 * reads the pull requests above.
 */
async function planReads({ ctx, tx, queue, now }: QueueWork, members: readonly PullRequestRow[]): Promise<void> {
  const found = await tx.query<{ number: number }>(
    `select number from pull_request where account_id = $1 and repository_id = $2
       and (id = any($3::bigint[]) or base_branch = any($4) and status not in ('merged', 'closed'))`,
    [
      ctx.accountId,
      queue.repositoryId,
      members.map(({ id }) => id),
      members.flatMap((member) => ownHeadBranch(member) ?? []),
    ],
  );
  const hint = {
    accountId: ctx.accountId,
    repositoryId: queue.repositoryId,
    kind: 'pull_request',
    dueAt: now,
  } as const;
  await storeHints(
    async (text, values) => await tx.query(text, values),
    found.map(({ number }) => ({ ...hint, subject: String(number) })),
    { now },
  );
}

function reasonOf(outcome: Exclude<Outcome, { kind: 'landed' }>): Record<string, string> {
  switch (outcome.kind) {
    case 'mismatch':
    case 'refused':
      return { reason: outcome.message };
    case 'commit_missing':
      return { reason: 'the commit does not exist', commit: outcome.commit };
    case 'base_moved':
      return { reason: 'base moved', moved: outcome.ref };
    default:
      return outcome satisfies never;
  }
}

/**
 * Fails a landing that the host permanently refuses: its members are blocked with the host's message, and the line
 * continues.
 */
async function failLanding(
  work: QueueWork,
  { batch, intent, message }: { readonly batch: BatchRow; readonly intent: IntentRow; readonly message: string },
): Promise<void> {
  Object.assign(intent, { state: 'failed', outcome: { reason: message }, concludedAt: work.now });
  Object.assign(batch, { state: 'failed', endedAt: work.now, endedReason: message });
  const members = await loadMembers(work.tx, [batch.id]);
  const rows = await work.tx.em.find(PullRequestEntity, {
    id: { $in: [...members.values()].flat().map((member) => member.pullRequestId) },
  });
  const pinned = new Set([...members.values()].flat().map((member) => member.pinnedHead));
  for (const row of rows) if (!pinned.has(row.headSha)) endSkippedValidation(row);
  const changes = changesAtHostOf(intent);
  for (const row of rows) await followChangeAtHost(work, row, changes.get(row.id));
  for (const row of rows.filter((member) => isQueued(member.status)))
    blockPullRequest(work, row, { code: 110, text: blockText(110, [message]), message });
  const pullRequests = new Map(rows.map((row) => [row.id, row]));
  await announceBatch(work, { members, pullRequests }, { batch, action: 'batch_failed', extra: { message } });
}
