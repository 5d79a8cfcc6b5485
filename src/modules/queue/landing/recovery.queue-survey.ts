// Finds what a repository has and the rows of a queue lack. This file changes nothing.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, type HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { findOutOfBandMerges, readUnrecordedLine, type OutOfBandMerge, type Candidate } from './out-of-band-merges.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';
import { landingRef } from '../facts/landing-refs.ts';
import { restoredReason, type UnknownLanding } from '../facts/unknown-landings.ts';

/** A landing without a row, with its pull requests. */
export interface FoundLanding {
  readonly ref: string;
  readonly commit: HostCommit;
  readonly merges: readonly OutOfBandMerge[];
}

export interface QueueSurvey {
  readonly queueId: string;
  readonly baseBranch: string;
  readonly isHalted: boolean;
  readonly landings: readonly FoundLanding[];
  /** Pull requests in commits that are not landings. Somebody pushed these commits. */
  readonly pushed: readonly OutOfBandMerge[];
  /** The number of live batches without a started landing. */
  readonly liveBatches: number;
  /** Ids of the intents of started landings that can never land, because another batch has landed with the same id. */
  readonly impossible: readonly string[];
}

interface QueueAt {
  readonly host: HostedRepository;
  readonly row: RepositoryRow;
  readonly queue: QueueRow;
  /** The landings without rows, by commit. The survey removes the landings that it finds on this base branch. */
  readonly unknown: Map<string, UnknownLanding>;
}

export async function surveyQueue(ctx: Context, { host, row, queue, unknown }: QueueAt): Promise<QueueSurvey> {
  const { baseBranch } = queue;
  const known = new Set([...(await readRecorded(ctx, queue.id)), ...(queue.baseTip ? [queue.baseTip] : [])]);
  const line = await readUnrecordedLine(ctx, host, {
    branch: baseBranch,
    managedFrom: queue.managedFrom ?? null,
    known,
    unknown: new Set(unknown.keys()),
  });
  const started = await readStarted(ctx, host, queue.id);
  const knownMembers = await readKnownMembers(
    ctx,
    line.filter(({ commit }) => unknown.has(commit)).map(({ commit }) => commit),
  );
  const settled = new Set([...knownMembers.map(({ pullRequestId }) => pullRequestId), ...started.landedMembers]);
  const candidates =
    line.length === 0
      ? []
      : await readCandidates(ctx, host, { queueId: queue.id, since: new Date(line[0]?.authoredAt ?? 0) });
  const merges = [
    ...knownMembers,
    ...(await findOutOfBandMerges(ctx, host, {
      line,
      candidates: candidates.filter(({ pullRequestId }) => !settled.has(pullRequestId)),
    })),
  ];
  const isLinear = rulesOf(row, queue).rules.batchCommit === 'linear';
  const { landings, pushed } = assignToLandings({ line, unknown, merges, isLinear });
  for (const { commit } of landings) unknown.delete(commit.commit);
  return {
    queueId: queue.id,
    baseBranch,
    landings,
    pushed,
    isHalted: queue.haltedReason?.startsWith(restoredReason) ?? false,
    liveBatches: await countLive(ctx, queue.id),
    impossible: started.impossible,
  };
}

/** The commits of the landings of the queue that have a row. */
async function readRecorded(ctx: Context, queueId: string): Promise<readonly string[]> {
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ commit: string }>('select commit from landing where account_id = $1 and queue_id = $2', [
        ctx.accountId,
        queueId,
      ]),
  );
  return rows.map(({ commit }) => commit);
}

/**
 * Assigns pull requests to landings. With linear history a landing has several commits on the line, and its earlier
 * members are in the commits before its last one. Otherwise all members are in the one commit of the landing.
 */
function assignToLandings({
  line,
  unknown,
  merges,
  isLinear,
}: {
  line: readonly HostCommit[];
  unknown: ReadonlyMap<string, UnknownLanding>;
  merges: readonly OutOfBandMerge[];
  isLinear: boolean;
}): Pick<QueueSurvey, 'landings' | 'pushed'> {
  const landings: FoundLanding[] = [];
  const pushed: OutOfBandMerge[] = [];
  let waiting: OutOfBandMerge[] = [];
  for (const commit of line) {
    const landing = unknown.get(commit.commit);
    const ofCommit = merges.filter((merge) => merge.commit === commit.commit);
    if (landing !== undefined) {
      landings.push({
        ref: landing.ref,
        commit,
        merges: [...waiting, ...ofCommit].map((merge) => ({ ...merge, commit: commit.commit })),
      });
      waiting = [];
    } else if (isLinear) waiting.push(...ofCommit);
    else pushed.push(...ofCommit);
  }
  return { landings, pushed: [...pushed, ...waiting] };
}

/** The members of batches that the backup has and that landed later. Git is not needed to find them. */
async function readKnownMembers(ctx: Context, commits: readonly string[]): Promise<OutOfBandMerge[]> {
  return await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<OutOfBandMerge & { pullRequestId: string }>(
        `select m.pull_request_id as "pullRequestId", p.number, m.pinned_head as head, b.commit, coalesce(m.own_commit, b.commit) as own
       from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
                    join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
       where b.account_id = $1 and b.commit = any($2) order by b.id, m.ordinal`,
        [ctx.accountId, commits],
      ),
  );
}

async function readCandidates(
  ctx: Context,
  host: HostedRepository,
  { queueId, since }: { readonly queueId: string; readonly since: Date },
): Promise<Candidate[]> {
  const present = new Map(
    (await hostClient(ctx, host).listOpenPullRequests()).map(({ number, headSha }) => [number, headSha]),
  );
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    // If its branch was deleted after its landing, a pull request may look as if it had been closed since the backup.
    const rows = await tx.em.find(
      PullRequestEntity,
      { queueId, $or: [{ status: { $nin: ['merged', 'closed'] } }, { status: 'closed', closedAt: { $gte: since } }] },
      { orderBy: { rank: 'asc nulls last', id: 'asc' } },
    );
    const pinned = await readPinned(ctx, tx, rows);
    return rows.map((row) => ({
      pullRequestId: row.id,
      number: row.number,
      heads: [pinned.get(row.id), row.headSha, present.get(row.number)].filter((head) => head !== undefined),
      isInLine: row.status === 'queued' || row.status === 'tagged' || row.status === 'pending',
    }));
  });
}

async function readPinned(
  ctx: Context,
  tx: Transaction,
  rows: readonly PullRequestRow[],
): Promise<Map<string, string>> {
  const pinned = await tx.query<{ pull_request_id: string; pinned_head: string }>(
    `select distinct on (pull_request_id) pull_request_id, pinned_head from batch_member
     where account_id = $1 and pull_request_id = any($2) order by pull_request_id, batch_id desc`,
    [ctx.accountId, rows.map((row) => row.id)],
  );
  return new Map(pinned.map((row) => [row.pull_request_id, row.pinned_head]));
}

/**
 * Reads the started landings. The queue ends them by reading the host, unless another batch landed with the same id.
 */
async function readStarted(
  ctx: Context,
  host: HostedRepository,
  queueId: string,
): Promise<{ impossible: string[]; landedMembers: string[] }> {
  const started = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ intent_id: string; batch_id: string; commit: string; members: string[] }>(
        `select i.id as intent_id, b.id as batch_id, b.commit, array(select m.pull_request_id::text from batch_member m where m.account_id = $1 and m.batch_id = b.id) as members
       from intent i join batch b on b.account_id = i.account_id and b.id = i.batch_id
       where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'started'`,
        [ctx.accountId, queueId],
      ),
  );
  const impossible: string[] = [];
  const landedMembers: string[] = [];
  for (const { intent_id, batch_id, commit, members } of started) {
    const ref = await hostClient(ctx, host).readRef(landingRef(batch_id));
    if (ref?.commit === commit) landedMembers.push(...members);
    else if (ref !== null) impossible.push(intent_id);
  }
  return { impossible, landedMembers };
}

async function countLive(ctx: Context, queueId: string): Promise<number> {
  const [row] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ n: number }>(
        `select count(*)::int as n from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building', 'landing')`,
        [ctx.accountId, queueId],
      ),
  );
  return row?.n ?? 0;
}
