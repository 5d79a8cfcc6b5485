// Writes the records of a landed batch, in one transaction under the queue's lock, after the host was read.
import { DomainError } from '../../../domain/errors.ts';
import { isLeftOut } from '../../../domain/queue/requests/stacks.ts';
import { onCommitsLeftOut } from '../admission/commit-added.ts';
import { announceBatch } from '../store/batch.events.ts';
import { readNewestProof, writeProof, type Grade, type GateApproval, type ProvenLanding } from './proof.ts';
import type { BatchMemberRow, BatchRow, IntentRow, PullRequestRow } from '../store/queue.entities.ts';
import { announce, writeStatus, type QueueWork } from '../store/status.writer.ts';

interface Landed {
  readonly batch: BatchRow;
  /** The members in queue order, and the rows of their pull requests. */
  readonly members: readonly BatchMemberRow[];
  readonly rows: readonly PullRequestRow[];
  readonly intent: IntentRow;
  readonly commit: string;
  readonly tree: string;
}

export async function recordLanding(work: QueueWork, landed: Landed): Promise<void> {
  const { tx, queue, now } = work;
  const { batch, members, rows, intent, commit, tree } = landed;
  const passed = intent.payload['passed'] as GateApproval;
  // If the host merged the pull request, the host's commit is the own commit, and not the tested one.
  const own = members.map((member) => (passed.byHost ? { ...member, ownCommit: commit } : member));
  const ids = own.map((member) => member.pullRequestId);
  const pullRequests = new Map(rows.map((row) => [row.id, row]));
  const isEmpty = queue.baseTip === batch.parentCommit && queue.baseTree === tree;
  const written = { batch, members: own, pullRequests, commit, tree, isEmpty, grade: gradeOf(passed, commit), passed };
  Object.assign(batch, { state: 'landed', endedAt: now });
  Object.assign(queue, { baseTip: commit, baseTree: tree });
  markMembers(work, written);
  await onCommitsLeftOut(
    work,
    own.flatMap(({ pullRequestId, pinnedHead, ownCommit }) => {
      const row = pullRequests.get(pullRequestId);
      const landedHead = { pinned: pinnedHead, own: ownCommit ?? commit };
      return row !== undefined && isLeftOut(row.headSha, landedHead) ? [row.id] : [];
    }),
  );
  await tx.em.flush();
  const extra = { commit, tree, grade: written.grade, ...(isEmpty && { isEmpty }) };
  const loaded = { members: new Map([[batch.id, members]]), pullRequests };
  const [landingId, previous] = await Promise.all([
    writeLanding(work, written),
    readNewestProof(work),
    announceBatch(work, loaded, { batch, action: 'batch_merged', extra }),
  ]);
  await writeProof(work, { ...written, landingId, batchCommit: batchCommitOf(written) }, previous);
  if (passed.byHost) await moveBuilds(work, { tested: batch.commit ?? '', landed: commit });
  await planConclusions(work, ids, commit);
}

/** A landing that is being recorded. */
type WrittenLanding = Omit<ProvenLanding, 'landingId' | 'batchCommit'>;

/** After a rebase by the host, the landing has several commits on the first-parent line. */
function batchCommitOf({ batch, members, passed }: WrittenLanding): BatchRow['batchCommit'] {
  const isSeries = passed.byHost && members.some((member) => (member.strategy ?? batch.strategy) === 'rebase');
  return isSeries ? 'linear' : batch.batchCommit;
}

/** Writes the landing and its members. Returns the id of the landing. */
async function writeLanding(
  { ctx, tx, queue, now }: QueueWork,
  { batch, members, commit, tree, grade, passed }: WrittenLanding,
): Promise<string> {
  const inserted = await tx.query<{ id: string }>(
    `insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [ctx.accountId, queue.id, batch.repositoryId, batch.id, commit, batch.parentCommit, tree, grade, now.toISOString()],
  );
  const landingId = inserted[0]?.id;
  if (landingId === undefined) throw new DomainError('INTERNAL', 'The landing was not written.');
  for (const member of members) {
    await tx.send(
      'insert into landed_member (account_id, repository_id, pull_request_id, landing_id, pinned_head, own_commit, targets) values ($1, $2, $3, $4, $5, $6, $7)',
      [
        ctx.accountId,
        batch.repositoryId,
        member.pullRequestId,
        landingId,
        member.pinnedHead,
        member.ownCommit ?? commit,
        passed.targets?.find(({ id }) => id === member.pullRequestId)?.targets ?? null,
      ],
    );
  }
  return landingId;
}

function markMembers(work: QueueWork, landed: WrittenLanding): void {
  const instantMerge = isInstant(landed);
  for (const { pullRequestId, ownCommit } of landed.members) {
    const row = landed.pullRequests.get(pullRequestId);
    if (row !== undefined) markMerged(work, row, { ...landed, ownCommit: ownCommit ?? landed.commit, instantMerge });
  }
}

interface MergedMember extends Pick<WrittenLanding, 'commit' | 'isEmpty'> {
  readonly ownCommit: string;
  readonly instantMerge: boolean;
}

function markMerged(work: QueueWork, row: PullRequestRow, landed: MergedMember): void {
  row.mergeCommitSha = landed.commit;
  row.ownCommitSha = landed.ownCommit;
  row.mergedByQueue = true;
  // The pull request may have been closed at the host at the same time. Its landing still counts, so it is reopened
  // first.
  if (row.status === 'merged') return;
  if (row.status === 'closed') writeStatus(work, row, 'reopen');
  writeStatus(work, row, 'merge');
  announce(work, row, 'merged', {
    mergeCommit: landed.commit,
    commit: landed.ownCommit,
    instantMerge: landed.instantMerge,
    ...(landed.isEmpty && { isEmpty: true }),
  });
}

function gradeOf({ evidence, parts, byHost }: GateApproval, commit: string): Grade {
  if (evidence === null && parts === undefined) return 'unvalidated';
  if (byHost) return 'host_merged';
  if (evidence === null) return 'composed';
  return evidence.commit === commit ? 'exact' : 'same_tree';
}

/**
 * Whether the pull request was merged at once: its head was up to date and green before a build was made for it
 * (interface 6.1). False if the queue updated the head in serial mode, because that head was made after the request.
 */
function isInstant({ batch, members, pullRequests, passed: { evidence } }: WrittenLanding): boolean {
  const [member, other] = members;
  if (evidence === null || member === undefined || other !== undefined || evidence.commit !== member.pinnedHead)
    return false;
  const queuedAt = pullRequests.get(member.pullRequestId)?.queuedAt?.getTime() ?? 0;
  const hadStarted = evidence.startedAt <= queuedAt;
  return hadStarted && evidence.finishedAt !== null && evidence.finishedAt <= batch.createdAt.getTime();
}

/**
 * Makes builds on the tested commit count as builds on the host's commit. Both commits have the same tree, and if the
 * host merges, only the tree of a build matters.
 */
async function moveBuilds({ ctx, tx, queue }: QueueWork, of: { tested: string; landed: string }): Promise<void> {
  await tx.send(
    `update batch set parent_commit = $4
     where account_id = $1 and queue_id = $2 and parent_commit = $3 and state in ('making', 'building')`,
    [ctx.accountId, queue.id, of.tested, of.landed],
  );
}

/**
 * Plans the intents after which the host shows the pull requests as merged, and their branches as deleted if the
 * configuration says so.
 */
export async function planConclusions(
  work: QueueWork,
  pullRequestIds: readonly string[],
  commit: string,
): Promise<void> {
  for (const id of pullRequestIds) {
    await work.tx.send(
      `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at) values ($1, $2, $3, 'conclude_pull_request', $4, $5, $6)
       on conflict do nothing`,
      [
        work.ctx.accountId,
        work.queue.id,
        id,
        id,
        JSON.stringify({ mergeCommit: commit, at: work.now.getTime() }),
        work.now.toISOString(),
      ],
    );
  }
}
