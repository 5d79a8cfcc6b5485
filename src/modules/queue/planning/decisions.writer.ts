// Writes the planner's decisions into rows: batches, statuses, landing intents, events. This file has no rules.
import { recordReorder, reorderText } from '../../../domain/queue/model/reordered.ts';
import type { Decision, ReorderReason } from '../../../domain/queue/model/decision.ts';
import { statusText } from '../../../domain/queue/model/status.ts';
import type { Configuration } from '../../../domain/configuration/keys.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { BatchRow, PullRequestRow } from '../store/queue.entities.ts';
import { markBotPullRequestIdle } from './idle-bot-pull-requests.ts';
import { pullRequestOf, startBatches } from './batch.start.ts';
import { loadPullRequests, type LoadedQueue } from './snapshot.loader.ts';
import { loadBotPullRequests, Resets } from './resets.events.ts';
import { announceBatch, pullRequestsOf } from '../store/batch.events.ts';
import { voidLandings } from '../store/intents.ts';
import { waitsForBelow } from '../../../domain/queue/requests/stacks.ts';
import { liveStates } from '../store/batch.rows.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from '../store/status.writer.ts';

type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

export async function writeDecisions(
  work: QueueWork,
  planned: LoadedQueue,
  { decisions, configuration }: { readonly decisions: readonly Decision[]; readonly configuration: Configuration },
): Promise<void> {
  // These share round trips.
  const [withRows, openBuilds, botPullRequests] = await Promise.all([
    loadPullRequests(work.tx, planned, decisions),
    loadOpenBuilds(work, planned),
    loadBotPullRequests(work, decisions),
  ]);
  const loaded = { ...withRows, ...openBuilds };
  const resets = new Resets(botPullRequests);
  const starts = decisions.filter((decision) => decision.kind === 'StartBatch');
  const writing: Writing = { work, loaded, resets, ended: [] };
  let isDeparting = true;
  const announceDepartures = async (): Promise<void> => {
    if (isDeparting) {
      resets.announceAll(work, loaded);
      const isReset = ({ state }: BatchRow): boolean => state === 'superseded';
      announceResetBatches(work, loaded, [...loaded.batches.values()].filter(isReset));
      for (const { batch, text } of writing.ended)
        await announceBatch(work, loaded, { batch, action: 'batch_failed', extra: { message: text } });
    }
    isDeparting = false;
  };
  for (const decision of decisions) {
    // Ends of batches are announced before starts.
    if (decision.kind === 'StartBatch' || decision.kind === 'AnnounceTop') await announceDepartures();
    if (decision.kind !== 'StartBatch') await writeDecision(writing, decision);
    else if (decision === starts[0]) await startBatches(work, loaded, { decisions: starts, configuration });
  }
  await announceDepartures();
  await markEndedIdle(work, decisions, configuration);
  await voidLandings(work);
}

interface Writing {
  readonly work: QueueWork;
  readonly loaded: Written;
  readonly resets: Resets;
  /** Failed batches. Their events are added after all ends of batches are written. */
  readonly ended: { readonly batch: BatchRow; readonly text: string }[];
}

async function writeDecision(writing: Writing, decision: Exclude<Decision, { kind: 'StartBatch' }>): Promise<void> {
  const { work, loaded } = writing;
  switch (decision.kind) {
    case 'SupersedeBatch':
    case 'BisectBatch':
    case 'ReturnBatch':
    case 'FailBatch':
      return await writeEndOfBatch(writing, decision);
    case 'BlockPullRequest':
      return blockPullRequest(work, pullRequestOf(loaded, decision.pullRequest), decision);
    case 'PendPullRequest':
      return pendAbove(work, pullRequestOf(loaded, decision.pullRequest), pullRequestOf(loaded, decision.below));
    case 'RequeuePullRequest':
      return writing.resets.addRequeued(decision, requeue(work, pullRequestOf(loaded, decision.pullRequest)));
    case 'Reorder':
      return reorder(work, pullRequestOf(loaded, decision.pullRequest), decision.reason);
    case 'LandBatch':
      return await planLandingIntent(work, decision);
    case 'RunGate': {
      const { commit } = batchOf(loaded, decision.batch);
      if (commit) await planGate(work, { batchId: decision.batch, workflow: decision.workflow, commit });
      return;
    }
    case 'AnnounceTop':
      return announceTop(work, pullRequestOf(loaded, decision.pullRequest));
    case 'AnnounceStuck':
      return announceStuck(work, pullRequestOf(loaded, decision.pullRequest));
    case 'ReadChecks':
      return await planReading(work, decision);
    case 'PlanAgainAt':
      return;
    default:
      decision satisfies never;
  }
}

async function writeEndOfBatch(
  { work, loaded, resets, ended }: Writing,
  decision: Of<'SupersedeBatch' | 'BisectBatch' | 'ReturnBatch' | 'FailBatch'>,
): Promise<void> {
  switch (decision.kind) {
    case 'SupersedeBatch':
      return resets.add(decision, decision.batch, supersede(work, loaded, decision));
    case 'BisectBatch':
      return await bisect(work, loaded, decision);
    case 'ReturnBatch': {
      const returned = returnPart(work, loaded, decision);
      return resets.add({ ...decision, causedBy: null, failedBuild: null }, decision.batch, returned);
    }
    case 'FailBatch':
      ended.push({
        batch: endBatch(work, batchOf(loaded, decision.batch), { state: 'failed', code: null }),
        text: decision.text,
      });
      return;
    default:
      decision satisfies never;
  }
}

function announceTop(work: QueueWork, pullRequest: PullRequestRow): void {
  pullRequest.topAnnounced = true;
  announce(work, pullRequest, 'top_of_queue');
}

function announceStuck(work: QueueWork, pullRequest: PullRequestRow): void {
  pullRequest.stuckAnnounced = true;
  work.relabelled.add(pullRequest);
  announce(work, pullRequest, 'stuck');
}

/** The bot pull request of a batch that ended without landing is kept for the next build of its members. */
async function markEndedIdle(
  work: QueueWork,
  decisions: readonly Decision[],
  configuration: Configuration,
): Promise<void> {
  if (!configuration.merge_rules.merge_mode.parallel_mode.reuse_draft_pr_on_failure) return;
  await work.tx.em.flush();
  for (const decision of decisions)
    if (decision.kind === 'SupersedeBatch' || decision.kind === 'FailBatch' || decision.kind === 'BisectBatch')
      await markBotPullRequestIdle(work, decision.batch);
}

function batchOf(loaded: LoadedQueue, id: string): BatchRow {
  const row = loaded.batches.get(id);
  if (row === undefined) throw new DomainError('INTERNAL', `The plan names batch ${id}, which is not live.`);
  return row;
}

function endBatch(
  work: QueueWork,
  batch: BatchRow,
  {
    state,
    code,
  }: {
    readonly state: 'failed' | 'bisected' | 'superseded';
    readonly code: Of<'SupersedeBatch' | 'ReturnBatch'>['code'] | null;
  },
): BatchRow {
  batch.state = state;
  batch.resetCode = code;
  batch.endedAt = work.now;
  batch.endedReason = code === null ? null : statusText(code);
  return batch;
}

interface Written extends LoadedQueue {
  /**
   * The ids of live batches that have an open bot pull request, by pull request. Empty if there are no speculative
   * builds.
   */
  readonly openBuilds: ReadonlyMap<string, readonly string[]>;
}

/** A member of several speculative builds stays tagged as long as one of these builds is live. */
async function loadOpenBuilds(
  { ctx, tx, queue }: QueueWork,
  { batches }: LoadedQueue,
): Promise<Pick<Written, 'openBuilds'>> {
  if (![...batches.values()].some(({ sideBuild }) => sideBuild === 'speculative')) return { openBuilds: new Map() };
  const rows = await tx.query<{ batch: string; pullRequest: string }>(
    `select m.batch_id as batch, m.pull_request_id as "pullRequest"
     from batch b join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id
       join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
     where b.account_id = $1 and b.queue_id = $2 and b.state = any($3) and b.side_build is distinct from 'isolation'
       and bot.opened_at is not null and bot.closed_at is null`,
    [ctx.accountId, queue.id, [...liveStates]],
  );
  const openBuilds = new Map<string, string[]>();
  for (const { batch, pullRequest } of rows)
    openBuilds.set(pullRequest, [...(openBuilds.get(pullRequest) ?? []), batch]);
  return { openBuilds };
}

function hasLiveBuild({ openBuilds, batches }: Written, pullRequest: PullRequestRow): boolean {
  const live: readonly string[] = liveStates;
  return (openBuilds.get(pullRequest.id) ?? []).some((id) => live.includes(batches.get(id)?.state ?? ''));
}

/**
 * Sets members that are tagged, and in no other live build, back to `queued` in their places. Returns these members.
 */
function putBack(work: QueueWork, loaded: Written, batch: BatchRow): PullRequestRow[] {
  // An isolation build did not tag the pull request; its batch in line did. So the end of an isolation build changes no
  // status.
  if (batch.sideBuild === 'isolation') return [];
  const tagged = pullRequestsOf(loaded, batch).filter((row) => row.status === 'tagged' && !hasLiveBuild(loaded, row));
  for (const row of tagged) writeStatus(work, row, 'reset');
  return tagged;
}

/** The event `reset` is about pull requests; this event is about a batch. */
function announceResetBatches(work: QueueWork, loaded: Written, batches: readonly BatchRow[]): void {
  for (const batch of batches)
    work.events.push({
      repositoryId: batch.repositoryId,
      queueId: batch.queueId,
      batchId: batch.id,
      action: 'batch_reset',
      payload: {
        pullRequests: pullRequestsOf(loaded, batch).map(({ number }) => number),
        resetCode: batch.resetCode ?? null,
      },
    });
}

function supersede(work: QueueWork, loaded: Written, decision: Of<'SupersedeBatch'>): PullRequestRow[] {
  const batch = endBatch(work, batchOf(loaded, decision.batch), { state: 'superseded', code: decision.code });
  batch.causedBy = decision.causedBy;
  return putBack(work, loaded, batch);
}

async function bisect(work: QueueWork, loaded: Written, decision: Of<'BisectBatch'>): Promise<void> {
  const batch = endBatch(work, batchOf(loaded, decision.batch), { state: 'bisected', code: null });
  putBack(work, loaded, batch);
  for (const half of decision.halves) {
    for (const id of half) {
      const row = pullRequestOf(loaded, id);
      row.bisectionGroup = decision.group;
      row.bisectionMax = decision.halves[0]?.length ?? 1;
      row.bisectionAttempts = decision.attempts;
      row.bisectionPhase = decision.phase;
    }
  }
  const halves = decision.halves.map((half) => half.map((id) => pullRequestOf(loaded, id).number));
  await announceBatch(work, loaded, { batch, action: 'batch_bisected', extra: { halves, message: decision.text } });
}

function returnPart(work: QueueWork, loaded: Written, decision: Of<'ReturnBatch'>): PullRequestRow[] {
  const batch = endBatch(work, batchOf(loaded, decision.batch), { state: 'superseded', code: decision.code });
  if (batch.sideBuild !== 'part') return putBack(work, loaded, batch);
  for (const member of loaded.members.get(batch.id) ?? []) {
    const row = loaded.pullRequests.get(member.pullRequestId);
    if (row !== undefined) row.bisectionPhase = 'returned';
  }
  return putBack(work, loaded, batch);
}

function requeue(work: QueueWork, row: PullRequestRow): PullRequestRow {
  if (row.status === 'tagged') writeStatus(work, row, 'reset');
  row.requeueAttempts += 1;
  return row;
}

/** Moves the pull request behind all others in line. Pull requests that enter the line later are behind it. */
function reorder(work: QueueWork, row: PullRequestRow, reason: ReorderReason): void {
  Object.assign(row, { rank: work.queue.nextRank, ...recordReorder(row, reason) });
  work.queue.nextRank += 1;
  announce(work, row, 'reordered', {
    reason: reason.kind,
    failedChecks: reason.kind === 'failed' ? reason.failedChecks : [],
    probability: reason.kind === 'unlikely' ? reason.probability : null,
    text: reorderText(reason),
  });
}

/**
 * Plans to land a batch. A batch has one such intent. The intent is planned again if it was voided by the gate, or if
 * it failed because the base branch had moved.
 */
async function planLandingIntent(work: QueueWork, decision: Of<'LandBatch'>): Promise<void> {
  await work.tx.em.flush();
  await work.tx.send(
    `insert into intent (account_id, queue_id, batch_id, kind, key, payload, planned_at) values ($1, $2, $3, 'land', $4, $5, $6)
     on conflict (account_id, queue_id, kind, key) do update set state = 'planned', payload = excluded.payload, outcome = null,
       planned_at = excluded.planned_at, started_at = null, concluded_at = null
     where intent.state in ('void', 'failed')`,
    [
      work.ctx.accountId,
      work.queue.id,
      decision.batch,
      decision.batch,
      JSON.stringify({ evidence: decision.evidence }),
      work.now.toISOString(),
    ],
  );
}

/** Plans to read the checks of a commit from the host once more, even if they were read before. */
async function planReading(work: QueueWork, decision: Of<'ReadChecks'>): Promise<void> {
  await work.tx.send(
    `insert into intent (account_id, queue_id, kind, key, payload, planned_at) values ($1, $2, 'read_checks', $3, '{}', $4)
     on conflict (account_id, queue_id, kind, key) do update set state = 'planned', outcome = null, planned_at = excluded.planned_at, concluded_at = null
     where intent.state in ('done', 'failed')`,
    [work.ctx.accountId, work.queue.id, decision.commit, work.now.toISOString()],
  );
}

/** When the decisions need the next turn. Milliseconds since the epoch. Null: only after a wake. */
export function planAgainAt(decisions: readonly Decision[]): number | null {
  const instants = decisions.flatMap((decision) => (decision.kind === 'PlanAgainAt' ? [decision.at] : []));
  return instants.length === 0 ? null : Math.min(...instants);
}

async function planGate(
  { ctx, tx, queue, now }: QueueWork,
  gate: { readonly batchId: string; readonly workflow: string; readonly commit: string },
): Promise<void> {
  await tx.send(
    `with planned as (
       insert into gate_run (account_id, repository_id, queue_id, batch_id, workflow, commit, planned_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id)
     insert into intent (account_id, queue_id, batch_id, kind, key, payload, planned_at)
     select $1, $3, $4, 'run_gate', id::text, jsonb_build_object('workflow', $5::text), $7 from planned
     on conflict do nothing`,
    [ctx.accountId, queue.repositoryId, queue.id, gate.batchId, gate.workflow, gate.commit, now.toISOString()],
  );
}

function pendAbove(work: QueueWork, row: PullRequestRow, below: PullRequestRow): void {
  writeStatus(work, row, 'pend', { code: null, text: waitsForBelow(below), actor: 'author' });
}
