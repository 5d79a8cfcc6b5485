// What a restored database does not know of its repositories, read from both sides and changing neither.
import { systemContext, type Context, type Ports } from '../../../context.ts';
import type { HostCommit } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { findArrivals, readUnrecordedLine, type Arrival, type Candidate } from './out-of-band-merges.ts';
import { botBranch } from '../store/batch.rows.ts';
import { rulesOf } from '../store/configuration.cache.ts';
import { hosted, type HostedRepository } from '../store/hosted-repository.ts';
import { PullRequestEntity, QueueEntity, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';
import { ensureQueue } from '../store/queue.locks.ts';
import { landingRef, landingRefs } from '../facts/landing-refs.ts';
import { findUnknownLandings, restoredReason, type UnknownLanding } from '../facts/unknown-landings.ts';

const branches = 'refs/heads/';
const numberedRefs = [
  [landingRefs, landingRefs],
  ['refs/interlock/builds/', 'refs/interlock/builds/'],
  [branches, `${branches}${botBranch('')}`],
] as const;

/** A landing without a record, with what it brought. */
export interface FoundLanding {
  readonly ref: string;
  readonly commit: HostCommit;
  readonly arrivals: readonly Arrival[];
}

export interface QueueSurvey {
  readonly queueId: string;
  readonly baseBranch: string;
  readonly isHalted: boolean;
  readonly landings: readonly FoundLanding[];
  /** Pull requests that came with a commit which is no landing: somebody pushed them. */
  readonly pushed: readonly Arrival[];
  /** Live batches no landing is begun for. */
  readonly liveBatches: number;
  /** Begun landings whose number another batch has landed under: they can never land. */
  readonly impossible: readonly string[];
}

export interface StrayBranch {
  readonly ref: string;
  readonly commit: string;
}

export interface RepositorySurvey {
  readonly ctx: Context;
  readonly host: HostedRepository;
  readonly repository: string;
  readonly queues: readonly QueueSurvey[];
  /** Branches of bot pull requests that no batch knows. */
  readonly strays: readonly StrayBranch[];
}

export interface Survey {
  readonly repositories: readonly RepositorySurvey[];
  /** The highest batch id that any ref names; '0' without one. */
  readonly highestBatch: string;
  /** Something shows that the database is older than a repository. */
  readonly isNeeded: boolean;
}

export async function surveyInstallation(ports: Ports): Promise<Survey> {
  const rows = await ports.db.system.query<{ account_id: string; id: string }>(
    'select account_id, id from repository where deleted_at is null order by id',
  );
  const repositories: RepositorySurvey[] = [];
  let highest = 0n;
  for (const { account_id, id } of rows) {
    const ctx = systemContext(ports, account_id);
    const row = await ctx.db.transaction(account_id, async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id }));
    for (const batch of await readBatchNumbers(ctx, hosted(row))) highest = batch > highest ? batch : highest;
    repositories.push(await surveyRepository(ctx, row));
  }
  const given = await readHighestGiven(ports);
  const isOlder = repositories.some(
    ({ queues, strays }) =>
      strays.length > 0 || queues.some(({ isHalted, landings }) => isHalted || landings.length > 0),
  );
  return { repositories, highestBatch: String(highest), isNeeded: isOlder || highest > given };
}

async function readHighestGiven(ports: Ports): Promise<bigint> {
  return await ports.db.system.transaction(async (query) => {
    // Sequences belong to whoever migrated: the user of the connection, not its role.
    await query('set local role none');
    const [row] = await query<{ highest: string | null }>(
      `select pg_sequence_last_value(pg_get_serial_sequence('batch', 'id')::regclass)::text as highest`,
    );
    return BigInt(row?.highest ?? 0);
  });
}

async function readBatchNumbers(ctx: Context, host: HostedRepository): Promise<bigint[]> {
  const ids: string[] = [];
  for (const [folder, prefix] of numberedRefs) {
    for (const { ref } of await ctx.hosts(host.host).listRefs(host, folder))
      if (ref.startsWith(prefix)) ids.push(ref.slice(prefix.length));
  }
  return ids.filter((id) => /^\d{1,18}$/.test(id)).map(BigInt);
}

async function surveyRepository(ctx: Context, row: RepositoryRow): Promise<RepositorySurvey> {
  const host = hosted(row);
  const unknown = await findUnknownLandings(ctx, host);
  const rows = await ctx.db.transaction(ctx.accountId, async (tx) => {
    // A landing belongs to a queue: that of the default branch, where no other is known any more.
    if (unknown.length > 0) await ensureQueue(ctx, tx, row.id, row.defaultBranch);
    return await tx.em.find(QueueEntity, { repositoryId: row.id }, { orderBy: { id: 'asc' } });
  });
  const left = new Map(unknown.map((landing) => [landing.commit, landing]));
  const queues: QueueSurvey[] = [];
  for (const queue of rows) queues.push(await surveyQueue(ctx, { host, row, queue, unknown: left }));
  return {
    ctx,
    host,
    repository: `${row.owner}/${row.name}`,
    queues: await withOrphans(ctx, host, queues, { defaultBranch: row.defaultBranch, orphans: [...left.values()] }),
    strays: await findStrays(ctx, host),
  };
}

/** Landings on a branch that is gone, or on one with no queue any more: kept on record, bringing nothing. */
async function withOrphans(
  ctx: Context,
  host: HostedRepository,
  queues: readonly QueueSurvey[],
  { defaultBranch, orphans }: { readonly defaultBranch: string; readonly orphans: readonly UnknownLanding[] },
): Promise<QueueSurvey[]> {
  const found: FoundLanding[] = [];
  for (const { ref, commit } of orphans) {
    const read = await ctx.hosts(host.host).readCommit(host, commit);
    if (read !== null) found.push({ ref, commit: read, arrivals: [] });
  }
  return queues.map((queue) =>
    queue.baseBranch === defaultBranch ? { ...queue, landings: [...queue.landings, ...found] } : queue,
  );
}

interface QueueAt {
  readonly host: HostedRepository;
  readonly row: RepositoryRow;
  readonly queue: QueueRow;
  /** By commit; those found on this base are taken out. */
  readonly unknown: Map<string, UnknownLanding>;
}

async function surveyQueue(ctx: Context, { host, row, queue, unknown }: QueueAt): Promise<QueueSurvey> {
  const { baseBranch } = queue;
  const recorded = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ commit: string }>('select commit from landing where account_id = $1 and queue_id = $2', [
        ctx.accountId,
        queue.id,
      ]),
  );
  const known = new Set([...recorded.map(({ commit }) => commit), ...(queue.baseTip ? [queue.baseTip] : [])]);
  const line = await readUnrecordedLine(ctx, host, {
    branch: baseBranch,
    managedFrom: queue.managedFrom ?? null,
    known,
    unknown: new Set(unknown.keys()),
  });
  const begun = await readBegun(ctx, host, queue.id);
  const remembered = await readRemembered(
    ctx,
    line.filter(({ commit }) => unknown.has(commit)).map(({ commit }) => commit),
  );
  const settled = new Set([...remembered.map(({ pullRequestId }) => pullRequestId), ...begun.landedMembers]);
  const candidates =
    line.length === 0 ? [] : await readCandidates(ctx, host, queue.id, new Date(line[0]?.authoredAt ?? 0));
  const arrivals = [
    ...remembered,
    ...(await findArrivals(
      ctx,
      host,
      line,
      candidates.filter(({ pullRequestId }) => !settled.has(pullRequestId)),
    )),
  ];
  const isLinear = rulesOf(row, queue.hostRequiredChecks).rules.batchCommit === 'linear';
  const { landings, pushed } = attribute({ line, unknown, arrivals, isLinear });
  for (const { commit } of landings) unknown.delete(commit.commit);
  return {
    queueId: queue.id,
    baseBranch,
    landings,
    pushed,
    isHalted: queue.haltedReason?.startsWith(restoredReason) ?? false,
    liveBatches: await countLive(ctx, queue.id),
    impossible: begun.impossible,
  };
}

/** With linear history a landing puts its members on the line before its last commit; otherwise each has its own commit. */
function attribute({
  line,
  unknown,
  arrivals,
  isLinear,
}: {
  line: readonly HostCommit[];
  unknown: ReadonlyMap<string, UnknownLanding>;
  arrivals: readonly Arrival[];
  isLinear: boolean;
}): Pick<QueueSurvey, 'landings' | 'pushed'> {
  const landings: FoundLanding[] = [];
  const pushed: Arrival[] = [];
  let waiting: Arrival[] = [];
  for (const commit of line) {
    const landing = unknown.get(commit.commit);
    const here = arrivals.filter((arrival) => arrival.commit === commit.commit);
    if (landing !== undefined) {
      landings.push({
        ref: landing.ref,
        commit,
        arrivals: [...waiting, ...here].map((arrival) => ({ ...arrival, commit: commit.commit })),
      });
      waiting = [];
    } else if (isLinear) waiting.push(...here);
    else pushed.push(...here);
  }
  return { landings, pushed: [...pushed, ...waiting] };
}

/** Members of batches whose rows were saved and which landed afterwards: nothing has to be told from git. */
async function readRemembered(ctx: Context, commits: readonly string[]): Promise<Arrival[]> {
  return await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<Arrival & { pullRequestId: string }>(
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
  queueId: string,
  since: Date,
): Promise<Candidate[]> {
  const present = new Map(
    (await ctx.hosts(host.host).listOpenPullRequests(host)).map(({ number, headSha }) => [number, headSha]),
  );
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    // A branch deleted after its landing looks like a pull request closed since.
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

/** Landings past their gate. The queue itself ends them by reading the host, except those whose number was used by another batch. */
async function readBegun(
  ctx: Context,
  host: HostedRepository,
  queueId: string,
): Promise<{ impossible: string[]; landedMembers: string[] }> {
  const begun = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ intent_id: string; batch_id: string; commit: string; members: string[] }>(
        `select i.id as intent_id, b.id as batch_id, b.commit, array(select m.pull_request_id::text from batch_member m where m.account_id = $1 and m.batch_id = b.id) as members
       from intent i join batch b on b.account_id = i.account_id and b.id = i.batch_id
       where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'begun'`,
        [ctx.accountId, queueId],
      ),
  );
  const impossible: string[] = [];
  const landedMembers: string[] = [];
  for (const { intent_id, batch_id, commit, members } of begun) {
    const ref = await ctx.hosts(host.host).readRef(host, landingRef(batch_id));
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

async function findStrays(ctx: Context, host: HostedRepository): Promise<StrayBranch[]> {
  // The refs first: a batch's row is there before its branch.
  const refs = await ctx.hosts(host.host).listRefs(host, branches);
  const batches = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ id: string; branch: string | null }>(
        `select b.id, bot.branch from batch b
         left join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id and bot.closed_at is null
         where b.account_id = $1 and b.repository_id = $2 and (b.cleaned_up_at is null or bot.idle)`,
        [ctx.accountId, host.id],
      ),
  );
  const known = new Set(batches.map(({ id, branch }) => `${branches}${branch ?? botBranch(id)}`));
  return refs.filter(({ ref }) => ref.startsWith(`${branches}mq-`) && !known.has(ref));
}
