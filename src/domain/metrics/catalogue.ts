// Every metric of Interlock by its name. docs/metrics.md and the registry of a process are made from this table. Users
// must not be able to add values of a label: so no label is a pull request, its branch, or a person.

interface CatalogueEntry {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Where it is found: at every process, at servers or at workers. */
  readonly at: 'every process' | 'servers' | 'workers';
  /** One sentence. */
  readonly help: string;
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

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
    help: 'Always 1; the label has the version of Interlock.',
  },
  interlock_part_ready: {
    kind: 'gauge',
    labels: ['part'],
    at: 'every process',
    help: 'Whether a part does what is expected of it, as this process sees it: 1 or 0.',
  },
  interlock_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['route', 'method', 'status'],
    at: 'servers',
    help: 'HTTP requests by the pattern of their route, their method and the class of the answer (2xx); what has no route is unmatched.',
    buckets: requestBuckets,
  },
  interlock_graphql_operation_duration_seconds: {
    kind: 'histogram',
    labels: ['operation', 'outcome'],
    at: 'servers',
    help: 'GraphQL operations of REST and of the dashboard by their name, all others as other. The outcome is ok, refused (an error of the caller) or failed (an error of the service).',
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
    help: 'Pull requests that were merged, by a queue or from outside.',
  },
  interlock_pull_requests_blocked_total: {
    kind: 'counter',
    labels: ['reason'],
    at: 'every process',
    help: 'Pull requests that were blocked, by the reason.',
  },
  interlock_queued_to_merged_seconds: {
    kind: 'histogram',
    labels: [],
    at: 'every process',
    help: 'The time from entering the queue to the landing, for each pull request that a queue landed.',
    buckets: mergeBuckets,
  },
  interlock_landings_total: {
    kind: 'counter',
    labels: ['grade'],
    at: 'every process',
    help: 'Batches that landed, by the grade of their proof.',
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
    help: 'Resets of queues, by the cause. One reset may end several batches.',
  },
  interlock_retries_total: {
    kind: 'counter',
    labels: ['what'],
    at: 'every process',
    help: 'What was tried again: a failed check (check), or an effect at the code host by its kind, such as land or comment.',
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
    help: 'Attempts to deliver a webhook: succeeded, retried (it will be tried again), failed or gone (answered by 410).',
  },
  interlock_github_requests_total: {
    kind: 'counter',
    labels: ['resource', 'outcome'],
    at: 'every process',
    help: 'Calls of the API of GitHub. The resource is rest or graphql. The outcome is ok, held (the budget put the call off), limited, unavailable, absent, token (the token was refused) or refused.',
  },
  interlock_retention_deleted_total: {
    kind: 'counter',
    labels: ['what'],
    at: 'every process',
    help: 'Rows and files that were deleted because of their age, by what they are (docs/retention.md).',
  },
  interlock_queue_pull_requests: {
    kind: 'gauge',
    labels: ['account', 'repository', 'base_branch', 'state'],
    at: 'every process',
    help: 'Pull requests in line by their state, queued or tagged, of the longest queues; the others together as other.',
  },
  interlock_queue_oldest_wait_seconds: {
    kind: 'gauge',
    labels: ['account', 'repository', 'base_branch'],
    at: 'every process',
    help: 'How long the pull request that has been in line longest has waited, of the longest queues; the longest wait of the others as other.',
  },
  interlock_queues_halted: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Queues that have halted themselves or were halted.',
  },
  interlock_batches: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Batches at work: making, building or landing.',
  },
  interlock_overdue_work: {
    kind: 'gauge',
    labels: ['what'],
    at: 'every process',
    help: 'Work that is more than five minutes past its own time limit, by what it is.',
  },
  interlock_invariant_violations: {
    kind: 'gauge',
    labels: ['invariant'],
    at: 'every process',
    help: 'Rows that break an invariant of the installation, as of a minute ago at most: 0 unless Interlock or a person at the database did something wrong.',
  },
  interlock_github_budget_remaining: {
    kind: 'gauge',
    labels: ['installation', 'resource'],
    at: 'every process',
    help: 'Points that GitHub still gives an installation of an App in this hour, of the installations with the smallest share left.',
  },
  interlock_github_budget_limit: {
    kind: 'gauge',
    labels: ['installation', 'resource'],
    at: 'every process',
    help: 'Points that GitHub gives the installation in an hour.',
  },
  interlock_host_inbox_events: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'Changes that code hosts reported and that are not handled yet.',
  },
  interlock_host_inbox_lag_seconds: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'How long the oldest reported change has been due.',
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
    help: 'Events that are not deliveries yet, of the account that is furthest behind.',
  },
  interlock_webhook_deliveries: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Deliveries that wait: for their first attempt (pending), or for another one (retrying).',
  },
  interlock_webhook_oldest_pending_seconds: {
    kind: 'gauge',
    labels: [],
    at: 'every process',
    help: 'The age of the oldest delivery that was never tried.',
  },
  interlock_checks: {
    kind: 'gauge',
    labels: ['state'],
    at: 'every process',
    help: 'Checks and workflows of the local host: running in a sandbox, or waiting for one.',
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
    help: 'Connections of this process to PostgreSQL, busy or idle, and the requests that wait for one (waiting).',
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

/** The text of docs/metrics.md between its introduction and its end. */
export function metricsTable(): string {
  const rows = (Object.keys(catalogue) as MetricName[]).map((name) => {
    const { kind, labels, at, help } = entryOf(name);
    return `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${at} | ${help} |`;
  });
  return ['| metric | type | labels | at | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
