// Makes a build: composes the commit of a batch from its parent commit and its pinned heads.
import type { Context } from '../../../context.ts';
import { coauthorsOf, withCoauthors } from '../../../domain/queue/requests/message.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { hostClient, type CompositionResult, HostRefused, RefMoved } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { buildRef, composeAssumedCommit, digestContent, type AssumedCommit } from './assumptions.ts';
import { takeBaseOfQueue } from './base-of-queue.ts';
import { blockMembers, blockRefusedMembers } from './batch.refusals.ts';
import { idsOfMembers, type LoadedBatch } from '../store/batch.rows.ts';
import { updateBranch } from './branch-update.ts';
import { renewHeadBuild } from './head-build.ts';
import { isTombstone } from '../facts/landing-refs.ts';
import { movesHeads } from '../facts/own-pushes.ts';
import { recordBuild } from '../facts/build.records.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { forLanding, syncPullRequest } from '../host-sync/pull-requests.ts';
import { PullRequestEntity, QueueEntity, type BatchMemberRow, type PullRequestRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { announce, startWork, finishWork } from '../store/status.writer.ts';

/** Composes the commit that is tested and lands. In serial mode the head is brought up to date first, if necessary. */
export async function makeBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch } = loaded;
  if (!(await areMembersInLine(ctx, loaded))) return;
  const members = await nameCoauthors(ctx, loaded);
  if (members === null) return;
  const at = await commitTime(ctx, loaded);
  let below: AssumedCommit;
  let result: CompositionResult;
  try {
    below = await composeAssumedCommit(ctx, loaded, at);
    if (below.kind === 'conflict') return await keepConflictOfSpeculation(ctx, loaded, below.at);
    result = await compose(ctx, loaded, { parent: below.commit, members, at });
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    return await blockRefusedMembers(ctx, loaded, {
      refusal: error,
      composeAlone: async (member) => await compose(ctx, loaded, { parent: batch.parentCommit, members: [member], at }),
    });
  }
  await passFailpoint('build:after_compose');
  if (result.kind === 'conflict')
    return batch.sideBuild === 'speculative'
      ? await keepConflictOfSpeculation(ctx, loaded, loaded.assumed.length + result.at)
      : await keepConflict(ctx, loaded, { ...result, of: 'composition' });
  if (result.isEmpty && (await looksLikeTombstone(ctx, loaded, result.commit))) return;
  if (batch.mode === 'serial') {
    if (!(await isUpToDate(ctx, loaded, result.tree))) return await updateHead(ctx, loaded);
    if (!(await renewHeadBuild(ctx, loaded))) return;
  }
  await recordComposed(ctx, loaded, { composed: result, below: below.commit });
}

/**
 * How long after a move of the base branch a read of a pull request may still lack the merge that caused the move. A host
 * may take two minutes to show a pull request as merged.
 */
const showsMergeMs = 2 * 60_000;

/**
 * Whether all members are still in line. After a move of the base branch that may be no landing, also one that stopped a
 * landing, each member is first read from the host: the move may be a merge of the member, and the host may have reported
 * the push before the merge. A member whose last such read began long enough after the move is not read again. The batch
 * waits while the host is unavailable, however long that is. A member that the host refuses to show counts as it was last
 * read. The planner ends a batch whose member has left the line.
 */
async function areMembersInLine(ctx: Context, loaded: LoadedBatch): Promise<boolean> {
  const { batch, host } = loaded;
  const queue = await ctx.db.load(ctx.accountId, QueueEntity, batch.queueId);
  if (!queue?.baseMovedAt) return true;
  const shownFrom = queue.baseMovedAt.getTime() + showsMergeMs;
  for (const member of await ctx.db.loadMany(ctx.accountId, PullRequestEntity, idsOfMembers(loaded))) {
    if ((member.readAt?.getTime() ?? -Infinity) > shownFrom) continue;
    const readAt = ctx.clock();
    const row = await readMember(ctx, host, member.number);
    if (row !== null && (row.queueId !== batch.queueId || !isQueued(row.status))) return false;
    await keepReadAt(ctx, member.id, readAt);
  }
  return true;
}

/** The planner does not read this instant, so the queue's version stays the same. */
async function keepReadAt(ctx: Context, pullRequestId: string, readAt: Date): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send('update pull_request set read_at = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        pullRequestId,
        readAt.toISOString(),
      ]),
  );
}

/** Null: the host has no such pull request, or refuses to show it. */
async function readMember(ctx: Context, host: LoadedBatch['host'], number: number): Promise<PullRequestRow | null> {
  try {
    return await syncPullRequest(ctx, host, number, forLanding);
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    ctx.log.warn(
      { error: String(error), repository: `${host.owner}/${host.name}`, number },
      'The code host refuses to show a pull request of a batch. The pull request counts as it was last read.',
    );
    return null;
  }
}

/**
 * Whether the commit would look like the tombstone of a landing, so that nobody could tell that it has landed. The
 * member with its message is blocked then.
 */
async function looksLikeTombstone(ctx: Context, loaded: LoadedBatch, commit: string): Promise<boolean> {
  const made = await hostClient(ctx, loaded.host).readCommit(commit);
  if (made === null || !(await isTombstone(ctx, loaded.host, made))) return false;
  const message = 'it changes nothing, and its message is the one by which Interlock marks landings that were given up';
  await blockMembers(
    ctx,
    loaded,
    loaded.members.slice(-1).map((member) => ({ member, message })),
  );
  return true;
}

/**
 * Writes the commit of the batch, the merge result, the own commits of the members, and the build, in one transaction.
 */
async function recordComposed(
  ctx: Context,
  loaded: LoadedBatch,
  { composed, below }: { readonly composed: Extract<CompositionResult, { kind: 'composed' }>; readonly below: string },
): Promise<void> {
  const { batch } = loaded;
  const [first] = loaded.members;
  const testedCommit = batch.mode === 'serial' ? (first?.pinnedHead ?? composed.commit) : composed.commit;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // The two share a round trip. The queue is locked first.
    const [, made] = await Promise.all([
      changeQueue(ctx, tx, batch.queueId),
      tx.query(
        `update batch set commit = $3, tree = $4, tested_commit = $5, pre_batch_commit = $6, content = $7, state = 'building'
         where account_id = $1 and id = $2 and state = 'making' and commit is null returning 1`,
        [ctx.accountId, batch.id, composed.commit, composed.tree, testedCommit, below, digestContent(loaded)],
      ),
    ]);
    await keepMergeResult(ctx, tx, { loaded, result: { tree: composed.tree, conflictAt: -1 } });
    if (made.length === 0) return;
    for (const [ordinal, own] of composed.ownCommits.entries()) {
      await tx.send(
        'update batch_member set own_commit = $4 where account_id = $1 and batch_id = $2 and ordinal = $3',
        [ctx.accountId, batch.id, ordinal, own],
      );
    }
    // The build is recorded before CI can start, so that even an immediate result finds the row of its build.
    await recordBuild(ctx, tx, {
      repositoryId: batch.repositoryId,
      commit: testedCommit,
      tree: composed.tree,
      base: batch.baseCommit,
    });
  });
}

async function compose(
  ctx: Context,
  loaded: LoadedBatch,
  of: { readonly parent: string; readonly members: readonly BatchMemberRow[]; readonly at: number },
): Promise<CompositionResult> {
  const { batch, host } = loaded;
  return await hostClient(ctx, host).composeCommit({
    parent: of.parent,
    members: of.members.map((member) => ({
      head: member.pinnedHead,
      strategy: member.strategy ?? batch.strategy,
      message: member.message,
      authorName: member.authorName,
      authorEmail: member.authorEmail,
      belowHead: member.belowHead ?? null,
      joinsNext: member.joinsNext,
    })),
    batchCommit: batch.batchCommit,
    // With `show_as_merged`, a group commit is made even for a single pull request. Its own commit then differs from
    // the commit that lands, so that CI on the moved head adds no checks to the commit that lands.
    groupsOne: movesHeads(ctx, loaded),
    groupMessage: batch.groupMessage,
    at: of.at,
    keepRef: buildRef(batch),
  });
}

/** At most so many commits of a pull request are read to find its co-authors. */
const maxCommits = 500;

/**
 * Adds co-authors to the messages of members that list them. Commits never change, so a repetition gives the same
 * messages. Null: the host refuses to list the commits of a member, which is blocked.
 */
async function nameCoauthors(ctx: Context, loaded: LoadedBatch): Promise<readonly BatchMemberRow[] | null> {
  const { batch, members, host } = loaded;
  if (!members.some((member) => member.namesCoauthors)) return members;
  const client = hostClient(ctx, host);
  const withMessages: BatchMemberRow[] = [];
  for (const [place, member] of members.entries()) {
    if (!member.namesCoauthors) {
      withMessages.push(member);
      continue;
    }
    const from = [batch.parentCommit, ...headsBefore(members, place)];
    const commits = await client
      .listCommits({ from, to: member.pinnedHead, limit: maxCommits })
      .catch((error: unknown) => {
        if (error instanceof HostRefused) return error;
        throw error;
      });
    if (commits instanceof HostRefused) {
      await blockMembers(ctx, loaded, [{ member, message: commits.message }]);
      return null;
    }
    const main = { name: member.authorName, email: member.authorEmail };
    const message = withCoauthors(member.message, coauthorsOf(commits, main, [client.identity().email]));
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.send('update batch_member set message = $4 where account_id = $1 and batch_id = $2 and ordinal = $3', [
        ctx.accountId,
        batch.id,
        member.ordinal,
        message,
      ]);
    });
    withMessages.push({ ...member, message });
  }
  return withMessages;
}

/**
 * The heads whose commits are not the member's own: earlier members that do not share its commit, and the head of the
 * pull request below the member in its stack.
 */
function headsBefore(members: readonly BatchMemberRow[], place: number): string[] {
  let first = place;
  while (members[first - 1]?.joinsNext) first -= 1;
  const below = members[first]?.belowHead;
  return [...members.slice(0, first).map((earlier) => earlier.pinnedHead), ...(below ? [below] : [])];
}

/**
 * The time of the commit. Git's times have a resolution of one second. Two batches with the same content in the same
 * second would have the same commit, and the second batch would get the red or canceled build of the first. So each
 * further batch on the same parent commit has a time that is one second later.
 */
async function commitTime(ctx: Context, { batch, members }: LoadedBatch): Promise<number> {
  const [before] = await ctx.db.read<{ n: number }>(ctx.accountId, {
    name: 'batches_of_same_parent',
    text: `select count(*)::int as n from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
           where m.account_id = $1 and m.pull_request_id = $2 and m.batch_id < $3 and b.parent_commit = $4`,
    values: [ctx.accountId, members[0]?.pullRequestId ?? null, batch.id, batch.parentCommit],
  });
  return batch.createdAt.getTime() + (before?.n ?? 0) * 1_000;
}

type MemberConflict = Extract<CompositionResult, { kind: 'conflict' }> & {
  /** Whether composing the batch failed, or updating the branch of the pull request. */
  readonly of: 'composition' | 'branch';
};

/**
 * Records a conflict of a member. If composing failed, the conflict is a fact about commits, and is stored as a merge
 * result. If only the update of the branch failed, no merge result is stored, because the commit that lands may still
 * be composed where a rebase of the branch fails. The pull request has the conflict only as long as the same head is in
 * line.
 */
async function keepConflict(ctx: Context, loaded: LoadedBatch, conflict: MemberConflict): Promise<void> {
  const { batch, members } = loaded;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, batch.queueId));
    // A side build does not contain the pull requests before it, and may conflict for that reason. So the batch is
    // given up, and neither the pull request nor a merge result records the conflict.
    if (batch.sideBuild) return await giveUp(ctx, tx, batch.id);
    if (conflict.of === 'composition')
      await keepMergeResult(ctx, tx, { loaded, result: { tree: null, conflictAt: conflict.at } });
    const member = members[conflict.at];
    const row =
      member &&
      (await tx.em.findOne(PullRequestEntity, {
        id: member.pullRequestId,
        headSha: member.pinnedHead,
        status: { $in: ['queued', 'tagged'] },
      }));
    if (member === undefined || !row) return;
    const after = members.slice(0, conflict.at).map((earlier) => earlier.pinnedHead);
    // The conflict is already in the row, and the planner will end the batch.
    if (row.conflictParent === batch.parentCommit && row.conflictAfter?.join() === after.join()) return;
    row.conflictParent = batch.parentCommit;
    row.conflictAfter = after;
    announce(work, row, 'conflict_found', { parentCommit: batch.parentCommit, paths: conflict.paths.slice(0, 20) });
    await finishWork(work);
  });
}

/**
 * Records a conflict of a speculative build as a merge result of the base commit and all heads up to the conflicting
 * one, assumed heads included. The planner finds the merge result by these heads. The batch is given up, and the row of
 * the pull request does not record the conflict. `at` is the index in the list of the assumed pull requests followed by
 * the members.
 */
async function keepConflictOfSpeculation(ctx: Context, loaded: LoadedBatch, at: number): Promise<void> {
  const { batch } = loaded;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, batch.queueId);
    await keepMergeResult(ctx, tx, { loaded, result: { tree: null, conflictAt: at } });
    await giveUp(ctx, tx, batch.id);
  });
}

async function giveUp(ctx: Context, tx: Transaction, batchId: string): Promise<void> {
  await tx.send("update batch set given_up = true where account_id = $1 and id = $2 and state = 'making'", [
    ctx.accountId,
    batchId,
  ]);
}

async function keepMergeResult(
  ctx: Context,
  tx: Transaction,
  {
    loaded: { batch, assumed, members },
    result,
  }: { readonly loaded: LoadedBatch; readonly result: { tree: string | null; conflictAt: number } },
): Promise<void> {
  const layers = [...assumed, ...members];
  const heads = layers
    .slice(0, result.conflictAt < 0 ? layers.length : result.conflictAt + 1)
    .map((layer) => layer.pinnedHead);
  await tx.send(
    `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [ctx.accountId, batch.repositoryId, batch.parentCommit, heads, result.tree, result.conflictAt],
  );
}

/**
 * Whether the head contains the base commit and has the tree that would land. The checks of the head itself are then
 * evidence.
 */
async function isUpToDate(ctx: Context, { batch, host, members }: LoadedBatch, tree: string): Promise<boolean> {
  const [member] = members;
  if (member === undefined) return false;
  const client = hostClient(ctx, host);
  const head = await client.readCommit(member.pinnedHead);
  return head?.tree === tree && (await client.isAncestor(batch.parentCommit, member.pinnedHead));
}

/**
 * Brings the head of the pull request up to date, because serial mode tests the head itself. The new head makes this
 * batch outdated: the planner supersedes it and starts a batch on the new head.
 */
async function updateHead(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members, host, baseBranch, repository } = loaded;
  const [member] = members;
  if (member === undefined) return;
  const row = await takeBaseOfQueue(ctx, loaded, member);
  if (row === null || row.headSha !== member.pinnedHead) return;
  try {
    const updated = await updateBranch(ctx, {
      host,
      headBranch: row.headBranch,
      headFork: row.headFork,
      baseBranch,
      head: member.pinnedHead,
      onto: batch.parentCommit,
      method: configurationOf(repository).merge_rules.use_rebase ? 'rebase' : 'merge',
      at: batch.createdAt,
      belowHead: member.belowHead ?? null,
    });
    if (updated.kind === 'conflict') return await keepConflict(ctx, loaded, { ...updated, at: 0, of: 'branch' });
    if (updated.kind === 'empty')
      return await blockMembers(ctx, loaded, [
        { member, message: `${baseBranch} already has all changes of the pull request` },
      ]);
    if (!updated.moved) {
      return await blockMembers(ctx, loaded, [
        {
          member,
          message: `a ${member.strategy ?? batch.strategy} onto ${baseBranch} gives another tree than the head of the pull request, and CI tested the head`,
        },
      ]);
    }
  } catch (error) {
    if (error instanceof HostRefused) return await blockMembers(ctx, loaded, [{ member, message: error.message }]);
    if (!(error instanceof RefMoved)) throw error;
  }
  await passFailpoint('build:after_update');
  await syncPullRequest(ctx, host, row.number, forLanding);
}
