// Writes a pull request that was read from its host to its row, and what follows from the change: a new commit, another
// base branch, a merge, or its end.
import type { Configuration } from '../../../domain/configuration/index.ts';
import { decideOtherBaseUntil } from '../../../domain/queue/evidence/other-base.ts';
import { keptQueueLabels } from '../../../domain/queue/requests/labels.ts';
import type { HostPullRequest, HostedRepository } from '../../../hosts/port.ts';
import { onBaseChanged, onCommitAdded } from '../admission/commit-added.ts';
import { validationFacts } from '../admission/validations.service.ts';
import { isLandingStarted, keepChangeAtHost, type ChangeAtHost } from '../store/intents.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { announce, noOptions, scheduleNotification, writeStatus, type QueueWork } from '../store/status.writer.ts';
import { signatureFacts, type HeadFacts } from './head.facts.ts';
import { factsOf, hasFacts, isReopened, shownFacts, type SeenPullRequest } from './pull-request.facts.ts';
import { belowAfterLanding, endRequestForOldBase, type LockedAssignment } from './queue-assignment.ts';

/** Writes what was read to the row of the pull request, which is made if there is none. */
export async function keepPullRequest(
  work: QueueWork,
  repository: HostedRepository,
  { storedRow: known, target, assignment, read }: LockedAssignment & { readonly read: SeenFacts },
): Promise<PullRequestRow> {
  const { seen, head } = read;
  if (known === null) return await insertPullRequest(work, { repository, belowId: assignment.belowId }, read);
  const derived = derivedFacts(read);
  const { baseBranch } = known;
  // The stored row is compared before it gets the new facts.
  const otherBaseUntil = findOtherBaseUntil(known, read);
  const shown = shownFacts(known);
  if (seen.state === 'open' && (!hasFacts(known, seen) || known.headSha !== seen.headSha))
    scheduleNotification(work, known);
  await dropQueueLabels(work, known, seen);
  // The base branch decides which commits belong to the pull request.
  if (baseBranch !== seen.baseBranch) known.verifiedHead = null;
  Object.assign(known, factsOf(seen), derived, { otherBaseUntil });
  // The pull request is still landing in its old queue, or the one below is landing. The row gets the new base branch,
  // and the signatures that were counted for it, after the landing.
  if (work.queue.id !== target.id || (baseBranch !== seen.baseBranch && (await isBelowLanding(work, known))))
    Object.assign(known, { baseBranch, verifiedHead: null });
  else {
    if (baseBranch !== seen.baseBranch) await onBaseChanged(work, known, baseBranch);
    known.belowId = await belowAfterLanding(work.tx, known, { assignment, containsBase: Boolean(head?.base) });
  }
  if (head !== null) Object.assign(known, { authorName: head.authorName, authorEmail: head.authorEmail });
  if (known.headSha !== seen.headSha)
    await onCommitAdded(work, known, {
      head: seen.headSha,
      updates: head?.updates ?? null,
      bringsOthersIn: head?.bringsOthersIn ?? false,
    });
  if (shown !== shownFacts(known)) work.changed.add(known);
  await followState(work, known, seen);
  return known;
}

/**
 * Decides `other_base_until`, which is always written together with `base_changed_at`. `known` is the stored row under
 * its lock, before it gets the new facts. Null: there is no row.
 */
function findOtherBaseUntil(known: PullRequestRow | null, { seen, head }: SeenFacts): Date | null {
  const until = decideOtherBaseUntil(
    seen.baseChangedAt,
    known === null
      ? null
      : {
          isSameHead: known.headSha === seen.headSha,
          baseChangedAt: known.baseChangedAt?.getTime() ?? null,
          otherBaseUntil: known.otherBaseUntil?.getTime() ?? null,
          baseFollowedSince: known.baseFollowedSince.getTime(),
          containsEarlierBase: head?.containedEarlierBase === known.baseBranch,
        },
  );
  return until === null ? null : new Date(until);
}

/** Whether the landing of the pull request below has started, so that it is not known whether its commits land. */
async function isBelowLanding({ ctx, tx, queue }: QueueWork, { belowId }: PullRequestRow): Promise<boolean> {
  if (!belowId || !(await isLandingStarted(ctx, tx, belowId))) return false;
  const below = await tx.em.findOneOrFail(PullRequestEntity, { id: belowId });
  return below.queueId === queue.id;
}

/** The facts about a pull request that were read before the locks were taken. */
interface SeenFacts {
  readonly seen: SeenPullRequest;
  /** When the read began. */
  readonly readAt: Date;
  readonly head: HeadFacts | null;
  readonly options: { readonly announceOpened: boolean };
  readonly configuration: Configuration;
}

async function insertPullRequest(
  work: QueueWork,
  { repository, belowId }: { readonly repository: HostedRepository; readonly belowId: string | null },
  read: SeenFacts,
): Promise<PullRequestRow> {
  const { ctx, tx, now } = work;
  const { seen, readAt, head, options } = read;
  const created = tx.em.create(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    queueId: work.queue.id,
    belowId,
    ...factsOf(seen),
    ...derivedFacts(read),
    headSha: seen.headSha,
    authorName: head?.authorName ?? seen.author,
    authorEmail: head?.authorEmail ?? `${seen.author}@users.noreply.interlock`,
    otherBaseUntil: findOtherBaseUntil(null, read),
    baseFollowedSince: now,
    readAt,
    createdAt: now,
    lastOpenedAt: new Date(seen.lastOpenedAt),
    updatedAt: now,
  });
  if (seen.state === 'closed') writeStatus(work, created, 'close');
  if (seen.state === 'merged') writeMergeOfHost(work, created, { commit: seen.mergeCommitSha, at: seen.mergedAt });
  await tx.em.flush();
  if (seen.state === 'open' && options.announceOpened) announce(work, created, 'opened');
  // A pull request that is older than the repository at Interlock gets no notification.
  else created.notifyAt = null;
  work.changed.delete(created);
  return created;
}

function derivedFacts({ seen, head, configuration }: SeenFacts) {
  return { ...validationFacts(configuration, seen), ...signatureFacts(seen, head) };
}

// This updates the row by SQL and not by the entity, because the queue may have added a label since the read. The
// entity would overwrite the record of that label.
async function dropQueueLabels({ ctx, tx }: QueueWork, known: PullRequestRow, seen: HostPullRequest): Promise<void> {
  const kept = keptQueueLabels(known, seen.labels);
  const dropped = known.queueLabels.filter((label) => !kept.includes(label));
  if (dropped.length === 0) return;
  await tx.send(
    `update pull_request set queue_labels = array(select label from unnest(queue_labels) label where label <> all ($3))
     where account_id = $1 and id = $2`,
    [ctx.accountId, known.id, dropped],
  );
}

/**
 * Writes that the pull request was closed, reopened or merged at the host. One that was closed and reopened since the
 * last read leaves the line as if both had been read. If its landing has started, the merge is recorded at the landing.
 */
async function followState(work: QueueWork, row: PullRequestRow, seen: HostPullRequest): Promise<void> {
  if (seen.state === 'closed' && row.status !== 'closed' && row.status !== 'merged') writeStatus(work, row, 'close');
  if (isReopened(row, seen)) {
    if (row.status !== 'closed') writeStatus(work, row, 'close');
    Object.assign(row, noOptions);
    writeStatus(work, row, 'reopen');
    announce(work, row, 'opened');
  }
  row.lastOpenedAt = new Date(Math.max(row.lastOpenedAt.getTime(), seen.lastOpenedAt));
  if (seen.state === 'merged' && row.status !== 'merged') {
    const merge = { commit: seen.mergeCommitSha, at: seen.mergedAt };
    if (!(await keepChangeAtHost(work, row.id, { kind: 'merged', ...merge }))) followMergeOfHost(work, row, merge);
  }
}

interface MergeOfHost {
  readonly commit: string | null;
  readonly at: number | null;
}

/** Writes and announces that the pull request was merged at the host. */
function followMergeOfHost(work: QueueWork, row: PullRequestRow, merge: MergeOfHost): void {
  writeMergeOfHost(work, row, merge);
  announce(work, row, 'merged', { instantMerge: false });
}

function writeMergeOfHost(work: QueueWork, row: PullRequestRow, { commit, at }: MergeOfHost): void {
  row.mergeCommitSha = commit;
  row.mergedByQueue = false;
  writeStatus(work, row, 'merge');
  if (at !== null) row.mergedAt = new Date(at);
}

/**
 * Applies a change at the host that was recorded while the pull request was landing, after the landing was given up. A
 * pull request with another base branch stays in its queue until its next read. Undefined: no change was recorded.
 */
export async function followChangeAtHost(
  work: QueueWork,
  row: PullRequestRow,
  change: ChangeAtHost | undefined,
): Promise<void> {
  switch (change?.kind) {
    case undefined:
      return;
    case 'merged':
      if (row.status !== 'merged') followMergeOfHost(work, row, change);
      return;
    case 'retargeted':
      return await endRequestForOldBase(work, row, change.to);
    default:
      change satisfies never;
  }
}
