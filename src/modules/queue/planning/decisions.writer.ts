// Carries the planner's decisions into rows: batches, statuses, landing intents, events. No rule lives here.
import { afterReorder, reorderText } from '../../../domain/queue/model/reordered.ts';
import { statusText } from '../../../domain/queue/model/status.ts';
import type { Configuration } from '../../../domain/configuration/keys.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { BatchMemberRow, BatchRow, PullRequestRow } from '../store/queue.entities.ts';
import { markBotPullRequestIdle } from './bot-pull-requests.reuse.ts';
import { pullRequestOf, startBatches } from './batch.start.ts';
import { planGate } from '../facts/final-gates.ts';
import { liveStates, loadNamed, type LoadedQueue } from './snapshot.loader.ts';
import { loadBotPullRequests, Resets } from './resets.events.ts';
import { pendAbove } from '../facts/stacks.ts';
import { announce, blockPullRequest, describe, writeStatus, type QueueWork } from '../store/status.writer.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import type { ReorderReason } from '../../../domain/queue/model/decision.ts';

type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

export async function writeDecisions(
  work: QueueWork,
  planned: LoadedQueue,
  decisions: readonly Decision[],
  configuration: Configuration,
): Promise<void> {
  const loaded = { ...(await loadNamed(work.tx, planned, decisions)), ...(await loadHolders(work, planned)) };
  const resets = new Resets(await loadBotPullRequests(work, decisions));
  const ended: { readonly batch: BatchRow; readonly text: string }[] = [];
  const starts = decisions.filter((decision) => decision.kind === 'StartBatch');
  let isDeparting = true;
  const announceDepartures = (): void => {
    if (isDeparting) {
      resets.announceAll(work, loaded);
      for (const { batch, text } of ended) announceBatch(work, loaded, batch, 'batch_failed', { message: text });
    }
    isDeparting = false;
  };
  for (const decision of decisions) {
    // What ended is told before what begins.
    if (decision.kind === 'StartBatch' || decision.kind === 'AnnounceTop') announceDepartures();
    switch (decision.kind) {
      case 'SupersedeBatch':
        resets.add(decision, decision.batch, supersede(work, loaded, decision));
        break;
      case 'BisectBatch':
        bisect(work, loaded, decision);
        break;
      case 'ReturnBatch':
        resets.add(
          { ...decision, causedBy: null, failedBuild: null },
          decision.batch,
          returnPart(work, loaded, decision),
        );
        break;
      case 'FailBatch':
        ended.push({ batch: endBatch(work, batchOf(loaded, decision.batch), 'failed', null), text: decision.text });
        break;
      case 'BlockPullRequest':
        blockPullRequest(work, pullRequestOf(loaded, decision.pullRequest), decision);
        break;
      case 'PendPullRequest':
        pendAbove(work, pullRequestOf(loaded, decision.pullRequest), pullRequestOf(loaded, decision.below));
        break;
      case 'RequeuePullRequest':
        resets.addRequeued(decision, requeue(work, pullRequestOf(loaded, decision.pullRequest)));
        break;
      case 'Reorder':
        reorder(work, pullRequestOf(loaded, decision.pullRequest), decision.reason);
        break;
      case 'StartBatch':
        if (decision === starts[0]) await startBatches(work, loaded, starts, configuration);
        break;
      case 'LandBatch':
        await planLandingIntent(work, decision);
        break;
      case 'RunGate': {
        const { commit } = batchOf(loaded, decision.batch);
        if (commit) await planGate(work, { batchId: decision.batch, workflow: decision.workflow, commit });
        break;
      }
      case 'AnnounceTop': {
        const pullRequest = pullRequestOf(loaded, decision.pullRequest);
        pullRequest.topAnnounced = true;
        announce(work, pullRequest, 'top_of_queue');
        break;
      }
      case 'AnnounceStuck': {
        const pullRequest = pullRequestOf(loaded, decision.pullRequest);
        pullRequest.stuckAnnounced = true;
        work.relabelled.add(pullRequest);
        announce(work, pullRequest, 'stuck');
        break;
      }
      case 'ReadChecks':
        await planReading(work, decision);
        break;
      case 'LookAgainAt':
        break;
      default:
        decision satisfies never;
    }
  }
  announceDepartures();
  await markEndedIdle(work, decisions, configuration);
  await voidLandings(work);
}

/** What ends without landing leaves its bot pull request to the next build of its members. */
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
  state: 'failed' | 'bisected' | 'superseded',
  code: number | null,
): BatchRow {
  batch.state = state;
  batch.resetCode = code;
  batch.endedAt = work.now;
  batch.endedReason = code === null ? null : statusText(code as Parameters<typeof statusText>[0]);
  return batch;
}

interface Written extends LoadedQueue {
  /** Live batches with a bot pull request, by member. Empty where nobody is in two of them. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
}

/** Who is in several speculative builds stays tagged while one of them is built. */
async function loadHolders({ ctx, tx, queue }: QueueWork, { batches }: LoadedQueue): Promise<Pick<Written, 'holders'>> {
  if (![...batches.values()].some(({ sideBuild }) => sideBuild === 'speculative')) return { holders: new Map() };
  const rows = await tx.query<{ batch: string; pullRequest: string }>(
    `select m.batch_id as batch, m.pull_request_id as "pullRequest"
     from batch b join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id
       join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
     where b.account_id = $1 and b.queue_id = $2 and b.state = any($3) and b.side_build is distinct from 'isolation'
       and bot.opened_at is not null and bot.closed_at is null`,
    [ctx.accountId, queue.id, [...liveStates]],
  );
  const holders = new Map<string, string[]>();
  for (const { batch, pullRequest } of rows) holders.set(pullRequest, [...(holders.get(pullRequest) ?? []), batch]);
  return { holders };
}

function isHeld({ holders, batches }: Written, pullRequest: PullRequestRow): boolean {
  const live: readonly string[] = liveStates;
  return (holders.get(pullRequest.id) ?? []).some((id) => live.includes(batches.get(id)?.state ?? ''));
}

/** Members that stand in a bot pull request go back to `queued`, in their places. Answers how many that were. */
function putBack(work: QueueWork, loaded: Written, batch: BatchRow): PullRequestRow[] {
  // It is tagged by its batch in the line, which a question says something about.
  if (batch.sideBuild === 'isolation') return [];
  const back = (loaded.members.get(batch.id) ?? []).flatMap(
    (member) => loaded.pullRequests.get(member.pullRequestId) ?? [],
  );
  const tagged = back.filter((row) => row.status === 'tagged' && !isHeld(loaded, row));
  for (const row of tagged) writeStatus(work, row, 'reset');
  return tagged;
}

function supersede(work: QueueWork, loaded: Written, decision: Of<'SupersedeBatch'>): PullRequestRow[] {
  const batch = endBatch(work, batchOf(loaded, decision.batch), 'superseded', decision.code);
  batch.causedBy = decision.causedBy;
  return putBack(work, loaded, batch);
}

function bisect(work: QueueWork, loaded: Written, decision: Of<'BisectBatch'>): void {
  const batch = endBatch(work, batchOf(loaded, decision.batch), 'bisected', null);
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
  announceBatch(work, loaded, batch, 'batch_bisected', {
    halves: decision.halves.map((half) => half.map((id) => pullRequestOf(loaded, id).number)),
    message: decision.text,
  });
}

function returnPart(work: QueueWork, loaded: Written, decision: Of<'ReturnBatch'>): PullRequestRow[] {
  const batch = endBatch(work, batchOf(loaded, decision.batch), 'superseded', decision.code);
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

/** Behind all that are in line: what was queued later is behind it. */
function reorder(work: QueueWork, row: PullRequestRow, reason: ReorderReason): void {
  Object.assign(row, { rank: work.queue.nextRank, ...afterReorder(row, reason) });
  work.queue.nextRank += 1;
  announce(work, row, 'reordered', {
    reason: reason.kind,
    failedChecks: reason.kind === 'failed' ? reason.failedChecks : [],
    probability: reason.kind === 'unlikely' ? reason.probability : null,
    text: reorderText(reason),
  });
}

/** One landing intent per batch. One that was voided at its gate, or found the base moved, is planned again. */
async function planLandingIntent(work: QueueWork, decision: Of<'LandBatch'>): Promise<void> {
  await work.tx.em.flush();
  await work.tx.query(
    `insert into intent (account_id, queue_id, batch_id, kind, key, payload, planned_at) values ($1, $2, $3, 'land', $4, $5, $6)
     on conflict (account_id, queue_id, kind, key) do update set state = 'planned', payload = excluded.payload, outcome = null, planned_at = excluded.planned_at
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

/** The host is asked once more for the checks of a commit; an answer that came earlier does not count. */
async function planReading(work: QueueWork, decision: Of<'ReadChecks'>): Promise<void> {
  await work.tx.query(
    `insert into intent (account_id, queue_id, kind, key, payload, planned_at) values ($1, $2, 'read_checks', $3, '{}', $4)
     on conflict (account_id, queue_id, kind, key) do update set state = 'planned', outcome = null, planned_at = excluded.planned_at
     where intent.state in ('done', 'failed')`,
    [work.ctx.accountId, work.queue.id, decision.commit, work.now.toISOString()],
  );
}

/** A planned landing whose batch is no longer live is void: its opposer's transaction wins. A begun one is never touched. */
export async function voidLandings(work: QueueWork): Promise<void> {
  await work.tx.em.flush();
  await work.tx.query(
    `update intent set state = 'void', concluded_at = $3, outcome = '{"reason": "superseded"}'
     where account_id = $1 and queue_id = $2 and kind = 'land' and state = 'planned'
       and not exists (select from batch b where b.account_id = $1 and b.id = intent.batch_id and b.state in ('building', 'landing'))`,
    [work.ctx.accountId, work.queue.id, work.now.toISOString()],
  );
}

export function announceBatch(
  work: QueueWork,
  loaded: Pick<LoadedQueue, 'members' | 'pullRequests'>,
  batch: BatchRow,
  action: string,
  extra: Readonly<Record<string, unknown>> = {},
): void {
  const members: readonly BatchMemberRow[] = loaded.members.get(batch.id) ?? [];
  const rows = members.flatMap((member) => loaded.pullRequests.get(member.pullRequestId) ?? []);
  work.events.push({
    repositoryId: batch.repositoryId,
    queueId: batch.queueId,
    batchId: batch.id,
    action,
    payload: {
      pullRequests: rows.map(describe),
      batchCommitSha: batch.mode === 'parallel' ? validatedCommit(batch) : null,
      ...extra,
    },
  });
}

/** A landing that rests on other builds was itself run by nobody; where it rests on several, no one commit says it all. */
function validatedCommit({ restsOn, testedCommit }: BatchRow): string | null {
  if (restsOn.length === 0) return testedCommit ?? null;
  return restsOn.length === 1 ? (restsOn[0] ?? null) : null;
}

export function lookAgainAt(decisions: readonly Decision[]): number | null {
  const instants = decisions.flatMap((decision) => (decision.kind === 'LookAgainAt' ? [decision.at] : []));
  return instants.length === 0 ? null : Math.min(...instants);
}
