// Every metric of Interlock by its name. docs/metrics.md and the registry of a process are made from this table. No
// label names a pull request, its branch or a person, because users could then add series without limit.

interface CatalogueEntry {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Which processes have the metric. */
  readonly at: 'every process' | 'servers' | 'workers';
  /** One sentence. */
  readonly help: string;
  /** The upper bounds of the buckets of a histogram, in seconds. */
  readonly buckets?: readonly number[];
  /**
   * The labels of the series of a counter that a process has from its start, at 0. `increase` does not count the first
   * value of a series, so a series that begins at 1 would hide the first event.
   */
  readonly fromStart?: readonly Readonly<Record<string, string>>[];
}

/** The grades of the proofs of landings. The label has `other` for any other grade. */
export const grades = ['exact', 'same_tree', 'composed', 'host_merged', 'unvalidated', 'external'] as const;

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const minute = 60;
const hour = 60 * minute;
const mergeBuckets = [30, minute, 2 * minute, 5 * minute, 10 * minute, 20 * minute, 40 * minute].concat(
  [1, 2, 4, 8, 24, 72].map((hours) => hours * hour),
);

export const catalogue = {
  interlock_build_info: {
    kind: 'gauge',
    labels: ['version'],
    at: 'every process',
    help: 'Always 1. The label has the version of Interlock.',
  },
  interlock_part_ready: {
    kind: 'gauge',
    labels: ['part'],
    at: 'every process',
    help: '1 if the part works, as this process sees it, otherwise 0.',
  },
  interlock_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['route', 'method', 'status'],
    at: 'servers',
    help: 'Durations of HTTP requests, by the pattern of the route, the method and the class of the status (such as 2xx). Requests without a route have the route unmatched.',
    buckets: requestBuckets,
  },
  interlock_graphql_operation_duration_seconds: {
    kind: 'histogram',
    labels: ['operation', 'outcome'],
    at: 'servers',
    help: 'Durations of GraphQL operations. Operations of REST and of the dashboard have their name, all others are other. The outcome is ok, refused (an error of the caller) or failed (an error of the service).',
    buckets: requestBuckets,
  },
  interlock_pull_requests_queued_total: {
    kind: 'counter',
    labels: [],
    at: 'every process',
    help: 'Pull requests that entered a queue.',
  },
  interlock_pull_requests_merged_total: {
    kind: 'counter',
    labels: [],
    at: 'every process',
    help: 'Pull requests that were merged, by a queue or outside of it.',
  },
  interlock_pull_requests_blocked_total: {
    kind: 'counter',
    labels: ['reason'],
    at: 'every process',
    help: 'Pull requests that were blocked, by reason.',
  },
  interlock_queued_to_merged_seconds: {
    kind: 'histogram',
    labels: [],
    at: 'every process',
    help: 'The time from when a pull request entered the queue to when it landed. Pull requests that were merged outside of a queue do not count.',
    buckets: mergeBuckets,
  },
  interlock_landings_total: {
    kind: 'counter',
    labels: ['grade'],
    at: 'every process',
    help: 'Batches that landed, by the grade of their proof.',
    fromStart: [...grades, 'other'].map((grade) => ({ grade })),
  },
  interlock_builds_total: {
    kind: 'counter',
    labels: ['outcome'],
    at: 'every process',
    help: 'Batches that ended: landed, failed, bisected or reset.',
  },
  interlock_resets_total: {
    kind: 'counter',
    labels: ['cause'],
    at: 'every process',
    help: 'Resets of queues, by cause. One reset may end several batches.',
  },
  interlock_retries_total: {
    kind: 'counter',
    labels: ['what'],
    at: 'every process',
    help: 'Retries of failed checks (check) and of effects at the code host, by kind of effect, such as land or comment.',
  },
  interlock_deployments_total: {
    kind: 'counter',
    labels: ['status'],
    at: 'every process',
    help: 'Deployments and rollbacks that ended, by their status.',
  },
  interlock_verifications_total: {
    kind: 'counter',
    labels: ['status'],
    at: 'every process',
    help: 'Verifications that ended, by their status.',
  },
  interlock_webhook_attempts_total: {
    kind: 'counter',
    labels: ['outcome'],
    at: 'every process',
    help: 'Attempts to deliver a webhook. The outcome is succeeded, retried (there will be another attempt), failed (there will be none) or gone (the receiver answered 410).',
  },
  interlock_github_requests_total: {
    kind: 'counter',
    labels: ['resource', 'outcome'],
    at: 'every process',
    help: 'Calls to the API of GitHub. The resource is rest or graphql. The outcome is ok, held (the budget put the call off), limited, unavailable, absent, token (the token was refused) or refused.',
  },
  interlock_retention_deleted_total: {
    kind: 'counter',
    labels: ['what'],
    at: 'every process',
    help: 'Rows and files that were deleted because of their age, by kind (docs/retention.md).',
  },
  interlock_queue_pull_requests: {
    kind: 'gauge',
    labels: ['account', 'repository', 'base_branch', 'state'],
    at: 'every process',
    help: 'Pull requests in line by state, queued or tagged. The longest queues have series of their own, and the series other is the sum of all others.',
  },
  interlock_queue_oldest_wait_seconds: {
    kind: 'gauge',
    labels: ['account', 'repository', 'base_branch'],
    at: 'every process',
    help: 'How long the pull request that has been in line longest has waited. The longest queues have series of their own, and the series other has the longest wait of all others.',
  },
  interlock_queues_halted: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Queues that are halted.',
  },
  interlock_batches: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Open batches by state: making, building or landing.',
  },
  interlock_overdue_work: {
    kind: 'gauge',
    labels: ['what'],
    at: 'every process',
    help: 'Work that should have ended more than five minutes ago by its own time limit, by kind of work.',
  },
  interlock_invariant_violations: {
    kind: 'gauge',
    labels: ['invariant'],
    at: 'every process',
    help: 'Rows that break an invariant of the installation. The rows are checked every minute. The value is above 0 only if Interlock or a person at the database made a mistake. An invariant that could not be compared in the last five minutes has no value.',
  },
  interlock_github_budget_remaining: {
    kind: 'gauge',
    labels: ['installation', 'resource'],
    at: 'every process',
    help: 'How many points of its hourly rate limit at GitHub an installation of an App has left. Only the installations with the smallest share left have series.',
  },
  interlock_github_budget_limit: {
    kind: 'gauge',
    labels: ['installation', 'resource'],
    at: 'every process',
    help: 'The hourly rate limit of the installation at GitHub, in points.',
  },
  interlock_host_inbox_events: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Changes that code hosts reported and that no process has handled yet.',
  },
  interlock_host_inbox_lag_seconds: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'How long the oldest of these changes has been due.',
  },
  interlock_event_sequencer_lag_seconds: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'The age of the oldest event without a position, which subscribers and webhooks cannot see yet.',
  },
  interlock_webhook_relay_lag_events: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Events for which webhook deliveries are not made yet, in the account that has most of them.',
  },
  interlock_webhook_deliveries: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Webhook deliveries that wait for their first attempt (pending) or for another attempt (retrying).',
  },
  interlock_webhook_oldest_pending_seconds: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'The age of the oldest webhook delivery without an attempt.',
  },
  interlock_checks: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Checks and workflows of the local host that run in a sandbox (running) or wait for a sandbox (waiting).',
  },
  interlock_preview_sandboxes: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Sandboxes of previews that are booting, up or ending.',
  },
  interlock_database_connections: {
    kind: 'gauge',
    labels: ['pool', 'state'],
    at: 'every process',
    help: 'Connections of this process to PostgreSQL (busy, idle), and the callers that wait for a connection (waiting).',
  },
} as const satisfies Readonly<Record<`interlock_${string}`, CatalogueEntry>>;

type Catalogue = typeof catalogue;
export type MetricName = keyof Catalogue;
type NamesOf<Kind> = { [Name in MetricName]: Catalogue[Name]['kind'] extends Kind ? Name : never }[MetricName];
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;
export type LabelsOf<Name extends MetricName> = Readonly<Record<Catalogue[Name]['labels'][number], string>>;

export function entryOf(name: MetricName): CatalogueEntry {
  return catalogue[name];
}

/** The table of all metrics in docs/metrics.md. */
export function metricsTable(): string {
  const rows = (Object.keys(catalogue) as MetricName[]).map((name) => {
    const { kind, labels, at, help } = entryOf(name);
    return `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${at} | ${help} |`;
  });
  return ['| metric | type | labels | at | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
