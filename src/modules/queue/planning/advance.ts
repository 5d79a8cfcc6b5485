// One turn of a queue: reads the snapshot, plans and writes, in one transaction under the queue's row. Returns the work
// outside the transaction as ids: open intents, and batches that have not ended.
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { plan } from '../../../domain/queue/plan.ts';
import { branchHolds, type BranchHolds } from '../../repositories/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { reconsider } from '../admission/admission.service.ts';
import { isWanted } from '../store/line.rows.ts';
import { configurationProblem, haltOf, rulesOf, configurationOf } from '../store/configuration.cache.ts';
import { planUpdates, updateBeforeRequeue } from './auto-update.ts';
import { planWaitingBackports } from './branch-work.ts';
import { releaseIdleBotPullRequests } from './idle-bot-pull-requests.ts';
import { earliest, readOpenRows, toOpenWork, type OpenWork } from './open-work.ts';
import { isSameWork, keepQuietTurn, quietTurn, readBeforeTurn, type BeforeTurn } from './quiet-turn.ts';
import { noteTurn, pauseBefore } from './turn-pause.ts';
import type { Transaction } from '../../../platform/database.ts';
import { planAgainAt, writeDecisions } from './decisions.writer.ts';
import { syncBase } from '../facts/base-branches.ts';
import { hosted } from '../store/hosted-repository.ts';
import { lockQueue } from '../store/queue.locks.ts';
import { planRetries } from './retries.ts';
import { planNotifications } from './notifications.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import { hostClient } from '../../../hosts/port.ts';
import { startWork, finishWork, haltWork, type QueueWork } from '../store/status.writer.ts';

/** Increased with every change of the planner's rules. A worker of an older version does not plan. */
export const plannerVersion = 6;

export interface Advance extends OpenWork {
  /** When to look again without a wake. Null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
}

/** `longestPauseMs`: how long changes may be waited for that come in the same moment. */
export async function advanceQueue(
  ctx: Context,
  queueId: string,
  { longestPauseMs = 0 }: { readonly longestPauseMs?: number } = {},
): Promise<Advance> {
  let before = await readBeforeTurn(ctx, queueId);
  const quiet = quietTurn(ctx, before);
  if (quiet !== null) return quiet;
  const pauseMs = pauseBefore(ctx.db, before, longestPauseMs);
  if (pauseMs > 0) {
    await delay(pauseMs);
    before = await readBeforeTurn(ctx, queueId);
  }
  await readMissingFacts(ctx, before);
  const { advance, kept } = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await takeTurn(ctx, tx, { queueId, before }),
  );
  noteTurn(ctx.db, before);
  if (kept !== null) keepQuietTurn(ctx.db, queueId, kept);
  return advance;
}

interface Turn {
  readonly advance: Advance;
  /** Null: the turn has decided something, or waits for builds of other base branches. */
  readonly kept: Parameters<typeof keepQuietTurn>[2] | null;
}

async function takeTurn(
  ctx: Context,
  tx: Transaction,
  { queueId, before }: { readonly queueId: string; readonly before: BeforeTurn },
): Promise<Turn> {
  const queue = await lockQueue(tx, queueId);
  // After the lock: a pause, a freeze or a configuration that completes later causes another turn.
  const repository = await tx.load(RepositoryEntity, queue.repositoryId);
  if (repository === null) throw new Error(`There is no repository ${queue.repositoryId}.`);
  const holds = await branchHolds(tx, repository, queue.baseBranch);
  const work = startWork(ctx, tx, queue);
  const mayPlan = queue.plannerVersion <= plannerVersion;
  const hasPlannedQuietly = await decideAndWrite(work, { repository, holds, mayPlan });
  const hasChanged = work.events.length > 0 || work.relabelled.size > 0;
  await finishWork(work);
  await tx.em.flush();
  const nextLookAt = queue.nextLookAt?.getTime() ?? null;
  // Left to the relay, because a timer of the workflow would add events to its history in every turn.
  const notifyAt = mayPlan ? await planNotifications(work, { repository, holds }) : null;
  const rows = await readOpenRows(ctx, tx, queueId);
  const stopped = { halted: haltOf(repository, queue), isPaused: holds.pause !== null };
  const open = toOpenWork(rows, { queue, repository, ...stopped }, work.now.getTime());
  const relayAt = earliest(nextLookAt, notifyAt, open.tryAgainAt);
  if (mayPlan) {
    queue.nextLookAt = relayAt === null ? null : new Date(relayAt);
    await tx.em.flush();
  }
  const moreAt = open.hasMore ? work.now.getTime() : null;
  const advance = { ...open.work, nextLookAt: mayPlan ? earliest(nextLookAt, moreAt) : null };
  const isQuiet = hasPlannedQuietly && !hasChanged && !open.hasMore && isSameWork(before, rows);
  const plannedAt = work.now.getTime();
  const kept = {
    plannedAt,
    server: before.server,
    version: String(queue.version),
    relayAt,
    nextLookAt,
    open: rows,
    stopped,
  };
  return { advance, kept: isQuiet ? kept : null };
}

/**
 * Plans the queue, unless it is halted or a newer planner owns it. Answers whether a plan was made that decided
 * nothing.
 */
async function decideAndWrite(
  work: QueueWork,
  of: { readonly repository: RepositoryRow; readonly holds: BranchHolds; readonly mayPlan: boolean },
): Promise<boolean> {
  const { repository, holds, mayPlan } = of;
  const { queue } = work;
  // A deadline that nobody plans for, in a halted queue or one without its base, would stay in the past for ever.
  if (mayPlan) Object.assign(queue, { plannedVersion: queue.version, nextLookAt: null });
  const problem = configurationProblem(repository);
  if (problem !== null && !queue.haltedReason)
    haltWork(work, `The saved configuration is not valid any more: ${problem}`);
  if (!mayPlan || haltOf(repository, queue) !== null) return false;
  if (!queue.baseTip) await endBuilds(work, repository);
  if (!queue.baseTip || !queue.baseTree) return false;
  queue.plannerVersion = plannerVersion;
  const planned = await planQueue(work, { repository, holds }, { tip: queue.baseTip, tipTree: queue.baseTree });
  queue.nextLookAt = planned.lookAt === null ? null : new Date(planned.lookAt);
  return planned.isQuiet;
}

interface Planned {
  /** When the queue looks again without a wake. Null: never. */
  readonly lookAt: number | null;
  /** Nothing was decided, and the queue does not wait for builds of other base branches. */
  readonly isQuiet: boolean;
}

/** Reads, decides and writes. */
async function planQueue(
  work: QueueWork,
  { repository, holds }: { readonly repository: RepositoryRow; readonly holds: BranchHolds },
  base: { readonly tip: string; readonly tipTree: string },
): Promise<Planned> {
  const { ctx, tx, queue } = work;
  const now = work.now.getTime();
  const { configuration, rules } = rulesOf(repository, queue);
  const { hasChanged, ...asked } = await reconsider(work, repository);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, ...base, known: { ...asked, holds } });
  const decisions = await updateBeforeRequeue(work, configuration, plan(loaded.snapshot, now));
  await writeDecisions(work, loaded, { decisions, configuration });
  await releaseIdleBotPullRequests(work);
  await wakeWaitingQueues(work, decisions);
  await planWaitingBackports(work);
  const updatesAt = await planUpdates(work, repository, configuration);
  const retriesAt = await planRetries(work, rules);
  const buildsAt = lookForBuildsAt(loaded.snapshot, now);
  return {
    lookAt: earliest(planAgainAt(decisions), buildsAt, retriesAt, updatesAt),
    isQuiet: !hasChanged && buildsAt === null && decisions.every(({ kind }) => kind === 'PlanAgainAt'),
  };
}

/**
 * The base branch is gone: deleted, or renamed. What is built for it never lands, and takes the room of builds for
 * other base branches. A landing that has started ends first.
 */
async function endBuilds(work: QueueWork, repository: RepositoryRow): Promise<void> {
  const { ctx, tx, queue } = work;
  const alive = await tx.query(
    `select from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building') limit 1`,
    [ctx.accountId, queue.id],
  );
  if (alive.length === 0) return;
  const { configuration, rules } = rulesOf(repository, queue);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: '', tipTree: '' });
  const { batches } = loaded.snapshot;
  if (batches.some((batch) => batch.landingStarted)) return;
  const decisions = batches.map(({ id }): Decision => {
    return { kind: 'SupersedeBatch', batch: id, code: 305, causedBy: null, failedBuild: null };
  });
  await writeDecisions(work, loaded, { decisions, configuration });
  await wakeWaitingQueues(work, decisions);
}

async function readMissingFacts(ctx: Context, before: BeforeTurn): Promise<void> {
  if (before.baseTip) await readMissingSignatures(ctx, before, before.baseTip);
  else await syncBase(ctx, hosted(before), before.baseBranch);
}

/** Signatures are normally read with a head. If they became required later, they are read before a turn decides. */
async function readMissingSignatures(ctx: Context, known: BeforeTurn, base: string): Promise<void> {
  if (!configurationOf(known).merge_rules.preconditions.require_verified_commits) return;
  const host = hosted(known);
  const unread = await ctx.db.read<{ id: string; head: string }>(ctx.accountId, {
    name: 'signatures_unread',
    text: `select id, head_sha as head from pull_request
           where account_id = $1 and queue_id = $2 and ${isWanted} and verified_head is distinct from head_sha`,
    values: [ctx.accountId, known.queueId],
  });
  for (const { id, head } of unread) {
    const unverified = await hostClient(ctx, host).countUnverifiedCommits({ head, base });
    await ctx.db.transaction(
      ctx.accountId,
      async (tx) =>
        await tx.query(
          'update pull_request set unverified_commits = $4, verified_head = $3 where account_id = $1 and id = $2 and head_sha = $3',
          [ctx.accountId, id, head, unverified],
        ),
    );
  }
}

// `max_parallel_builds` limits the repository, so a queue may wait for builds of another base branch. Their end does
// not change this queue: the queue that ends a build wakes the waiting queues, and each looks again in case the wake is
// lost.
const lookAgainMs = 60_000;

/** When a queue that may wait for builds of other queues looks again. Null: it waits for none. */
function lookForBuildsAt(snapshot: Snapshot, now: number): number | null {
  if (snapshot.queue.buildsElsewhere === 0) return null;
  const inBatches = new Set(snapshot.batches.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  return snapshot.pullRequests.every((pullRequest) => inBatches.has(pullRequest.id)) ? null : now + lookAgainMs;
}

/** The end of a batch frees a build: the repository's other queues are woken after the commit. */
async function wakeWaitingQueues({ ctx, tx, queue }: QueueWork, decisions: readonly Decision[]): Promise<void> {
  const leavesRoom = decisions.some(
    ({ kind }) => kind === 'SupersedeBatch' || kind === 'ReturnBatch' || kind === 'BisectBatch' || kind === 'FailBatch',
  );
  if (!leavesRoom) return;
  // Without their locks: at worst the wake is lost, and each looks again.
  const waiting = await tx.query<{ id: string }>(
    'select id from queue where account_id = $1 and repository_id = $2 and id <> $3 and waiting > 0',
    [ctx.accountId, queue.repositoryId, queue.id],
  );
  for (const { id } of waiting) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: id }));
}
