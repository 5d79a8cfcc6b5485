// docs/metrics.md, made from the catalogue.
import { metricsTable } from './catalogue.ts';

export function metricsMarkdown(): string {
  return `# Metrics

Servers answer \`/metrics\` on their port, and workers on the port of their \`/healthz\` (4001), in the text format of Prometheus. With \`npm start\`, server and worker are one process with one page.

## Who may read them

The page names repositories of all accounts, so it is for the operator of the installation. Without a token it answers requests of the same machine alone, and only while \`INTERLOCK_PUBLIC_URL\` is an address of that machine: behind a proxy all requests come from the proxy. Everybody else is answered 403 with the cure. With \`INTERLOCK_METRICS_TOKEN\` (16 characters at least) the page needs this token, also on the same machine. The tokens of accounts do not open it ([ADR 0090](adr/0090-metrics-and-traces.md)).

\`\`\`text
scrape_configs:
  - job_name: interlock
    authorization: { credentials_file: /etc/prometheus/interlock-token }
    static_configs:
      - targets: ['interlock-server:4000', 'interlock-worker:4001']
\`\`\`

[deploy/monitoring](../deploy/monitoring) has a dashboard for Grafana and rules for alerts.

## How to read them

Counters and histograms are what one process counted since its start: add them up over processes, \`sum(rate(interlock_landings_total[5m]))\`. A landing is counted by the process that recorded it, after its transaction.

Gauges of the installation (queues, lags, budgets, deliveries, checks) are read from the database when the page is asked for, at most every five seconds. With 1,000 queues of 100 pull requests each, and 300,000 deliveries, this took 0.1 to 0.3 seconds on two busy cores. Every process says the same of them, so take one: \`max by (repository, base_branch) (interlock_queue_oldest_wait_seconds)\`. While the database does not answer, they are absent or \`NaN\`, and \`interlock_part_ready{part="database"}\` is 0.

Labels are bounded. The \`INTERLOCK_METRICS_QUEUES\` longest queues (100) have series of their own, with the id of their account; the others share the series \`other\`. As many installations of GitHub Apps have series, those with the smallest share of their budget left. No label names a pull request or a person.

## The metrics

${metricsTable()}

Besides these there are the metrics of the process (\`process_…\` and \`nodejs_…\`, with the lag of the event loop in \`nodejs_eventloop_lag_seconds\`), and in workers those of [Temporal's SDK](https://docs.temporal.io/references/sdk-metrics) (\`temporal_…\`), such as \`temporal_workflow_failed_total\`. The SDK's durations are in seconds.

## What to alert on

| alert | because |
|---|---|
| \`InterlockDatabaseAway\` | Nothing works without PostgreSQL. |
| \`InterlockNoWorker\`, \`InterlockTemporalAway\` | Pull requests are admitted, and nothing lands. |
| \`InterlockQueueHalted\` | A queue waits for a person: \`haltedReason\` and \`explain\` say why. |
| \`InterlockNothingLands\` | Pull requests have been in line for two hours, and nothing has landed. |
| \`InterlockOverdueWork\` | Work was lost without a word: restart the worker that had it, and report what the log says. |
| \`InterlockHostInboxBehind\` | Reports of code hosts wait: queues act on old facts. |
| \`InterlockEventsBehind\` | Subscribers and webhooks see nothing new. |
| \`InterlockWebhooksBehind\` | Receivers are told late. |
| \`InterlockGitHubBudgetLow\` | GitHub will soon refuse calls; landings are kept for last. |
| \`InterlockDatabaseConnectionsShort\` | Requests wait for a connection. |
| \`InterlockErrors\` | More than one in fifty requests fails. |
| \`InterlockWorkflowsFail\` | Workflows of Temporal end as failed. |
`;
}
