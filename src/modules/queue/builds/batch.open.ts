// Starts and watches the checks of a build. In parallel mode these are the checks of a bot pull request; in serial
// mode, those of the head itself.
import type { Context } from '../../../context.ts';
import { evidenceFor } from '../../../domain/queue/evidence/evidence.ts';
import { botBody, botTitle } from '../../../domain/queue/requests/message.ts';
import { hostClient, openOnce, HostRefused } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readBranchHolds } from '../../repositories/index.ts';
import { botBranch, idsOfMembers, lockBatch, type LoadedBatch } from '../store/batch.rows.ts';
import { buildRef } from './assumptions.ts';
import { moveBranch, dropBotPullRequest, takeBotPullRequest } from './bot-pull-requests.ts';
import { recordChecks } from '../facts/build.records.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { withoutHeadsInLine } from '../facts/judged-builds.ts';
import { configurationOf, rulesOf } from '../store/rules-in-force.ts';
import { recordGates } from '../facts/final-gates.ts';
import { messageSource } from '../planning/batch.start.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { judgeParts } from './composed-evidence.ts';
import {
  BatchEntity,
  BotPullRequestEntity,
  PullRequestEntity,
  QueueEntity,
  type BatchMemberRow,
  type BatchRow,
  type BotPullRequestRow,
  type PullRequestRow,
} from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { lineageOf, readLandings } from '../facts/landings.loader.ts';
import { announce, startWork, finishWork, writeStatus, type QueueWork } from '../store/status.writer.ts';

/**
 * Starts the checks. In parallel mode, opens the bot pull request. In serial mode, records that the head's own checks
 * count.
 */
export async function openBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, members } = loaded;
  if (!batch.commit || !batch.tree) return;
  // If there is a green build of the same tree, no build is needed, and the planner finds that build. The batch is
  // marked as started only once, because each mark would wake the queue while a pause stops the landing.
  if (await needsNoBuild(ctx, loaded, batch.tree)) {
    if (batch.buildStartedAt) return;
    // No bot branch keeps the commit, but another machine may have to land it.
    await hostClient(ctx, loaded.host).keepCommit(batch.commit, buildRef(batch));
    return await markStarted(ctx, loaded, null);
  }
  if (batch.mode === 'serial') {
    await markStarted(ctx, loaded, null);
    return await recordChecks(ctx, loaded.host, batch.testedCommit ?? batch.commit);
  }
  const bot = await openBotPullRequest(ctx, loaded, { commit: batch.commit, members }).catch(async (error: unknown) => {
    // The batch ended meanwhile, and another worker has removed the branch.
    if (error instanceof HostRefused && !(await isBuilding(ctx, batch))) return null;
    throw error;
  });
  if (bot === null) return;
  await passFailpoint('build:after_open');
  await markStarted(ctx, loaded, bot);
  await recordChecks(ctx, loaded.host, batch.commit);
}

/**
 * Reads the checks again while they run. If a batch relied on the build of another batch, and that build no longer
 * counts as evidence, the batch gets its own build, after the end of a pause.
 */
export async function watchBuild(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, host } = loaded;
  if (!batch.testedCommit) return;
  await recordChecks(ctx, host, batch.testedCommit);
  if (batch.commit) await recordGates(ctx, host, batch.commit);
  if (batch.mode === 'serial' || batch.state !== 'building') return;
  const opened = await ctx.db.read(ctx.accountId, {
    name: 'opened_bot_pull_request',
    text: 'select 1 as is from bot_pull_request where account_id = $1 and batch_id = $2 and opened_at is not null',
    values: [ctx.accountId, batch.id],
  });
  if (opened.length === 0 && !(await isStoppedByPause(ctx, loaded))) await openBuild(ctx, loaded);
}

/** Whether a pause keeps the batch from getting its own build. */
async function isStoppedByPause(ctx: Context, { repository, baseBranch }: LoadedBatch): Promise<boolean> {
  const { max_parallel_paused_builds } = configurationOf(repository).merge_rules.merge_mode.parallel_mode;
  if ((max_parallel_paused_builds ?? 0) > 0) return false;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { pause } = await readBranchHolds(tx, repository, baseBranch);
    return !repository.active || pause !== null;
  });
}

/**
 * Whether all members skip validation, or there is a green build of the tree, or green builds of parts justify the
 * landing.
 */
async function needsNoBuild(ctx: Context, { batch, members, repository }: LoadedBatch, tree: string): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These reads share a round trip.
    const [queue, landed, builds, rows] = await Promise.all([
      tx.load(QueueEntity, batch.queueId),
      readLandings(ctx, tx, batch.queueId),
      loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [], trees: [tree] }),
      tx.loadAll(PullRequestEntity, { column: 'id', ids: idsOfMembers({ members }), orderBy: 'id' }),
    ]);
    if (queue === null) throw new Error(`There is no queue ${batch.queueId}.`);
    const { rules } = rulesOf(repository, queue);
    if (rules.mode === 'no-queue' || rows.every((row) => row.skipValidation)) return true;
    const lineage = lineageOf(landed, queue.baseTip ?? '');
    const heads = members.map((member) => member.pinnedHead);
    const counting = await withoutHeadsInLine(ctx, tx, { queueId: batch.queueId, builds, rules, heads });
    const source = { queue: { lineage }, rules, builds: counting };
    const preferredCommit = batch.commit ?? null;
    if (evidenceFor(tree, source, { now: ctx.clock().getTime(), preferredCommit }) !== null) return true;
    if (batch.restsOn.length === 0 || rules.landsBuiltCommitsOnly) return false;
    return (await judgeParts(ctx, tx, { batch, members, rules, tip: queue.baseTip ?? '' })) !== null;
  });
}

async function openBotPullRequest(
  ctx: Context,
  loaded: LoadedBatch,
  { commit, members }: { readonly commit: string; readonly members: readonly BatchMemberRow[] },
): Promise<{ number: number; url: string }> {
  const { host, baseBranch, repository, batch } = loaded;
  const client = hostClient(ctx, host);
  const taken = await takeBotPullRequest(ctx, loaded);
  const seen = taken === null ? null : await client.getPullRequest(taken.number, { isForLanding: true });
  const isReused = taken !== null && seen?.state === 'open';
  if (taken !== null && !isReused) await dropBotPullRequest(ctx, host, taken);
  const branch = isReused ? taken.branch : botBranch(batch.id);
  await moveBranch(ctx, host, { branch, to: commit });
  await passFailpoint('build:after_branch');
  const rows = await ctx.db.loadMany(
    ctx.accountId,
    PullRequestEntity,
    members.map((member) => member.pullRequestId),
  );
  const described = {
    title: botTitle(
      members.flatMap((member) => rows.find((row) => row.id === member.pullRequestId) ?? []).map(messageSource),
      baseBranch,
      configurationOf(repository).merge_rules.merge_commit,
    ),
    body: botBody(batch.groupMessage, commit),
  };
  if (isReused) {
    await client.editPullRequest({ number: taken.number, isForLanding: true }, described);
    return { number: taken.number, url: taken.url };
  }
  return await openOnce(client, {
    ...described,
    author: 'interlock[bot]',
    headBranch: branch,
    baseBranch,
    draft: true,
  });
}

async function isBuilding(ctx: Context, { id }: BatchRow): Promise<boolean> {
  return (await ctx.db.load(ctx.accountId, BatchEntity, id))?.state === 'building';
}

async function markStarted(
  ctx: Context,
  { batch, members, baseBranch }: LoadedBatch,
  bot: { number: number; url: string } | null,
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These share a round trip. The locks are taken in this order, and the rest is read after them.
    const [queue, row, known, ahead, rows] = await Promise.all([
      changeQueue(ctx, tx, batch.queueId),
      lockBatch(tx, batch.id),
      tx.loadAll(BotPullRequestEntity, { column: 'batch_id', ids: [batch.id], orderBy: 'id' }),
      aheadOf(ctx, tx, batch),
      tx.find(PullRequestEntity, { column: 'id', ids: idsOfMembers({ members }), orderBy: 'id' }),
    ]);
    const work = startWork(ctx, tx, queue);
    const isFirst =
      bot !== null && (await keepBotPullRequest(ctx, tx, { batch, baseBranch, bot, known: known[0] ?? null }));
    if (row.state !== 'building') {
      // The batch ended meanwhile, and another worker may have cleaned up before this one opened the bot pull request.
      if (isFirst) row.cleanedUpAt = null;
      return;
    }
    // If the batch relied on another build before, the time limit of its own build starts now.
    const isStart = isFirst || (batch.mode === 'serial' && !row.buildStartedAt);
    row.buildStartedAt = isFirst ? work.now : (row.buildStartedAt ?? work.now);
    if (isStart) announceBuildStarted(work, row);
    // An isolation build changes no status, because the status of its member follows its batch in line.
    if (bot !== null && row.sideBuild !== 'isolation') tagMembers(work, { members, rows, ahead });
    await finishWork(work);
  });
}

/** This is not called if the batch gets no checks of its own, because such a batch lands at once. */
function announceBuildStarted(work: QueueWork, { id, repositoryId, queueId, commit }: BatchRow): void {
  work.events.push({ repositoryId, queueId, batchId: id, action: 'build_started', payload: { commit } });
}

interface Opened {
  readonly batch: BatchRow;
  readonly baseBranch: string;
  readonly bot: { readonly number: number; readonly url: string };
  /** The row of the bot pull request. Null: there is none yet. */
  readonly known: BotPullRequestRow | null;
}

/** Returns whether the bot pull request was opened for this batch just now. */
async function keepBotPullRequest(
  ctx: Context,
  tx: Transaction,
  { batch, baseBranch, bot, known }: Opened,
): Promise<boolean> {
  const now = ctx.clock().toISOString();
  if (known !== null) {
    if (known.openedAt) return false;
    // If the batch has been cleaned up meanwhile, the bot pull request is closed, but its branch was made again.
    await tx.send('update bot_pull_request set opened_at = $3, closed_at = null where account_id = $1 and id = $2', [
      ctx.accountId,
      known.id,
      now,
    ]);
    return true;
  }
  await tx.send(
    `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha, created_at, opened_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [
      ctx.accountId,
      batch.repositoryId,
      batch.id,
      bot.number,
      bot.url,
      botBranch(batch.id),
      baseBranch,
      batch.commit ?? '',
      batch.preBatchCommit ?? batch.parentCommit,
      now,
    ],
  );
  return true;
}

function tagMembers(
  work: QueueWork,
  of: {
    readonly members: readonly BatchMemberRow[];
    readonly rows: readonly PullRequestRow[];
    readonly ahead: readonly number[];
  },
): void {
  const byId = new Map(of.rows.map((row) => [row.id, row]));
  for (const member of of.members) {
    const row = byId.get(member.pullRequestId);
    if (row === undefined || row.status !== 'queued' || row.headSha !== member.pinnedHead) continue;
    writeStatus(work, row, 'tag');
    announce(work, row, 'added_to_batch', { blockingPullRequests: of.ahead });
  }
}

/** Numbers of the pull requests in builds before this one, which must land first. */
async function aheadOf(ctx: Context, tx: Transaction, batch: BatchRow): Promise<number[]> {
  if (batch.sideBuild === 'speculative') return await assumedOf(ctx, tx, batch.id);
  if (batch.sideBuild) return [];
  const found = await tx.query<{ number: number }>(
    `select p.number from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
     where b.account_id = $1 and b.queue_id = $2 and b.state in ('making', 'building', 'landing') and b.side_build is null and b.position < $3
       and p.status = 'tagged' order by b.position, m.ordinal`,
    [ctx.accountId, batch.queueId, batch.position],
  );
  return found.map((row) => row.number);
}

/** Numbers of the pull requests that a speculative build assumes to land first. */
async function assumedOf(ctx: Context, tx: Transaction, batchId: string): Promise<number[]> {
  const found = await tx.query<{ number: number }>(
    `select p.number from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id
     where a.account_id = $1 and a.batch_id = $2 and p.status in ('queued', 'tagged') order by a.ordinal`,
    [ctx.accountId, batchId],
  );
  return found.map((row) => row.number);
}
