// Forecasts when pull requests will be merged. The line is simulated in a thread, once for each version of the queue
// and at most every few seconds, however many requests there are.
import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { standstillOf, type Standstill } from '../../../domain/health/parts.ts';
import { inLineOrder } from '../../../domain/queue/model/order.ts';
import { noForecast, type Forecast } from '../../../domain/simulation/forecast.ts';
import type { MovedEta } from '../../../domain/simulation/moved-etas.ts';
import type { TemporalView } from '../../../graphql/context.ts';
import type { Database } from '../../../platform/database.ts';
import { Thread, ThreadTimeout, threadScript } from '../../../platform/threads.ts';
import { requireScope } from '../../accounts/index.ts';
import type { ComparedLines } from '../planning/dry-run.ts';
import { storeFirstEtas } from './first-etas.ts';
import { loadBuildStatistics, loadForecastFacts, withProbabilities } from './forecast.facts.ts';
import type { ForecastTask, MovesTask } from './simulation.thread.ts';

export interface QueueForecast extends Forecast {
  /** The instant of the forecast. Milliseconds since the epoch. */
  readonly now: number;
  /** The pull requests that were read, in queue order. */
  readonly line: readonly { readonly id: string; readonly number: number }[];
  /** How many pull requests were in line. */
  readonly length: number;
  /** Whether `line` has only the front of the line. */
  readonly isFront: boolean;
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

/**
 * For how long a forecast is used even if the line has changed. A long line changes often, and one change hardly moves
 * its landings.
 */
const keptMsPerPullRequest = 1;

/** The kept forecasts, by queue and standstill: a forecast of a standstill has no times to show after its end. */
const keptOf = new WeakMap<Database, Map<string, Kept>>();

type ForecastContext = Context & { readonly temporal: Pick<TemporalView, 'health'> };

/**
 * The forecast of each queue, by id. It has no times while Temporal does not answer or no worker runs. Null: the tip of
 * the base branch is not known yet, or too many requests wait.
 */
export function forecasts(ctx: ForecastContext): DataLoader<string, QueueForecast | null> {
  return new DataLoader(
    async (queueIds) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ id: string; version: string }>(ctx.accountId, {
        name: 'queue_versions',
        text: 'select q.id, q.version::text from queue q where q.account_id = $1 and q.id = any ($2::bigint[])',
        values: [ctx.accountId, queueIds],
      });
      const standstill = standstillOf(ctx.temporal.health(), ctx.clock());
      const versions = new Map(rows.map(({ id, version }) => [id, version]));
      return await Promise.all(
        queueIds.map(async (id) => {
          const version = versions.get(id);
          return version === undefined ? null : await keptForecast(ctx, { queueId: id, standstill, version });
        }),
      );
    },
    { cache: false },
  );
}

interface ForecastRequest {
  readonly queueId: string;
  readonly standstill: Standstill | null;
}

async function keptForecast(
  ctx: Context,
  { version, ...request }: ForecastRequest & { readonly version: string },
): Promise<QueueForecast | null> {
  const now = performance.now();
  const kept = keptOf.get(ctx.db) ?? new Map<string, Kept>();
  keptOf.set(ctx.db, kept);
  const key = `${request.queueId} ${request.standstill}`;
  const known = kept.get(key);
  if (known !== undefined && known.until > now && (known.version === version || known.keptUntil > now))
    return await known.answer;
  const answer = readForecast(ctx, request);
  kept.delete(key);
  const length = known?.length ?? 0;
  const next = { version, until: now + freshMs, keptUntil: now + length * keptMsPerPullRequest, length, answer };
  kept.set(key, next);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  // After a failure, the next request makes a new forecast.
  answer.then(
    (forecast) => {
      if (forecast === null) return void kept.delete(key);
      next.length = forecast.length;
      next.keptUntil = performance.now() + next.length * keptMsPerPullRequest;
    },
    () => kept.delete(key),
  );
  return await answer;
}

async function readForecast(ctx: Context, { queueId, standstill }: ForecastRequest): Promise<QueueForecast | null> {
  if (thread.load >= maxWaiting) return null;
  const loaded = await ctx.db.transaction(ctx.accountId, async (tx) => await loadForecastFacts(ctx, tx, queueId), {
    asOf: 'start',
  });
  if (loaded === null) return null;
  const now = ctx.clock().getTime();
  const { length, isFront } = loaded;
  if (loaded.kind === 'held') {
    const { hold, line } = loaded;
    return { ...noForecast(line, standstill ?? hold), now, line, length, isFront };
  }
  const { snapshot, statistics } = loaded;
  const line = inLineOrder(snapshot.pullRequests).map(({ id, number }) => ({ id, number }));
  // The times would not be shown, so they must not be stored as the first that were shown.
  if (standstill !== null) return { ...noForecast(line, standstill), now, line, length, isFront };
  try {
    const task: ForecastTask = { kind: 'forecast', snapshot, statistics, now, budgetMs };
    const forecast = { ...(await thread.ask<Forecast>(task, timeoutMs)), now, line, length, isFront };
    await storeFirstEtas(ctx, snapshot, forecast);
    return forecast;
  } catch (error) {
    // An explanation does not fail because its forecast fails.
    if (!(error instanceof ThreadTimeout))
      ctx.log.error({ error: String(error) }, 'The landings of a line could not be forecast.');
    return null;
  }
}

/** The pull requests in line now, in queue order, for a forecast that has only the front of the line. */
export async function readWholeLine(ctx: Context, queueId: string): Promise<QueueForecast['line']> {
  requireScope(ctx, 'queue:read');
  const [row] = await ctx.db.read<{ line: [string, number][] }>(ctx.accountId, {
    name: 'whole_line',
    text: `select coalesce(json_agg(json_build_array(id::text, number) order by skip_line desc, rank), '[]') as line
           from pull_request where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged')`,
    values: [ctx.accountId, queueId],
  });
  return (row?.line ?? []).map(([id, number]) => ({ id, number }));
}

export interface LineMoves {
  readonly now: number;
  readonly moves: readonly MovedEta[];
}

/**
 * How the expected landings differ between the two lines of a dry run. Null: Temporal does not answer, no worker runs,
 * too many requests wait, or the simulation took too long.
 */
export async function readMoves(
  ctx: ForecastContext,
  { before, after, now }: ComparedLines,
): Promise<LineMoves | null> {
  requireScope(ctx, 'queue:read');
  if (standstillOf(ctx.temporal.health(), ctx.clock()) !== null) return null;
  if (thread.load >= maxWaiting) return null;
  const loaded = await ctx.db.transaction(ctx.accountId, async (tx) => ({
    change: { before: await withProbabilities(ctx, tx, before), after: await withProbabilities(ctx, tx, after) },
    statistics: await loadBuildStatistics(ctx, tx, { snapshot: before, isFront: false }),
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
