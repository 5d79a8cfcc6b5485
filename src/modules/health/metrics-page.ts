// What /metrics says: what this process counted and timed, and the state of the installation, read from the database.
import { judgeParts, type TemporalHealth } from '../../domain/health/parts.ts';
import { invariantNames, type InvariantName, type Violation } from '../../domain/health/invariants.ts';
import { scarcestBudgets, seriesOfQueues } from '../../domain/metrics/bounded.ts';
import type { Database } from '../../platform/database.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import { isOutage } from '../../platform/outage.ts';
import { readVersion } from '../../platform/project-root.ts';
import { readBusyQueues, readHostBudgets, readLags } from './gauges.reads.ts';
import type { Overdue } from './overdue.reads.ts';

export interface MetricsPageOptions {
  readonly metrics: Metrics;
  readonly db: Database;
  readonly clock: () => Date;
  readonly overdue: () => readonly Overdue[];
  readonly violations: () => readonly Violation[] | null;
  /** Queues, and installations of Apps, that have series of their own; 100 unless given. */
  readonly mostSeries?: number;
}

export interface MetricsPage {
  readonly contentType: string;
  /** `temporal`: what this process knows of Temporal. Null: nothing. */
  text(temporal: TemporalHealth | null): Promise<string>;
}

const defaultMostSeries = 100;
/** Pages that are asked for sooner have the same state: readers cost the database little, however many there are. */
const keptForMs = 5_000;

export function createMetricsPage(options: MetricsPageOptions): MetricsPage {
  const { metrics, db, overdue, violations } = options;
  metrics.set('interlock_build_info', [{ labels: { version: readVersion() }, value: 1 }]);
  let reading: { readonly at: number; readonly isThere: Promise<boolean> } | null = null;

  async function readState(): Promise<boolean> {
    const now = performance.now();
    if (reading === null || now - reading.at >= keptForMs) reading = { at: now, isThere: showState(options) };
    return await reading.isThere;
  }

  return {
    contentType: metrics.contentType,
    async text(temporal) {
      const isThere = await readState();
      const parts = judgeParts({ overdue: isThere ? [] : null, temporal });
      metrics.set(
        'interlock_part_ready',
        parts.map(({ name, well }) => ({ labels: { part: name }, value: well ? 1 : 0 })),
      );
      metrics.set(
        'interlock_overdue_work',
        overdue().map(({ what, count }) => ({ labels: { what }, value: count })),
      );
      metrics.set('interlock_invariant_violations', seriesOfInvariants(violations()));
      metrics.set(
        'interlock_database_connections',
        db
          .pools()
          .flatMap(({ pool, ...use }) =>
            (['busy', 'idle', 'waiting'] as const).map((state) => ({ labels: { pool, state }, value: use[state] })),
          ),
      );
      return await metrics.text();
    },
  };
}

/** False when the database does not answer: then nothing is said about its state, because old numbers would mislead. */
async function showState({ metrics, db, clock, mostSeries = defaultMostSeries }: MetricsPageOptions): Promise<boolean> {
  const now = clock();
  try {
    // One after the other: a page takes one connection at most.
    const queues = seriesOfQueues(await readBusyQueues(db, now), mostSeries);
    const lags = await readLags(db, now);
    const budgets = scarcestBudgets(await readHostBudgets(db, now), mostSeries);
    metrics.set('interlock_queue_pull_requests', queues.pullRequests);
    metrics.set('interlock_queue_oldest_wait_seconds', queues.oldestWaits);
    const budgetSeries = (value: 'remaining' | 'limit') =>
      budgets.map(({ installation, resource, ...budget }) => ({
        labels: { installation, resource },
        value: budget[value],
      }));
    metrics.set('interlock_github_budget_remaining', budgetSeries('remaining'));
    metrics.set('interlock_github_budget_limit', budgetSeries('limit'));
    showLags(metrics, lags);
    return true;
  } catch (error) {
    if (!isOutage(error)) throw error;
    for (const name of namesByLabel) metrics.set(name, []);
    for (const name of singleNames) metrics.set(name, [{ labels: {}, value: Number.NaN }]);
    return false;
  }
}

const namesByLabel = [
  'interlock_queue_pull_requests',
  'interlock_queue_oldest_wait_seconds',
  'interlock_github_budget_remaining',
  'interlock_github_budget_limit',
  'interlock_batches',
  'interlock_webhook_deliveries',
  'interlock_checks',
] as const;
const singleNames = [
  'interlock_queues_halted',
  'interlock_host_inbox_events',
  'interlock_host_inbox_lag_seconds',
  'interlock_event_sequencer_lag_seconds',
  'interlock_webhook_relay_lag_events',
  'interlock_webhook_oldest_pending_seconds',
  'interlock_preview_sandboxes',
] as const;

function showLags(metrics: Metrics, lags: Awaited<ReturnType<typeof readLags>>): void {
  metrics.set('interlock_queues_halted', [{ labels: {}, value: lags.queuesHalted }]);
  metrics.set(
    'interlock_batches',
    (['making', 'building', 'landing'] as const).map((state) => ({ labels: { state }, value: lags[state] })),
  );
  metrics.set('interlock_host_inbox_events', [{ labels: {}, value: lags.inboxEvents }]);
  metrics.set('interlock_host_inbox_lag_seconds', [{ labels: {}, value: lags.inboxLagSec }]);
  metrics.set('interlock_event_sequencer_lag_seconds', [{ labels: {}, value: lags.sequencerLagSec }]);
  metrics.set('interlock_webhook_relay_lag_events', [{ labels: {}, value: lags.relayLagEvents }]);
  metrics.set('interlock_webhook_deliveries', [
    { labels: { state: 'pending' }, value: lags.deliveriesPending },
    { labels: { state: 'retrying' }, value: lags.deliveriesRetrying },
  ]);
  metrics.set('interlock_webhook_oldest_pending_seconds', [{ labels: {}, value: lags.oldestPendingSec }]);
  metrics.set('interlock_checks', [
    { labels: { state: 'running' }, value: lags.checksRunning },
    { labels: { state: 'waiting' }, value: lags.checksWaiting },
  ]);
  metrics.set('interlock_preview_sandboxes', [{ labels: {}, value: lags.previewSandboxes }]);
}

function seriesOfInvariants(
  violations: readonly Violation[] | null,
): readonly { readonly labels: { readonly invariant: InvariantName }; readonly value: number }[] {
  if (violations === null) return [];
  const count = (name: InvariantName): number => violations.filter(({ invariant }) => invariant === name).length;
  return invariantNames.map((invariant) => ({ labels: { invariant }, value: count(invariant) }));
}
