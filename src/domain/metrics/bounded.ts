// Limits the number of series of metrics whose labels users decide: the most important have series of their own, and
// all others share one.
import type { LabelsOf } from './catalogue.ts';

/** A queue with pull requests in line. */
export interface BusyQueue {
  readonly account: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly baseBranch: string;
  readonly queued: number;
  readonly tagged: number;
  /** How long the pull request that has been in line longest has waited. */
  readonly waitSec: number;
}

/** How many requests GitHub allows an installation of an App in an hour, and how many are left. */
export interface HostBudget {
  readonly installation: string;
  readonly resource: 'rest' | 'graphql';
  readonly remaining: number;
  readonly limit: number;
}

interface Value<Labels> {
  readonly labels: Labels;
  readonly value: number;
}

export interface QueueSeries {
  readonly pullRequests: readonly Value<LabelsOf<'interlock_queue_pull_requests'>>[];
  readonly oldestWaits: readonly Value<LabelsOf<'interlock_queue_oldest_wait_seconds'>>[];
}

const other = 'other';

/**
 * The `max` longest queues have series of their own. The series `other` has the sum and the longest wait of all other
 * queues.
 */
export function seriesOfQueues(queues: readonly BusyQueue[], max: number): QueueSeries {
  const longestFirst = queues.toSorted(
    (a, b) => b.queued + b.tagged - (a.queued + a.tagged) || b.waitSec - a.waitSec || compareNames(a, b),
  );
  const rest = longestFirst.slice(max);
  const shown = [
    ...longestFirst.slice(0, max),
    ...(rest.length === 0
      ? []
      : [
          {
            account: other,
            repository: other,
            baseBranch: other,
            queued: rest.reduce((sum, { queued }) => sum + queued, 0),
            tagged: rest.reduce((sum, { tagged }) => sum + tagged, 0),
            waitSec: Math.max(...rest.map(({ waitSec }) => waitSec)),
          },
        ]),
  ];
  const labelled = shown.map((queue) => ({
    ...queue,
    labels: { account: queue.account, repository: queue.repository, base_branch: queue.baseBranch },
  }));
  return {
    pullRequests: labelled.flatMap(({ labels, queued, tagged }) => [
      { labels: { ...labels, state: 'queued' }, value: queued },
      { labels: { ...labels, state: 'tagged' }, value: tagged },
    ]),
    oldestWaits: labelled.map(({ labels, waitSec }) => ({ labels, value: waitSec })),
  };
}

/** The `max` budgets with the smallest share left. The other budgets have more left, and need no series. */
export function scarcestBudgets(budgets: readonly HostBudget[], max: number): readonly HostBudget[] {
  const share = ({ remaining, limit }: HostBudget): number => remaining / limit;
  return budgets.toSorted((a, b) => share(a) - share(b) || a.installation.localeCompare(b.installation)).slice(0, max);
}

function compareNames(a: BusyQueue, b: BusyQueue): number {
  return a.repository.localeCompare(b.repository) || a.baseBranch.localeCompare(b.baseBranch);
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `route` is the pattern of the route. Undefined: no route matches. */
export function labelsOfRequest(request: {
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
}): LabelsOf<'interlock_http_request_duration_seconds'> {
  const { route, method, status } = request;
  return {
    route: route ?? 'unmatched',
    method: methods.has(method) ? method : other,
    status: `${Math.floor(status / 100)}xx`,
  };
}

/** A client may send any name, so only names of known documents have series of their own. */
export function labelOfOperation(name: string | null, known: ReadonlySet<string>): string {
  return name !== null && known.has(name) ? name : other;
}
