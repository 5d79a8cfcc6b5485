// The life of a batch between its plan and its verdict. The batch row is its own intent: while it is `making` its
// commit is still to be composed, while it is `building` without a start its checks are still to be asked for. Every
// step may run twice and writes facts only where the batch still lives; zero rows mean it was superseded.
import type { Context } from '../../context.ts';
import { HostRefused, RefMoved, type CompositionResult } from '../../hosts/port.ts';
import type { Transaction } from '../../platform/database.ts';
import { causes } from './advance.words.ts';
import { evidenceFor } from '../../domain/queue/evidence.ts';
import { RepositoryEntity, type RepositoryRow } from '../repositories/repositories.entities.ts';
import { blockMembers, blockRefused, takeStep } from './batch.refusals.ts';
import { isFresh, loadBuilds, recordBuild, recordChecks } from './build.records.ts';
import { rulesOf } from './configuration.cache.ts';
import { passFailpoint } from './failpoints.ts';
import { hosted, syncPullRequest, type HostedRepository } from './host.sync.ts';
import {
  BatchEntity,
  BotPullRequestEntity,
  PullRequestEntity,
  QueueEntity,
  type BatchMemberRow,
  type BatchRow,
  type BatchRowState,
  type PullRequestRow,
} from './queue.entities.ts';
import { changeQueue } from './queue.locks.ts';
import { loadLineage, loadMembers } from './snapshot.loader.ts';
import { announce, beginWork, finishWork, writeStatus } from './status.writer.ts';

export interface LoadedBatch {
  readonly batch: BatchRow;
  readonly members: readonly BatchMemberRow[];
  readonly repository: RepositoryRow;
  readonly host: HostedRepository;
  readonly baseBranch: string;
}

export async function loadBatch(ctx: Context, batchId: string): Promise<LoadedBatch> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const batch = await tx.em.findOneOrFail(BatchEntity, { id: batchId });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: batch.repositoryId });
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: batch.queueId });
    const members = (await loadMembers(tx, [batchId])).get(batchId) ?? [];
    return { batch, members, repository, host: hosted(repository), baseBranch: queue.baseBranch };
  });
}

/** What a batch needs next. `wait`: its checks run, or its landing does. `done`: nothing any more. */
export type BatchNeed = 'make' | 'open' | 'wait' | 'clean_up' | 'done';

export function needOf(batch: {
  readonly state: BatchRowState;
  readonly hasStarted: boolean;
  readonly isCleanedUp: boolean;
}): BatchNeed {
  switch (batch.state) {
    case 'making':
      return 'make';
    case 'building':
      return batch.hasStarted ? 'wait' : 'open';
    case 'landing':
      return 'wait';
    case 'landed':
    case 'failed':
    case 'bisected':
    case 'superseded':
      return batch.isCleanedUp ? 'done' : 'clean_up';
    default:
      return batch.state satisfies never;
  }
}

function needOfRow(batch: BatchRow): BatchNeed {
  return needOf({
    state: batch.state,
    hasStarted: Boolean(batch.buildStartedAt),
    isCleanedUp: Boolean(batch.cleanedUpAt),
  });
}

/** Where a batch stands, for its workflow and for people who read it there. */
export interface BatchProgress {
  readonly need: BatchNeed;
  readonly state: BatchRowState;
  readonly repository: string;
  readonly baseBranch: string;
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
}

/** Takes the one step the batch needs and answers what it needs then. */
export async function driveBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const loaded = await loadBatch(ctx, batchId);
  const need = needOfRow(loaded.batch);
  if (need === 'make') await takeStep(ctx, loaded, async () => await makeBuild(ctx, loaded));
  if (need === 'open') await takeStep(ctx, loaded, async () => await openBuild(ctx, loaded));
  if (need === 'wait') await watchBuild(ctx, loaded);
  if (need === 'clean_up') await cleanUp(ctx, loaded);
  return await describeBatch(ctx, batchId);
}

async function describeBatch(ctx: Context, batchId: string): Promise<BatchProgress> {
  const { batch, members, repository, baseBranch } = await loadBatch(ctx, batchId);
  const facts = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await tx.em.find(PullRequestEntity, { id: { $in: members.map((member) => member.pullRequestId) } });
    const numbers = new Map(rows.map((row) => [row.id, row.number]));
    const checks = await tx.query<{ name: string; attempt: number; conclusion: string }>(
      'select name, attempt, conclusion from check_result where account_id = $1 and repository_id = $2 and commit = $3 order by name, attempt',
      [ctx.accountId, batch.repositoryId, batch.testedCommit ?? ''],
    );
    const [landing] = await tx.query<{ grade: string }>(
      'select grade from landing where account_id = $1 and batch_id = $2',
      [ctx.accountId, batch.id],
    );
    return {
      named: members.map((member) => `#${numbers.get(member.pullRequestId) ?? '?'}`).join(', '),
      checks,
      grade: landing?.grade ?? null,
    };
  });
  const failed = facts.checks.filter(
    ({ conclusion }) => !['success', 'skipped', 'neutral', 'pending'].includes(conclusion),
  );
  const failure = failed.length === 0 ? '' : `failed: ${failed.map((check) => check.name).join(', ')}`;
  const outcome = facts.grade === null ? (batch.endedReason ?? failure) : `tree verified: ${facts.grade}`;
  const lines = [
    `**${facts.named}** → \`${baseBranch}\` of ${repository.owner}/${repository.name}: **${batch.state}** ${outcome}`,
    `- why it exists: ${causes[batch.cause] ?? batch.cause}`,
    `- parent \`${batch.parentCommit}\``,
    `- commit \`${batch.commit ?? 'not made yet'}\`, tree \`${batch.tree ?? '-'}\``,
    ...facts.checks.map((check) => `- check ${check.name} (attempt ${check.attempt}): ${check.conclusion}`),
  ];
  return {
    need: needOfRow(batch),
    state: batch.state,
    repository: `${repository.owner}/${repository.name}`,
    baseBranch,
    summary: `${facts.named}: ${batch.state}${outcome === '' ? '' : `, ${outcome}`}`,
    details: lines.join('\n'),
  };
}

export function botBranch(batchId: string): string {
  return `mq-bot-${batchId}`;
}

async function makeBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members } = loaded;
  const at = await commitTime(ctx, loaded);
  let result: CompositionResult;
  try {
    result = await compose(ctx, loaded, { members, at });
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    return await blockRefused(
      ctx,
      loaded,
      error,
      async (member) => await compose(ctx, loaded, { members: [member], at }),
    );
  }
  await passFailpoint('build:after_compose');
  if (result.kind === 'conflict') return await keepConflict(ctx, loaded, result);
  if (batch.mode === 'serial') {
    if (!(await isUpToDate(ctx, loaded, result.tree))) return await updateHead(ctx, loaded);
    await renewHeadBuild(ctx, loaded);
  }
  const [first] = members;
  const testedCommit = batch.mode === 'serial' ? (first?.pinnedHead ?? result.commit) : result.commit;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, batch.queueId);
    const made = await tx.query(
      `update batch set commit = $3, tree = $4, tested_commit = $5, state = 'building'
       where account_id = $1 and id = $2 and state = 'making' and commit is null returning 1`,
      [ctx.accountId, batch.id, result.commit, result.tree, testedCommit],
    );
    await keepMergeResult(ctx, tx, loaded, { tree: result.tree, conflictAt: -1 });
    if (made.length === 0) return;
    for (const [ordinal, own] of result.ownCommits.entries()) {
      await tx.query(
        'update batch_member set own_commit = $4 where account_id = $1 and batch_id = $2 and ordinal = $3',
        [ctx.accountId, batch.id, ordinal, own],
      );
    }
    // Known to the records before CI can start: a result that comes at once finds its build.
    await recordBuild(ctx, tx, {
      repositoryId: batch.repositoryId,
      commit: testedCommit,
      tree: result.tree,
      base: batch.baseCommit,
    });
  });
}

async function compose(
  ctx: Context,
  { batch, host }: LoadedBatch,
  of: { readonly members: readonly BatchMemberRow[]; readonly at: number },
): Promise<CompositionResult> {
  return await ctx.hosts(host.host).composeCommit(host, {
    parent: batch.parentCommit,
    members: of.members.map((member) => ({
      head: member.pinnedHead,
      strategy: batch.strategy,
      message: member.message,
      authorName: member.authorName,
      authorEmail: member.authorEmail,
    })),
    batchCommit: batch.batchCommit,
    groupMessage: batch.groupMessage,
    at: of.at,
    keepRef: `refs/interlock/builds/${batch.id}`,
  });
}

/**
 * Git counts in seconds: two batches of one composition, made in the same one, would share a commit, and the second
 * inherit the red or canceled build of the first instead of getting its own. So each is a second later than the one before.
 */
async function commitTime(ctx: Context, { batch, members }: LoadedBatch): Promise<number> {
  const [before] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ n: number }>(
        `select count(*)::int as n from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
       where m.account_id = $1 and m.pull_request_id = $2 and m.batch_id < $3 and b.parent_commit = $4`,
        [ctx.accountId, members[0]?.pullRequestId ?? null, batch.id, batch.parentCommit],
      ),
  );
  return batch.createdAt.getTime() + (before?.n ?? 0) * 1_000;
}

/** The merge is a fact about two commits; the pull request carries it only while this very head is in line. */
async function keepConflict(
  ctx: Context,
  loaded: LoadedBatch,
  conflict: Extract<CompositionResult, { kind: 'conflict' }>,
): Promise<void> {
  const { batch, members } = loaded;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = beginWork(ctx, tx, await changeQueue(ctx, tx, batch.queueId));
    await keepMergeResult(ctx, tx, loaded, { tree: null, conflictAt: conflict.at });
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
    // Known already: the batch waits for the planner to end it.
    if (row.conflictParent === batch.parentCommit && row.conflictAfter?.join() === after.join()) return;
    row.conflictParent = batch.parentCommit;
    row.conflictAfter = after;
    announce(work, row, 'conflict_found', { parentCommit: batch.parentCommit, paths: conflict.paths.slice(0, 20) });
    await finishWork(work);
  });
}

async function keepMergeResult(
  ctx: Context,
  tx: Transaction,
  { batch, members }: LoadedBatch,
  result: { tree: string | null; conflictAt: number },
): Promise<void> {
  const heads = members
    .slice(0, result.conflictAt < 0 ? members.length : result.conflictAt + 1)
    .map((member) => member.pinnedHead);
  await tx.query(
    `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [ctx.accountId, batch.repositoryId, batch.parentCommit, heads, result.tree, result.conflictAt],
  );
}

/** Its tree is what would land, and it stands on the base: then its own checks are evidence. */
async function isUpToDate(ctx: Context, { batch, host, members }: LoadedBatch, tree: string): Promise<boolean> {
  const [member] = members;
  if (member === undefined) return false;
  const adapter = ctx.hosts(host.host);
  const head = await adapter.readCommit(host, member.pinnedHead);
  return head?.tree === tree && (await adapter.isAncestor(host, batch.parentCommit, member.pinnedHead));
}

/**
 * A head that was tested before may be landed on that: its build stands on the base, whatever the base was when it was
 * first seen. One that was canceled or is too old proves nothing, and no new commit comes to be tested: its checks are
 * run again, or the batch would be found worthless and started anew without end.
 */
async function renewHeadBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members, host } = loaded;
  const head = members[0]?.pinnedHead ?? '';
  const names = await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      'update build set base_commit = $4 where account_id = $1 and repository_id = $2 and commit = $3 and base_commit <> $4',
      [ctx.accountId, batch.repositoryId, head, batch.baseCommit],
    );
    const [build] = await loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [head], trees: [] });
    if (build === undefined || (!build.canceled && isFresh(build, ctx.clock().getTime()))) return [];
    return [...new Set(build.checks.map((check) => check.name))];
  });
  if (names.length === 0) return;
  await ctx.hosts(host.host).rerunChecks(host, head, names);
  await recordChecks(ctx, host, head);
}

/**
 * Serial mode tests the pull request's own head, so the base is brought into it first. The new head makes this batch's
 * pinned one old: the planner supersedes it and starts one on the new head.
 */
async function updateHead(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members, host, baseBranch } = loaded;
  const [member] = members;
  if (member === undefined) return;
  const row = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.findOneOrFail(PullRequestEntity, { id: member.pullRequestId }),
  );
  if (row.headSha !== member.pinnedHead) return;
  try {
    const updated = await ctx.hosts(host.host).updateBranch(host, {
      headBranch: row.headBranch,
      expectedHead: member.pinnedHead,
      from: batch.parentCommit,
      message: `Merge branch '${baseBranch}' into ${row.headBranch}\n`,
      at: batch.createdAt.getTime(),
    });
    // A rebase can succeed where the merge into the head does not.
    if (updated === null) return await keepConflict(ctx, loaded, { kind: 'conflict', at: 0, paths: [] });
    if (updated.head === member.pinnedHead) {
      return await blockMembers(ctx, loaded, [
        {
          member,
          words: `a ${batch.strategy} onto ${baseBranch} gives another tree than its head, which is what was tested`,
        },
      ]);
    }
  } catch (error) {
    if (error instanceof HostRefused) return await blockMembers(ctx, loaded, [{ member, words: error.message }]);
    if (!(error instanceof RefMoved)) throw error;
  }
  await passFailpoint('build:after_update');
  await syncPullRequest(ctx, host, row.number);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      'update pull_request set sync_count = sync_count + 1 where account_id = $1 and id = $2 and head_sha <> $3',
      [ctx.accountId, row.id, member.pinnedHead],
    );
  });
}

/** Asks for the checks: opens the draft bot pull request (parallel), or notes that the head's own checks count (serial). */
async function openBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members } = loaded;
  if (!batch.commit || !batch.tree) return;
  // A tree that is green already needs no build: it lands by look-up. Marked once: while something else holds its
  // landing back (a pause), each mark would wake the queue that called for it.
  if (await needsNoBuild(ctx, loaded, batch.tree))
    return batch.buildStartedAt ? undefined : await markStarted(ctx, loaded, null);
  if (batch.mode === 'serial') {
    await markStarted(ctx, loaded, null);
    return await recordChecks(ctx, loaded.host, batch.testedCommit ?? batch.commit);
  }
  const bot = await openBotPullRequest(ctx, loaded, batch.commit, members);
  await passFailpoint('build:after_open');
  await markStarted(ctx, loaded, bot);
  await recordChecks(ctx, loaded.host, batch.commit);
}

/** While its checks run. One that relied on another build's evidence gets a build of its own when that no longer holds. */
async function watchBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, host } = loaded;
  if (!batch.testedCommit) return;
  await recordChecks(ctx, host, batch.testedCommit);
  if (batch.mode === 'serial' || batch.state !== 'building') return;
  const bots = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.count(BotPullRequestEntity, { batchId: batch.id }),
  );
  if (bots === 0) await openBuild(ctx, loaded);
}

/** A green build of its tree exists, or its members skip validation. */
async function needsNoBuild(ctx: Context, { batch, members, repository }: LoadedBatch, tree: string): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await tx.em.find(PullRequestEntity, { id: { $in: members.map((member) => member.pullRequestId) } });
    if (rows.every((row) => row.skipValidation)) return true;
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: batch.queueId });
    const { rules } = rulesOf(repository, queue.hostRequiredChecks);
    const lineage = await loadLineage(ctx, tx, queue.id, queue.baseTip ?? '');
    const builds = await loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [], trees: [tree] });
    return evidenceFor(tree, { queue: { lineage }, rules, builds }, ctx.clock().getTime()) !== null;
  });
}

async function openBotPullRequest(
  ctx: Context,
  loaded: LoadedBatch,
  commit: string,
  members: readonly BatchMemberRow[],
): Promise<{ number: number; url: string }> {
  const { batch, host, baseBranch } = loaded;
  const adapter = ctx.hosts(host.host);
  const branch = botBranch(batch.id);
  try {
    await adapter.updateRefs(host, [{ ref: `refs/heads/${branch}`, from: null, to: commit }]);
  } catch (error) {
    if (!(error instanceof RefMoved)) throw error;
    // Such branches are ours alone: one that stands elsewhere is older than the records, and is moved.
    if (error.actual !== commit)
      await adapter.updateRefs(host, [{ ref: `refs/heads/${branch}`, from: error.actual, to: commit }]);
  }
  await passFailpoint('build:after_branch');
  const existing = (await adapter.listOpenPullRequests(host)).find((pullRequest) => pullRequest.headBranch === branch);
  if (existing !== undefined) return existing;
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.find(PullRequestEntity, { id: { $in: members.map((member) => member.pullRequestId) } }),
  );
  const numbers = rows.map((row) => `#${row.number}`).join(', ');
  return await adapter.openPullRequest(host, {
    title: `Validate ${numbers} for ${baseBranch}`,
    body: `${batch.groupMessage}\nOpened by Interlock to run CI on commit ${commit}. It is closed by itself; do not merge it.\n`,
    author: 'interlock[bot]',
    headBranch: branch,
    baseBranch,
    draft: true,
  });
}

async function markStarted(
  ctx: Context,
  { batch, members, baseBranch }: LoadedBatch,
  bot: { number: number; url: string } | null,
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = beginWork(ctx, tx, await changeQueue(ctx, tx, batch.queueId));
    const isFirst = bot !== null && (await keepBotPullRequest(ctx, tx, { batch, baseBranch, bot }));
    const row = await tx.em.findOneOrFail(BatchEntity, { id: batch.id });
    if (row.state !== 'building') return;
    // One that relied on another build's evidence and now gets its own starts its time anew.
    row.buildStartedAt = bot !== null && isFirst ? work.now : (row.buildStartedAt ?? work.now);
    if (bot !== null) await tagMembers(ctx, tx, work, members);
    await finishWork(work);
  });
}

async function keepBotPullRequest(
  ctx: Context,
  tx: Transaction,
  opened: { batch: BatchRow; baseBranch: string; bot: { number: number; url: string } },
): Promise<boolean> {
  const { batch, baseBranch, bot } = opened;
  if ((await tx.em.count(BotPullRequestEntity, { batchId: batch.id })) > 0) return false;
  tx.em.create(BotPullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: batch.repositoryId,
    batchId: batch.id,
    number: bot.number,
    url: bot.url,
    branch: botBranch(batch.id),
    targetBranch: baseBranch,
    headCommitSha: batch.commit ?? '',
    preBatchSha: batch.parentCommit,
    createdAt: ctx.clock(),
  });
  return true;
}

async function tagMembers(
  ctx: Context,
  tx: Transaction,
  work: ReturnType<typeof beginWork>,
  members: readonly BatchMemberRow[],
): Promise<void> {
  const rows = new Map(
    (await tx.em.find(PullRequestEntity, { id: { $in: members.map((member) => member.pullRequestId) } })).map((row) => [
      row.id,
      row,
    ]),
  );
  const ahead = await aheadOf(ctx, tx, work.queue.id, [...rows.values()]);
  for (const member of members) {
    const row = rows.get(member.pullRequestId);
    if (row === undefined || row.status !== 'queued' || row.headSha !== member.pinnedHead) continue;
    writeStatus(work, row, 'tag');
    announce(work, row, 'added_to_batch', { blockingPullRequests: ahead });
  }
}

/** Numbers of the pull requests that stand in builds before these: they must land first. */
async function aheadOf(
  ctx: Context,
  tx: Transaction,
  queueId: string,
  rows: readonly PullRequestRow[],
): Promise<number[]> {
  const first = Math.min(...rows.map((row) => row.rank ?? Number.MAX_SAFE_INTEGER));
  if (!Number.isSafeInteger(first)) return [];
  const found = await tx.query<{ number: number }>(
    `select number from pull_request where account_id = $1 and queue_id = $2 and status = 'tagged' and rank < $3 order by rank`,
    [ctx.accountId, queueId, first],
  );
  return found.map((row) => row.number);
}

/** After its end: what still runs is stopped, the bot pull request closed, its branch deleted by compare-and-set. */
async function cleanUp(ctx: Context, { batch, host }: LoadedBatch): Promise<void> {
  const adapter = ctx.hosts(host.host);
  const bot = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.findOne(BotPullRequestEntity, { batchId: batch.id }),
  );
  const branch = `refs/heads/${botBranch(batch.id)}`;
  const there = await adapter.readRef(host, branch);
  if (batch.mode === 'parallel' && batch.commit) await adapter.cancelChecks(host, batch.commit);
  const number =
    bot?.number ??
    (await adapter.listOpenPullRequests(host)).find((pullRequest) => pullRequest.headBranch === botBranch(batch.id))
      ?.number;
  if (number !== undefined) await adapter.closePullRequest(host, number);
  if (there !== null) await deleteRef(ctx, host, branch, there.commit);
  await passFailpoint('clean_up:after_host');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      'update bot_pull_request set closed_at = $3 where account_id = $1 and batch_id = $2 and closed_at is null',
      [ctx.accountId, batch.id, ctx.clock().toISOString()],
    );
    await tx.query('update batch set cleaned_up_at = $3 where account_id = $1 and id = $2 and cleaned_up_at is null', [
      ctx.accountId,
      batch.id,
      ctx.clock().toISOString(),
    ]);
  });
}

async function deleteRef(ctx: Context, host: HostedRepository, ref: string, from: string): Promise<void> {
  try {
    await ctx.hosts(host.host).updateRefs(host, [{ ref, from, to: null }]);
  } catch (error) {
    if (!(error instanceof RefMoved && error.actual === null)) throw error;
  }
}
