// Loads what a line is forecast from: its front, the success probabilities of its pull requests, and statistics of the
// last builds.
import type { Context } from '../../../context.ts';
import { buildsSpeculatively } from '../../../domain/queue/model/rules.ts';
import type { PullRequestState, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import {
  arrivalsSince,
  buildStatisticsOf,
  type BuildStatistics,
  type ObservedBuild,
} from '../../../domain/simulation/build-statistics.ts';
import { holdOfForecast, isShortOfBuilds, type NoEta } from '../../../domain/simulation/forecast.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readBranchHolds } from '../../repositories/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { findFront } from '../facts/front-of-line.ts';
import { successProbabilityBy, loadPastResults } from '../facts/past-results.ts';
import { holdsOf, loadSnapshot } from '../planning/snapshot.loader.ts';
import { readLine, readLineOf } from '../store/line.rows.ts';
import { QueueEntity } from '../store/queue.entities.ts';
import { rulesOf } from '../store/rules-in-force.ts';

interface ForecastFacts {
  readonly kind: 'facts';
  readonly snapshot: Snapshot;
  /** Null: no build has ended. */
  readonly statistics: BuildStatistics | null;
  /** How many pull requests are in line. */
  readonly length: number;
  /** Whether the snapshot has only the front of the line. */
  readonly isFront: boolean;
}

/** A queue that lands nothing until a person acts. Its line is not read, because nothing can be forecast. */
interface HeldQueue {
  readonly kind: 'held';
  readonly hold: NoEta;
  /** The first pull requests in line, in queue order. */
  readonly line: readonly { readonly id: string; readonly number: number }[];
  readonly length: number;
  readonly isFront: boolean;
}

/** More than the pull requests that are simulated, because some of the first ones may be built beside the line. */
const frontSize = 256;

/** Null: nothing is planned, because the tip of the base branch is unknown. */
export async function loadForecastFacts(
  ctx: Context,
  tx: Transaction,
  queueId: string,
): Promise<ForecastFacts | HeldQueue | null> {
  const queue = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
  const { baseTip: tip, baseTree: tipTree, repositoryId, waiting, tagged } = queue;
  if (!tip || !tipTree) return null;
  const length = waiting + tagged;
  const holds = await readBranchHolds(tx, repository, queue.baseBranch);
  const hold = holdOfForecast(holdsOf(ctx, { queue, repository, holds }));
  if (hold !== null) {
    const line = await readFirstInLine(ctx, tx, queueId);
    return { kind: 'held', hold, line, length, isFront: line.length === frontSize };
  }
  const { rules } = rulesOf(repository, queue);
  const front = await findFront(ctx, tx, { queueId, repositoryId, rules, size: frontSize, heads: [] });
  const isFront = front !== null;
  const line = isFront ? await readLineOf(ctx, tx, { queueId, ids: front.ids }) : await readLine(ctx, tx, queueId);
  const known = { line, heads: null, holds, isFront };
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip, tipTree, known });
  const snapshot = await withProbabilities(ctx, tx, loaded.snapshot);
  const statistics = await loadBuildStatistics(ctx, tx, { snapshot, isFront });
  return { kind: 'facts', snapshot, statistics, length, isFront };
}

async function readFirstInLine(ctx: Context, tx: Transaction, queueId: string): Promise<HeldQueue['line']> {
  return await tx.query<{ id: string; number: number }>(
    `select id::text, number from pull_request where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged')
     order by skip_line desc, rank limit ${frontSize}`,
    [ctx.accountId, queueId],
  );
}

/** Adds success probabilities, unless the queue builds speculatively and its snapshot already has them. */
export async function withProbabilities(ctx: Context, tx: Transaction, snapshot: Snapshot): Promise<Snapshot> {
  if (buildsSpeculatively(snapshot.rules) || snapshot.pullRequests.length === 0) return snapshot;
  const rows = await tx.query<{ id: string; author: string; repositoryId: string }>(
    `select id, author, repository_id as "repositoryId" from pull_request where account_id = $1 and id = any ($2::bigint[])`,
    [ctx.accountId, snapshot.pullRequests.map(({ id }) => id)],
  );
  const records = await loadPastResults(ctx, tx, rows[0]?.repositoryId ?? '0');
  const authors = new Map(rows.map(({ id, author }) => [id, author]));
  return {
    ...snapshot,
    pullRequests: snapshot.pullRequests.map((row) => ({
      ...row,
      successProbability: successProbabilityBy(records, authors.get(row.id) ?? ''),
    })),
  };
}

const maxBuilds = 1_000;

/** Statistics of the last builds, for simulations. Null: no build has ended. */
export async function loadBuildStatistics(
  ctx: Context,
  tx: Transaction,
  { snapshot, isFront }: { readonly snapshot: Snapshot; readonly isFront: boolean },
): Promise<BuildStatistics | null> {
  const now = ctx.clock();
  const builds = await readLastBuilds(ctx, tx, { queueId: snapshot.queue.id, now });
  const judged = builds.filter(({ isGood, state }) => isGood && ['landed', 'failed', 'bisected'].includes(state));
  const flakes = judged.filter(({ state }) => state !== 'landed');
  const { built, arrivedBehind } =
    isFront && isShortOfBuilds(snapshot)
      ? await readBehind(ctx, tx, { snapshot, builds, now })
      : { built: [], arrivedBehind: 0 };
  return buildStatisticsOf(
    builds.map(({ members, startedAt, lastedMs, hasEnded }) => ({ members, startedAt, lastedMs, hasEnded })),
    {
      now: now.getTime(),
      line: [...snapshot.pullRequests, ...built],
      arrivedBehind,
      flakeRate: judged.length === 0 ? 0 : flakes.length / judged.length,
    },
  );
}

interface LastBuild extends ObservedBuild {
  readonly isGood: boolean;
  readonly state: string;
}

/** The last builds, oldest first. */
async function readLastBuilds(
  ctx: Context,
  tx: Transaction,
  { queueId, now }: { readonly queueId: string; readonly now: Date },
): Promise<LastBuild[]> {
  return await tx.query<LastBuild>(
    `with lately as (
       select b.id, b.state, b.parent_batch_id, extract(epoch from b.created_at)::float8 * 1000 as began, coalesce(b.ended_at, $3) as stopped,
              case when not c.canceled then c.finished_at end as ended
       from (select * from batch where account_id = $1 and queue_id = $2 order by id desc limit ${maxBuilds}) b
       left join build c on c.account_id = $1 and c.repository_id = b.repository_id and c.commit = b.tested_commit
       where b.build_started_at is not null and (c.finished_at is null or c.finished_at > b.created_at))
     select began as "startedAt", extract(epoch from coalesce(ended, stopped))::float8 * 1000 - began as "lastedMs", ended is not null as "hasEnded", state,
            array(select m.pull_request_id::text from batch_member m where m.account_id = $1 and m.batch_id = lately.id order by m.ordinal) as members,
            ended is not null and parent_batch_id is null
              and not exists (select from batch_assumption a where a.account_id = $1 and a.batch_id = lately.id)
              and not exists (
                select from batch_member m join pull_request p on p.account_id = $1 and p.id = m.pull_request_id
                where m.account_id = $1 and m.batch_id = lately.id and (p.status <> 'merged' or p.head_sha <> m.pinned_head)) as "isGood"
     from lately order by id`,
    [ctx.accountId, queueId, now],
  );
}

/**
 * Reads the pull requests behind the front that count as arrivals: those that the last builds have tested, and the
 * number of the others that were queued lately.
 */
async function readBehind(
  ctx: Context,
  tx: Transaction,
  of: { readonly snapshot: Snapshot; readonly builds: readonly LastBuild[]; readonly now: Date },
): Promise<{
  readonly built: readonly Pick<PullRequestState, 'id' | 'queuedAt'>[];
  readonly arrivedBehind: number;
}> {
  const { queue, pullRequests } = of.snapshot;
  const front = new Set(pullRequests.map(({ id }) => id));
  const members = new Set(of.builds.flatMap((build) => build.members).filter((id) => !front.has(id)));
  const [behind] = await tx.query<{ built: { id: string; queuedAt: number }[]; arrivedBehind: number }>(
    `select coalesce(json_agg(json_build_object('id', id::text, 'queuedAt', round(extract(epoch from queued_at) * 1000)))
              filter (where id = any($4::bigint[])), '[]') as built,
            (count(*) filter (where queued_at > $5 and id <> all($4::bigint[])))::int as "arrivedBehind"
     from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and id <> all($3::bigint[])`,
    [
      ctx.accountId,
      queue.id,
      [...front],
      [...members],
      new Date(arrivalsSince(of.builds, of.now.getTime())).toISOString(),
    ],
  );
  return behind ?? { built: [], arrivedBehind: 0 };
}
