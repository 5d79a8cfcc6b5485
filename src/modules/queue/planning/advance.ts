// One turn of a queue: reads the snapshot, plans, and writes the decisions in one transaction under the lock of the
// queue's row. Returns the work that remains outside the transaction as ids: open intents, and batches that are not
// cleaned up.
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { findUnbuiltBatches } from '../../../domain/queue/evidence/verdict.ts';
import { plan, plannerVersion } from '../../../domain/queue/plan.ts';
import { readHoldRows, readHoldsOf, type BranchHolds } from '../../repositories/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { reconsider } from '../admission/admission.service.ts';
import { isWanted } from '../store/line.rows.ts';
import { configurationProblem, haltOf, rulesOf, configurationOf } from '../store/rules-in-force.ts';
import { planUpdates, updateBeforeRequeue } from './auto-update.ts';
import { planWaitingBackports } from './branch-work.ts';
import { hasIdleBotPullRequests, releaseIdleBotPullRequests } from './idle-bot-pull-requests.ts';
import { earliest, isDue, readOpenRows, toOpenWork, type OpenRows, type OpenWork } from './open-work.ts';
import { isSameWork, keepQuietTurn, findQuietTurn, readBeforeTurn, type BeforeTurn } from './quiet-turn.ts';
import {
  findLeftToWorkflow,
  forgetLeftToWorkflow,
  leavesMore,
  mayLeaveNothing,
  noteLeftToWorkflow,
  type LeftToWorkflow,
} from './left-to-workflow.ts';
import { noteTurn, delayBeforeTurn, hasArrivalsSinceTurn } from './turn-delay.ts';
import type { Transaction } from '../../../platform/database.ts';
import { planAgainAt, writeDecisions } from './decisions.writer.ts';
import { syncBase } from '../facts/base-branches.ts';
import { readKeptLine, type LineOf, type LineRead } from '../facts/kept-line.ts';
import type { QueueRow } from '../store/queue.entities.ts';
import { lockBuildsOf, lockQueue } from '../store/queue.locks.ts';
import { planRetries } from './check-retries.ts';
import { planDueNotifications, scheduleNotifications } from './notifications.ts';
import { readQueueFacts, type QueueFacts } from './queue.facts.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import { startWork, finishWork, haltWork, type QueueWork } from '../store/status.writer.ts';

export interface Advance extends OpenWork {
  /** When the queue takes its next turn without a wake. Null: only after a wake. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  /** True: the queue has changes that this process leaves to a newer version of Interlock. Absent: it has none. */
  readonly isLeftToNewer?: boolean;
}

interface TurnOptions {
  /** How long a turn may wait, so that it handles further changes of the same moment together. */
  readonly longestDelayMs?: number;
  /** Called when the turn begins to read. The turn handles every change that was committed before. */
  readonly onRead?: () => void;
}

export async function advanceQueue(
  ctx: Context,
  queueId: string,
  { longestDelayMs = 0, onRead = () => {} }: TurnOptions = {},
): Promise<Advance> {
  onRead();
  let before = await readBeforeTurn(ctx, queueId);
  const quiet = findQuietTurn(ctx, before);
  if (quiet !== null) return leave(ctx, before, { advance: quiet, open: before });
  const delayMs = delayBeforeTurn(ctx.db, before, longestDelayMs);
  if (delayMs > 0) {
    await delay(delayMs);
    onRead();
    before = await readBeforeTurn(ctx, queueId);
  }
  await readMissingFacts(ctx, before);
  const turn = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await takeTurn(ctx, tx, { queueId, before, last: null }),
  );
  noteTurn(ctx.db, before);
  if (turn.kept !== null) keepQuietTurn(ctx.db, queueId, turn.kept);
  return leave(ctx, before, turn);
}

/** Returns the work of a turn to the caller, which is the workflow of the queue. */
function leave(
  { db }: Context,
  { queueId, server }: BeforeTurn,
  { advance, open }: Pick<Turn, 'advance' | 'open'>,
): Advance {
  const { summary, nextLookAt } = advance;
  const { state, details } = summary;
  noteLeftToWorkflow(db, queueId, { server, batches: open.batches, nextLookAt, state, details });
  return advance;
}

/**
 * Plans the queue, and commits the plan if it decides nothing and leaves nothing to the queue's workflow that the last
 * turn has not left to it. Returns whether this is so. Otherwise nothing is written, and the workflow must take a turn.
 */
export async function planIfIrrelevant(
  ctx: Context,
  queueId: string,
  { longestDelayMs = 0, onRead = () => {} }: TurnOptions = {},
): Promise<boolean> {
  const last = findLeftToWorkflow(ctx.db, queueId);
  if (last === undefined) return false;
  onRead();
  const first = await readBeforeTurn(ctx, queueId);
  const hasArrivals = hasArrivalsSinceTurn(ctx.db, first);
  if (!first.baseTip || first.server !== last.server) return false;
  if (!mayLeaveNothing({ effects: countDue(ctx, first), batches: first.batches, hasArrivals }, last)) return false;
  const delayMs = delayBeforeTurn(ctx.db, first, longestDelayMs);
  if (delayMs > 0) await delay(delayMs);
  onRead();
  const before = delayMs > 0 ? await readBeforeTurn(ctx, queueId) : first;
  try {
    const { kept } = await ctx.db.transaction(
      ctx.accountId,
      async (tx) => await takeTurn(ctx, tx, { queueId, before, last }),
    );
    if (kept !== null) keepQuietTurn(ctx.db, queueId, kept);
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNeeded)) throw error;
    forgetLeftToWorkflow(ctx.db, queueId, last);
    return false;
  } finally {
    noteTurn(ctx.db, before);
  }
}

/** How many intents are due. */
function countDue(ctx: Context, { intents }: OpenRows): number {
  const now = ctx.clock().getTime();
  return intents.filter((intent) => isDue(intent, now)).length;
}

/** Rolls a plan back that decides something or leaves something to the workflow. */
class WorkflowNeeded extends Error {}

// The details in Temporal's UI name how many pull requests wait. If only they have changed, the workflow shows them
// after this time.
const showDetailsMs = 10_000;

interface Turn {
  readonly advance: Advance;
  readonly open: OpenRows;
  /**
   * The facts by which later turns can be skipped. Null: this turn has changed something, or waits for builds of other
   * base branches.
   */
  readonly kept: Parameters<typeof keepQuietTurn>[2] | null;
}

async function takeTurn(
  ctx: Context,
  tx: Transaction,
  {
    queueId,
    before,
    last,
  }: {
    readonly queueId: string;
    readonly before: BeforeTurn;
    /** The turn throws WorkflowNeeded if it decides something or leaves more than this. Null: it never does. */
    readonly last: LeftToWorkflow | null;
  },
): Promise<Turn> {
  // These share a round trip. PostgreSQL reads after the lock, so that every later pause, freeze, or change of the
  // configuration or the line causes another turn. A halted queue is not planned, so its line is not read.
  const line = { id: queueId, repositoryId: before.id, waiting: before.waiting, tagged: before.tagged };
  const [queue, repository, holdRows, read] = await Promise.all([
    lockQueue(tx, queueId),
    tx.load(RepositoryEntity, before.id),
    readHoldRows(tx, before),
    before.haltedReason ? null : readForPlan(ctx, tx, line),
  ]);
  if (repository === null) throw new Error(`There is no repository ${before.id}.`);
  const holds = await readHoldsOf(tx, holdRows, { repository, baseBranch: queue.baseBranch });
  const work = startWork(ctx, tx, queue, repository);
  const newest = Math.max(queue.plannerVersion, versionOfConfiguration(repository));
  const mayPlan = newest <= plannerVersion;
  if (!mayPlan) logNewerPlanner(ctx, queue, { repository, newer: newest });
  const plannedVersion = queue.version;
  const planned = await decideAndWrite(work, { repository, holds, mayPlan, read, mayDecide: last === null });
  const hasChanged = work.events.length > 0 || work.relabelled.size > 0;
  await finishWork(work);
  await tx.em.flush();
  const nextLookAt = planned?.nextTurnAt ?? null;
  if (mayPlan) await scheduleNotifications(work, { repository, holds });
  // These share a round trip. The intents of notifications are planned first, so that the open work contains them. The
  // relay wakes the queue for notifications, because a timer in the workflow would add events to the workflow's history
  // in every turn.
  const [notifyAt, rows] = await Promise.all([
    mayPlan ? planDueNotifications(work, repository) : null,
    readOpenRows(ctx, tx, queueId),
  ]);
  const stopped = { halted: haltOf(repository, queue), isPaused: holds.pause !== null };
  const unbuilt = planned?.unbuilt ?? new Set();
  const open = toOpenWork(rows, { queue, repository, ...stopped, unbuilt }, work.now.getTime());
  const relayAt = earliest(nextLookAt, notifyAt, open.tryAgainAt, showDetailsAt(open.work, { before, last }, work.now));
  // The row of the queue gets both at once. An earlier deadline of a halted queue, or of a queue without its base
  // branch, must not stay in the row for ever.
  if (mayPlan) {
    Object.assign(queue, { plannedVersion, nextLookAt: relayAt === null ? null : new Date(relayAt) });
    await tx.em.flush();
  }
  const moreAt = open.hasMore ? work.now.getTime() : null;
  const isBehind =
    queue.version !== queue.plannedVersion || (queue.nextLookAt?.getTime() ?? Infinity) <= work.now.getTime();
  const advance = mayPlan
    ? { ...open.work, nextLookAt: earliest(nextLookAt, moreAt) }
    : { ...open.work, nextLookAt: null, isLeftToNewer: isBehind };
  const isQuiet =
    planned?.isQuiet === true && !hasChanged && !open.hasMore && unbuilt.size === 0 && isSameWork(before, rows);
  const { state } = advance.summary;
  const end = { effects: advance.effects.length, batches: rows.batches, nextLookAt: advance.nextLookAt, state };
  if (last !== null && (!isQuiet || leavesMore(end, last))) throw new WorkflowNeeded();
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
  return { advance, open: rows, kept: isQuiet ? kept : null };
}

/** When the relay wakes the workflow to show changed details. Null: they are shown. */
function showDetailsAt(
  { summary }: OpenWork,
  { before, last }: { readonly before: BeforeTurn; readonly last: LeftToWorkflow | null },
  now: Date,
): number | null {
  if (last === null || last.details === summary.details) return null;
  return earliest(before.relayAt, now.getTime() + showDetailsMs);
}

/** What a plan reads under the queue's lock before it decides anything. */
interface ReadForPlan extends LineRead {
  readonly facts: QueueFacts;
  readonly hasIdleBots: boolean;
}

async function readForPlan(ctx: Context, tx: Transaction, queue: LineOf): Promise<ReadForPlan> {
  const [line, facts, hasIdleBots] = await Promise.all([
    readKeptLine(ctx, tx, queue),
    readQueueFacts(ctx, tx, queue.id),
    hasIdleBotPullRequests(ctx, tx, queue.repositoryId),
  ]);
  return { ...line, facts, hasIdleBots };
}

/**
 * The version of the planner that is needed to plan by the configuration. 0: every version may, because even this
 * process can read it.
 */
function versionOfConfiguration(repository: RepositoryRow): number {
  return configurationProblem(repository) === null ? 0 : repository.plannerVersion;
}

/** The queues for which this process has logged that a newer version plans them. */
const loggedQueues = new WeakMap<Context['db'], Set<string>>();

/**
 * Logs, once for each queue, that this process leaves the queue alone. An operator then knows why an old worker is
 * idle.
 */
function logNewerPlanner(
  { db, log }: Context,
  { id, baseBranch }: QueueRow,
  { repository: of, newer }: { readonly repository: RepositoryRow; readonly newer: number },
): void {
  const logged = loggedQueues.get(db) ?? new Set<string>();
  if (logged.has(id)) return;
  loggedQueues.set(db, logged.add(id));
  log.warn(
    { repository: `${of.owner}/${of.name}`, baseBranch, plannerVersion, newer },
    'A worker with a newer version of Interlock plans this queue, or this worker cannot read a configuration that a newer version has saved, so this worker leaves the queue alone until it is upgraded.',
  );
}

/** What a turn has read under the queue's lock. */
interface PlannedOn {
  readonly repository: RepositoryRow;
  readonly holds: BranchHolds;
  /** Null: not read yet, because the queue was halted before the turn. */
  readonly read: ReadForPlan | null;
}

/** Plans the queue. Null: it was not planned, because it is halted, or is left to a newer version. */
async function decideAndWrite(
  work: QueueWork,
  of: PlannedOn & { readonly mayPlan: boolean; readonly mayDecide: boolean },
): Promise<Planned | null> {
  const { repository, mayPlan } = of;
  const { queue } = work;
  // The newer version may know keys of the configuration that this version does not know.
  if (!mayPlan) return null;
  const problem = configurationProblem(repository);
  if (problem !== null && !queue.haltedReason)
    haltWork(work, `The saved configuration is not valid any more: ${problem}`);
  if (haltOf(repository, queue) !== null) return null;
  if (!queue.baseTip) await endBuilds(work, repository);
  if (!queue.baseTip || !queue.baseTree) return null;
  queue.plannerVersion = plannerVersion;
  return await planQueue(work, of, { tip: queue.baseTip, tipTree: queue.baseTree });
}

interface Planned {
  /** When the queue takes its next turn without a wake. Null: only after a wake. Milliseconds since the epoch. */
  readonly nextTurnAt: number | null;
  /** Whether nothing was decided, and the queue does not wait for builds of other base branches. */
  readonly isQuiet: boolean;
  /** The ids of the batches whose workflows must open builds of their own now. */
  readonly unbuilt: ReadonlySet<string>;
}

/** Reads the snapshot, decides, and writes the decisions. */
async function planQueue(
  work: QueueWork,
  { repository, holds, read, mayDecide }: PlannedOn & { readonly mayDecide: boolean },
  base: { readonly tip: string; readonly tipTree: string },
): Promise<Planned> {
  const { ctx, tx, queue } = work;
  const now = work.now.getTime();
  const { configuration, rules } = rulesOf(repository, queue);
  const { facts, hasIdleBots, ...first } = read ?? (await readForPlan(ctx, tx, queue));
  const { hasChanged, ...line } = await reconsider(work, repository, first);
  if (hasChanged && !mayDecide) throw new WorkflowNeeded();
  // The lock shares the round trip of the snapshot, which counts the builds of the other queues.
  if (rules.maxParallelBuilds !== null) await lockBuildsOf(tx, queue.repositoryId);
  const known = { ...line, holds, facts };
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, ...base, isTurn: true, known });
  const decisions = await updateBeforeRequeue(work, configuration, plan(loaded.snapshot, now));
  if (!mayDecide && decisions.some(({ kind }) => kind !== 'PlanAgainAt')) throw new WorkflowNeeded();
  await writeDecisions(work, loaded, { decisions, configuration });
  const isEnding = decisions.some(({ kind }) => endsOfBatches.has(kind));
  if (hasIdleBots || isEnding) await releaseIdleBotPullRequests(work);
  if (isEnding) await wakeWaitingQueues(work);
  await planWaitingBackports(work);
  const updatesAt = await planUpdates(work, repository, configuration);
  const retriesAt = await planRetries(work, rules);
  const buildsAt = nextTurnForBuilds(loaded.snapshot, now);
  return {
    nextTurnAt: earliest(planAgainAt(decisions), buildsAt, retriesAt, updatesAt),
    isQuiet: !hasChanged && buildsAt === null && decisions.every(({ kind }) => kind === 'PlanAgainAt'),
    unbuilt: findUnbuiltBatches(loaded.snapshot, now),
  };
}

/**
 * Ends all builds, because the base branch was deleted or renamed. The builds cannot land, and they count towards
 * `max_parallel_builds` of the repository. If a landing has started, builds end after the landing.
 */
async function endBuilds(work: QueueWork, repository: RepositoryRow): Promise<void> {
  const { ctx, tx, queue } = work;
  const live = await tx.query(
    `select from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building') limit 1`,
    [ctx.accountId, queue.id],
  );
  if (live.length === 0) return;
  const { configuration, rules } = rulesOf(repository, queue);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: '', tipTree: '' });
  const { batches } = loaded.snapshot;
  if (batches.some((batch) => batch.landingStarted)) return;
  const decisions = batches.map(({ id }): Decision => {
    return { kind: 'SupersedeBatch', batch: id, code: 305, causedBy: null, failedBuild: null };
  });
  await writeDecisions(work, loaded, { decisions, configuration });
  await wakeWaitingQueues(work);
}

async function readMissingFacts(ctx: Context, before: BeforeTurn): Promise<void> {
  if (before.baseTip) await readMissingSignatures(ctx, before, before.baseTip);
  else await syncBase(ctx, toHostedRepository(before), before.baseBranch);
}

/**
 * Signatures are normally read together with a head. If signatures became required after a head was read, they are read
 * here, before the turn decides.
 */
async function readMissingSignatures(ctx: Context, known: BeforeTurn, base: string): Promise<void> {
  if (!configurationOf(known).merge_rules.preconditions.require_verified_commits) return;
  const host = toHostedRepository(known);
  const unread = await ctx.db.read<{ id: string; head: string }>(ctx.accountId, {
    name: 'signatures_unread',
    text: `select id, head_sha as head from pull_request
           where account_id = $1 and queue_id = $2 and ${isWanted} and verified_head is distinct from head_sha`,
    values: [ctx.accountId, known.queueId],
  });
  for (const { id, head } of unread) {
    const unverified = await hostClient(ctx, host).countUnverifiedCommits({ head, base, isForLanding: true });
    await ctx.db.transaction(
      ctx.accountId,
      async (tx) =>
        await tx.send(
          // The number is that for this base branch, which the pull request may have left meanwhile.
          `update pull_request set unverified_commits = $4, verified_head = $3
           where account_id = $1 and id = $2 and head_sha = $3 and queue_id = $5`,
          [ctx.accountId, id, head, unverified, known.queueId],
        ),
    );
  }
}

// `max_parallel_builds` limits all queues of a repository together, so a queue may wait for builds of another base
// branch. The queue in which a build ends wakes the waiting queues. In case a wake is lost, each waiting queue also
// takes a turn after this time.
const waitForBuildsMs = 60_000;

/**
 * When a queue that waits for builds of other queues takes its next turn. Null: it does not wait for builds of other
 * queues.
 */
function nextTurnForBuilds(snapshot: Snapshot, now: number): number | null {
  if (snapshot.queue.buildsElsewhere === 0) return null;
  const inBatches = new Set(snapshot.batches.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  return snapshot.pullRequests.every((pullRequest) => inBatches.has(pullRequest.id)) ? null : now + waitForBuildsMs;
}

const endsOfBatches: ReadonlySet<Decision['kind']> = new Set([
  'SupersedeBatch',
  'ReturnBatch',
  'BisectBatch',
  'FailBatch',
]);

/** Wakes the other queues of the repository after the commit, because a batch has ended and another build may start. */
async function wakeWaitingQueues({ ctx, tx, queue }: QueueWork): Promise<void> {
  // The other queues are not locked. If a wake is lost, the waiting queue still takes a turn after `waitForBuildsMs`.
  const waiting = await tx.query<{ id: string }>(
    'select id from queue where account_id = $1 and repository_id = $2 and id <> $3 and waiting + tagged > 0',
    [ctx.accountId, queue.repositoryId, queue.id],
  );
  for (const { id } of waiting) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: id }));
}
