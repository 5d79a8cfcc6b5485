// The page /metrics: the counters and timings of this process, and the state of the installation, which is read from
// the database.
import { judgeParts, type TemporalHealth } from '../../domain/health/parts.ts';
import { invariantNames, type InvariantName, type InvariantReport } from '../../domain/health/invariants.ts';
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
  readonly invariants: () => InvariantReport | null;
  /** The greatest number of queues, and of installations of Apps, that have series of their own. Default: 100. */
  readonly maxSeries?: number;
}

export interface MetricsPage {
  readonly contentType: string;
  /** `temporal` is the state of Temporal as this process sees it. Null: this process does not know it. */
  text(temporal: TemporalHealth | null): Promise<string>;
}

const defaultMaxSeries = 100;
/** The state is cached for this time, so that many readers cost the database little. */
const keptForMs = 5_000;

export function createMetricsPage(options: MetricsPageOptions): MetricsPage {
  const { metrics, db, overdue, invariants } = options;
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
      metrics.set('interlock_invariant_violations', seriesOfInvariants(invariants()));
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

/**
 * Sets the metrics of the state. Returns false if the database does not answer. Then these metrics have no values,
 * because old values would mislead.
 */
async function showState({ metrics, db, clock, maxSeries = defaultMaxSeries }: MetricsPageOptions): Promise<boolean> {
  const now = clock();
  try {
    // The reads run one after the other, so that a page takes at most one connection.
    const queues = seriesOfQueues(await readBusyQueues(db, now), maxSeries);
    const lags = await readLags(db, now);
    const budgets = scarcestBudgets(await readHostBudgets(db, now), maxSeries);
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

/** An invariant that could not be compared, or not lately, has no value, because a value of 0 would mislead. */
function seriesOfInvariants(
  report: InvariantReport | null,
): readonly { readonly labels: { readonly invariant: InvariantName }; readonly value: number }[] {
  if (report === null || report.isOutdated) return [];
  return invariantNames.flatMap((name) => {
    const value = report.violations.filter(({ invariant }) => invariant === name).length;
    const isKnown = value > 0 || report.uncompared.every(({ invariant }) => invariant !== name);
    return isKnown ? [{ labels: { invariant: name }, value }] : [];
  });
}
