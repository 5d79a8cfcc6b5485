// docs/metrics.md, made from the catalogue.
import { metricsTable } from './catalogue.ts';

export function metricsMarkdown(): string {
  return `# Metrics

Servers answer \`/metrics\` on their port, and workers on the port of their \`/healthz\` (4001), in the text format of Prometheus. With \`npm start\`, server and worker are one process with one page.

## Who may read the metrics

The page names repositories of all accounts, so only the operator may read it. Set \`INTERLOCK_METRICS_TOKEN\` (at least 16 characters): every request for the page then needs this token. Without it, only requests from the same machine are answered, and only if \`INTERLOCK_PUBLIC_URL\` is an address of that machine, because behind a proxy all requests seem to come from the same machine. Other requests get 403 with the cure. Tokens of accounts do not open the page ([ADR 0090](adr/0090-metrics-and-traces.md)).

\`\`\`text
scrape_configs:
  - job_name: interlock
    authorization: { credentials_file: /etc/prometheus/interlock-token }
    static_configs:
      - targets: ['interlock-server:4000', 'interlock-worker:4001']
\`\`\`

[deploy/monitoring](../deploy/monitoring) has a dashboard for Grafana and rules for alerts. [The chart](install-on-a-cluster.md#kubernetes) can install the rules for the Prometheus operator, and tell it which pods to read.

## How to read the metrics

Each process has counters and histograms of its own, which begin at 0 at its start. Add them up over processes, as in \`sum(rate(interlock_landings_total[5m]))\`. The process that records a landing counts the landing after the transaction.

Gauges of the installation (queues, lags, budgets, deliveries, checks) are read from the database when the page is requested, at most every five seconds. With 1,000 queues of 100 pull requests each, and 300,000 deliveries, this took 0.1 to 0.3 seconds on two busy cores. Every process gives the same values, so do not add them up: use \`max by (repository, base_branch) (interlock_queue_oldest_wait_seconds)\`. While the database does not answer, these gauges are absent or \`NaN\`, and \`interlock_part_ready{part="database"}\` is 0.

The number of series is limited. The \`INTERLOCK_METRICS_QUEUES\` longest queues (default 100) have series of their own, with the id of their account; all other queues share the series \`other\`. The same number of installations of GitHub Apps have series: the installations with the smallest share of their budget left. No label names a pull request or a person.

## The metrics

${metricsTable()}

The page also has the metrics of the process (\`process_…\` and \`nodejs_…\`, such as the lag of the event loop in \`nodejs_eventloop_lag_seconds\`), measured from the first page on. Workers also have the metrics of [Temporal's SDK](https://docs.temporal.io/references/sdk-metrics) (\`temporal_…\`), such as \`temporal_workflow_failed_total\`. The SDK's durations are in seconds.

## What to alert on

\`deploy/monitoring/alerts.test.yml\` has series on which each alert fires, and series on which none does. \`promtool\` 2.42.0 accepted both files, with these commands in \`deploy/monitoring\`:

\`\`\`text
promtool check rules alerts.yml
promtool test rules alerts.test.yml
\`\`\`

| alert | meaning |
|---|---|
| \`InterlockNoProcess\` | No server and no worker answers Prometheus. While no process answers, no other alert can fire. |
| \`InterlockDatabaseAway\` | Nothing works without PostgreSQL. |
| \`InterlockNoWorker\`, \`InterlockTemporalAway\` | Pull requests are admitted, but nothing lands. |
| \`InterlockQueueHalted\` | A halted queue waits for a person: \`haltedReason\` and \`explain\` say why it is halted. |
| \`InterlockNothingLands\` | A pull request has waited for more than two hours, and nothing has landed in this time. |
| \`InterlockOverdueWork\` | Work has not ended at its time limit, which is a fault of Interlock. Restart the worker that had the work, and report the errors in its log. |
| \`InterlockInvariantBroken\` | Rows break an invariant. \`npm run doctor\` without a repository names the rows. |
| \`InterlockHostInboxBehind\` | Changes that code hosts reported are handled late, so queues decide by old facts. |
| \`InterlockEventsBehind\` | Subscribers and webhooks receive no new events. |
| \`InterlockWebhooksBehind\` | Webhooks are sent late. |
| \`InterlockGitHubBudgetLow\` | An installation has used over 90 % of GitHub's hourly rate limit. Landings are put off last. |
| \`InterlockDatabaseConnectionsShort\` | Work waits for a connection to PostgreSQL. |
| \`InterlockErrors\` | More than one request in fifty fails. |
| \`InterlockWorkflowsFail\` | Workflows in Temporal have failed. |
`;
}
