// Reads a queue as it was at an instant, from the versions that explanations of the past use.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { inLineOrder } from '../../../domain/queue/model/order.ts';
import type { Transaction } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';
import type { Repository } from '../../repositories/repositories.types.ts';
import type { liveStates } from '../store/batch.rows.ts';
import { loadQueueAsOf } from './as-of.loader.ts';
import { batchColumns, batchSource, type BatchPage } from './batches.reads.ts';
import type { Batch } from './batches.types.ts';
import type { LinePage } from './line.reads.ts';
import type { QueueEntry } from './line.types.ts';
import { pullRequestColumns } from './pull-requests.columns.ts';
import { addRepository, readPullRequestsById } from './pull-requests.reads.ts';
import type { PullRequest } from './pull-requests.types.ts';
import { readQueue } from './queue.reads.ts';
import type { PastQueue, Queue } from './queue.types.ts';

/** Null: there was no queue at that instant, or the instant is not on record any more. */
export async function readQueueAsOf(
  ctx: Context,
  repository: Repository,
  { baseBranch, asOf }: { readonly baseBranch: string; readonly asOf: Date },
): Promise<Queue | null> {
  if (asOf > ctx.clock()) throw new DomainError('BAD_INPUT', 'asOf must not be in the future.', 'asOf');
  const queue = await readQueue(ctx, repository, baseBranch);
  if (queue === null) return null;
  const found = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await loadQueueAsOf(ctx, tx, { queueId: queue.id, at: asOf }),
  );
  if (found === null) return null;
  const { tip, haltedReason, haltedAt, view } = found;
  const taggedCount = view.snapshot.pullRequests.filter(({ status }) => status === 'tagged').length;
  return Object.assign(queue, {
    baseTip: tip === '' ? null : tip,
    haltedReason,
    haltedAt: haltedAt === null ? null : new Date(haltedAt),
    waitingCount: view.snapshot.pullRequests.length - taggedCount,
    taggedCount,
    asOf,
    past: { ...found, at: asOf },
  });
}

interface Placed {
  readonly id: string;
  readonly position: number;
  readonly rank: number;
  readonly behind: number;
}

/** `page` null: the whole line. */
export async function readPastLine(
  ctx: Context,
  queue: Queue,
  { past, page }: { readonly past: PastQueue; readonly page: LinePage | null },
): Promise<QueueEntry[]> {
  requireScope(ctx, 'queue:read');
  const placed = inLineOrder(past.view.snapshot.pullRequests).map(
    ({ id, rank, skipLine }, at): Placed => ({ id, rank, position: at + 1, behind: skipLine ? 0 : 1 }),
  );
  const [behind, rank] = page?.after ?? [-1, 0];
  const isLater = (each: Placed): boolean =>
    each.position >= (page?.from ?? 1) &&
    (each.behind > Number(behind) || (each.behind === behind && each.rank > Number(rank)));
  const shown = page === null ? placed : placed.filter(isLater).slice(0, page.size + 1);
  const rows = await readPastPullRequests(ctx, queue, { past, placed: shown });
  return shown.flatMap((each) => {
    const pullRequest = rows.get(each.id);
    return pullRequest === undefined ? [] : [{ position: each.position, rank: each.rank, pullRequest, asOf: past.at }];
  });
}

type PastRow = Omit<PullRequest, 'repository' | 'latestBot'>;

async function readPastPullRequests(
  ctx: Context,
  { repository }: Queue,
  { past: { at }, placed }: { readonly past: PastQueue; readonly placed: readonly Placed[] },
): Promise<Map<string, PullRequest>> {
  if (placed.length === 0) return new Map();
  const ids = placed.map(({ id }) => id);
  const rows = await ctx.db.transaction(ctx.accountId, async (tx) => await readVersionsAt(ctx, tx, { ids, at }));
  // Versions of the past have no title and no description, so the present ones are used.
  const now = new Map((await readPullRequestsById(ctx, ids)).map((row) => [row.id, row]));
  const positions = new Map(placed.map(({ id, position }) => [id, position]));
  return new Map(
    addRepository(rows, repository).map((row) => {
      const { title = '', body = '' } = now.get(row.id) ?? {};
      return [row.id, { ...row, title, body, past: { at, position: positions.get(row.id) ?? null } }];
    }),
  );
}

async function readVersionsAt(
  ctx: Context,
  tx: Transaction,
  { ids, at }: { readonly ids: readonly string[]; readonly at: Date },
): Promise<PastRow[]> {
  return await tx.query<PastRow>(
    `select ${pullRequestColumns}
     from unnest($2::bigint[]) as asked (one), lateral (
       select * from (
         select n.* from pull_request n where n.account_id = $1 and n.id = asked.one
         union all
         select r.* from pull_request_past v, jsonb_populate_record(null::pull_request, v.facts) r
         where v.account_id = $1 and v.pull_request_id = asked.one) stood
       where stood.version_since <= $3 order by stood.version_since desc limit 1) p`,
    [ctx.accountId, ids, at.toISOString()],
  );
}

/** How many of the batches that ended last are searched for the newest batch. A queue never has more live batches. */
const maxAtOnce = 500;

/**
 * The batches at an instant, newest first. Reads one more than `size`. A batch that was live at the instant is returned
 * as it was then.
 */
export async function readPastBatches(
  ctx: Context,
  queue: Queue,
  { past, page }: { readonly past: PastQueue; readonly page: BatchPage },
): Promise<Batch[]> {
  requireScope(ctx, 'queue:read');
  const wanted = (state: string): boolean => page.states?.some((each) => each === state) ?? true;
  const live = new Map(past.view.snapshot.batches.filter(({ state }) => wanted(state)).map((each) => [each.id, each]));
  const ended = (page.states ?? endedStates).filter((state) => endedStates.some((each) => each === state));
  const rows = await ctx.db.read<Batch>(ctx.accountId, {
    name: 'batches_as_of',
    text: `select ${batchColumns} from ${batchSource}
           where b.account_id = $1 and b.queue_id = $2 and b.id < $3
             and b.id <= greatest((select max(one) from unnest($5::bigint[]) one), (
               select max(last.id) from (
                 select e.id from batch e where e.account_id = $1 and e.queue_id = $2 and e.ended_at <= $7 order by e.ended_at desc limit ${maxAtOnce}) last))
             and (b.id = any ($5::bigint[]) or (b.ended_at <= $7 and b.state = any ($6::text[])))
           order by b.id desc limit $4::bigint + 1`,
    values: [ctx.accountId, queue.id, page.before, page.size, [...live.keys()], ended, past.at],
  });
  return rows.map((row) => {
    const lived = live.get(row.id);
    if (lived === undefined) return Object.assign(row, { asOf: past.at });
    const { state, commit, tree, testedCommit, buildStartedAt } = lived;
    return Object.assign(row, {
      ...notEnded,
      state,
      commit,
      tree,
      testedCommit,
      buildStartedAt: buildStartedAt === null ? null : new Date(buildStartedAt),
      asOf: past.at,
    });
  });
}

const endedStates = ['landed', 'failed', 'bisected', 'superseded'] as const satisfies Exclude<
  Batch['state'],
  (typeof liveStates)[number]
>[];

const notEnded = { endedAt: null, endedReason: null, resetCode: null, grade: null } as const;
