import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { decideDepth } from '../../../domain/queue/model/depth.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadOne } from '../../../graphql/loaders.ts';
import { requireScope } from '../../accounts/index.ts';
import type { Repository } from '../../repositories/repositories.types.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { addRepository, withRepositories } from './pull-requests.reads.ts';
import type { Queue, QueueDepth } from './queue.types.ts';

type Row = Omit<Queue, 'repository' | 'past'>;

const columns = `q.id, q.repository_id as "repositoryId", q.base_branch as "baseBranch", q.halted_reason as "haltedReason",
  q.halted_at as "haltedAt", q.base_tip as "baseTip", q.waiting as "waitingCount", q.tagged as "taggedCount", null as "asOf"`;

/** Null: no pull request has been queued for this branch yet. */
export async function readQueue(ctx: Context, repository: Repository, baseBranch: string): Promise<Queue | null> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'queue_by_branch',
    text: `select ${columns} from queue q where q.account_id = $1 and q.repository_id = $2 and q.base_branch = $3`,
    values: [ctx.accountId, repository.id, baseBranch],
  });
  return addRepository(rows, repository)[0] ?? null;
}

/** The queues of a repository, in the order of their base branches. */
export async function readQueues(ctx: Context, repository: Repository): Promise<Queue[]> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'queues',
    text: `select ${columns} from queue q where q.account_id = $1 and q.repository_id = $2 order by q.base_branch`,
    values: [ctx.accountId, repository.id],
  });
  return addRepository(rows, repository);
}

export function queueById(ctx: GraphQLContext): DataLoader<string, Queue | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<Row>(ctx.accountId, {
      name: 'queues_by_id',
      text: `select ${columns} from queue q where q.account_id = $1 and q.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
    return await withRepositories(ctx, rows);
  });
}

/** The number of live batches of each queue, by id of the queue. */
export function runningBuilds(ctx: GraphQLContext): DataLoader<string, number> {
  return new DataLoader(
    async (queueIds) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ queueId: string; builds: number }>(ctx.accountId, {
        name: 'running_builds',
        text: `select b.queue_id as "queueId", count(*)::integer as builds from batch b
             where b.account_id = $1 and b.queue_id = any ($2::bigint[]) and b.state in ('making', 'building', 'landing')
             group by b.queue_id`,
        values: [ctx.accountId, queueIds],
      });
      const builds = new Map(rows.map((row) => [row.queueId, row.builds]));
      return queueIds.map((id) => builds.get(id) ?? 0);
    },
    { cache: false },
  );
}

/** The depth of one queue, computed from its own counters. */
export async function depthOfQueue({ repository, past, waitingCount, taggedCount }: Queue): Promise<QueueDepth> {
  const counts = { waiting: waitingCount, tagged: taggedCount };
  return past === undefined ? await depth(repository, counts) : depthBy(past.rules, counts);
}

/**
 * The depth of a repository. The counters of all base branches are added, because `max_parallel_builds` limits the
 * repository.
 */
export async function readQueueDepth(ctx: Context, repository: Repository): Promise<QueueDepth> {
  requireScope(ctx, 'queue:read');
  const [counts] = await ctx.db.read<{ waiting: number; tagged: number }>(ctx.accountId, {
    name: 'queue_depth',
    text: `select coalesce(sum(q.waiting), 0)::integer as waiting, coalesce(sum(q.tagged), 0)::integer as tagged
           from queue q where q.account_id = $1 and q.repository_id = $2`,
    values: [ctx.accountId, repository.id],
  });
  return await depth(repository, counts ?? { waiting: 0, tagged: 0 });
}

interface Counts {
  readonly waiting: number;
  readonly tagged: number;
}

async function depth(repository: Repository, counts: Counts): Promise<QueueDepth> {
  const configurationYaml = await repository.configurationYaml;
  return depthBy(rulesOf({ configurationYaml }, { hostRequiredChecks: [] }).rules, counts);
}

function depthBy({ mode, maxParallelBuilds }: QueueRules, { waiting, tagged }: Counts): QueueDepth {
  return { ...decideDepth({ waiting, tagged, mode, maxParallelBuilds }), tagged };
}
