// Forecasts when pull requests will be merged. The line is simulated in a thread, once for each version of the queue
// and at most every few seconds, however many requests there are.
import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { buildsSpeculatively } from '../../../domain/queue/model/rules.ts';
import { inLineOrder } from '../../../domain/queue/model/order.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import {
  buildStatisticsOf,
  type BuildStatistics,
  type ObservedBuild,
} from '../../../domain/simulation/build-statistics.ts';
import type { Forecast } from '../../../domain/simulation/forecast.ts';
import type { MovedEta } from '../../../domain/simulation/moved-etas.ts';
import type { Database, Transaction } from '../../../platform/database.ts';
import { Thread, ThreadTimeout, threadScript } from '../../../platform/threads.ts';
import { requireScope } from '../../accounts/index.ts';
import { successProbabilityBy, loadPastResults } from '../facts/past-results.ts';
import { snapshotOf, type ComparedLines } from '../planning/dry-run.ts';
import { storeFirstEtas } from './first-etas.ts';
import type { ForecastTask, MovesTask } from './simulation.thread.ts';

export interface QueueForecast extends Forecast {
  /** The instant of the forecast. Milliseconds since the epoch. */
  readonly now: number;
  /** The pull requests in line, in queue order. */
  readonly line: readonly { readonly id: string; readonly number: number }[];
}

const freshMs = 10_000;
const maxKept = 500;
/** CPU time of a forecast. Nine simulations run even if they take longer. */
const budgetMs = 200;
const timeoutMs = 10_000;
/** If so many requests wait already, further requests get no forecast. */
const maxWaiting = 20;

const thread = new Thread(threadScript(import.meta.url, 'simulation.thread'));
interface Kept {
  readonly version: string;
  readonly until: number;
  /** Until when the forecast is used even if the line has changed. */
  keptUntil: number;
  length: number;
  readonly answer: Promise<QueueForecast | null>;
}

/** For how long a forecast is used even if the line has changed: about ten times as long as the forecast takes. */
const keptMsPerPullRequest = 1;

const keptOf = new WeakMap<Database, Map<string, Kept>>();

/** The forecast of each queue, by id. Null: the tip of the base branch is not known yet, or too many requests wait. */
export function forecasts(ctx: Context): DataLoader<string, QueueForecast | null> {
  return new DataLoader(
    async (queueIds) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ id: string; version: string }>(ctx.accountId, {
        name: 'queue_versions',
        text: 'select q.id, q.version::text from queue q where q.account_id = $1 and q.id = any ($2::bigint[])',
        values: [ctx.accountId, queueIds],
      });
      const versions = new Map(rows.map(({ id, version }) => [id, version]));
      return await Promise.all(
        queueIds.map(async (id) => {
          const version = versions.get(id);
          return version === undefined ? null : await keptForecast(ctx, id, version);
        }),
      );
    },
    { cache: false },
  );
}

async function keptForecast(ctx: Context, queueId: string, version: string): Promise<QueueForecast | null> {
  const now = performance.now();
  const kept = keptOf.get(ctx.db) ?? new Map<string, Kept>();
  keptOf.set(ctx.db, kept);
  const known = kept.get(queueId);
  if (known !== undefined && known.until > now && (known.version === version || known.keptUntil > now))
    return await known.answer;
  const answer = readForecast(ctx, queueId);
  kept.delete(queueId);
  const length = known?.length ?? 0;
  const next = { version, until: now + freshMs, keptUntil: now + length * keptMsPerPullRequest, length, answer };
  kept.set(queueId, next);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  // After a failure, the next request makes a new forecast.
  answer.then(
    (forecast) => {
      if (forecast === null) return void kept.delete(queueId);
      next.length = forecast.line.length;
      next.keptUntil = performance.now() + next.length * keptMsPerPullRequest;
    },
    () => kept.delete(queueId),
  );
  return await answer;
}

async function readForecast(ctx: Context, queueId: string): Promise<QueueForecast | null> {
  if (thread.load >= maxWaiting) return null;
  const loaded = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const snapshot = await snapshotOf(ctx, tx, queueId);
    if (snapshot === null) return null;
    return {
      snapshot: await withProbabilities(ctx, tx, snapshot),
      statistics: await loadBuildStatistics(ctx, tx, snapshot),
    };
  });
  if (loaded === null) return null;
  const now = ctx.clock().getTime();
  const line = inLineOrder(loaded.snapshot.pullRequests).map(({ id, number }) => ({ id, number }));
  try {
    const task: ForecastTask = { kind: 'forecast', ...loaded, now, budgetMs };
    const forecast = { ...(await thread.ask<Forecast>(task, timeoutMs)), now, line };
    await storeFirstEtas(ctx, loaded.snapshot, forecast);
    return forecast;
  } catch (error) {
    // An explanation does not fail because its forecast fails.
    if (!(error instanceof ThreadTimeout))
      ctx.log.error({ error: String(error) }, 'The landings of a line could not be forecast.');
    return null;
  }
}

export interface LineMoves {
  readonly now: number;
  readonly moves: readonly MovedEta[];
}

/**
 * How the expected landings differ between the two lines of a dry run. Null: too many requests wait, or the simulation
 * took too long.
 */
export async function readMoves(ctx: Context, { before, after, now }: ComparedLines): Promise<LineMoves | null> {
  requireScope(ctx, 'queue:read');
  if (thread.load >= maxWaiting) return null;
  const loaded = await ctx.db.transaction(ctx.accountId, async (tx) => ({
    change: { before: await withProbabilities(ctx, tx, before), after: await withProbabilities(ctx, tx, after) },
    statistics: await loadBuildStatistics(ctx, tx, before),
  }));
  try {
    // Each of the two lines gets half of the CPU time.
    const task: MovesTask = { kind: 'moves', ...loaded, now, budgetMs: budgetMs / 2 };
    return { now, moves: await thread.ask<MovedEta[]>(task, timeoutMs) };
  } catch (error) {
    // A preview does not fail because its forecast fails.
    if (!(error instanceof ThreadTimeout))
      ctx.log.error({ error: String(error) }, 'The effect of a change on a line could not be forecast.');
    return null;
  }
}

/** Adds success probabilities, unless the queue builds speculatively and its snapshot already has them. */
async function withProbabilities(ctx: Context, tx: Transaction, snapshot: Snapshot): Promise<Snapshot> {
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
async function loadBuildStatistics(
  ctx: Context,
  tx: Transaction,
  { queue, pullRequests }: Snapshot,
): Promise<BuildStatistics | null> {
  const now = ctx.clock();
  const rows = await tx.query<ObservedBuild & { readonly isGood: boolean; readonly state: string }>(
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
    [ctx.accountId, queue.id, now],
  );
  const judged = rows.filter(({ isGood, state }) => isGood && ['landed', 'failed', 'bisected'].includes(state));
  const flakes = judged.filter(({ state }) => state !== 'landed');
  return buildStatisticsOf(
    rows.map(({ members, startedAt, lastedMs, hasEnded }) => ({ members, startedAt, lastedMs, hasEnded })),
    {
      now: now.getTime(),
      line: pullRequests,
      flakeRate: judged.length === 0 ? 0 : flakes.length / judged.length,
    },
  );
}
