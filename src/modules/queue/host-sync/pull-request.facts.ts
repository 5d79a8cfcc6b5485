// The facts that the row of a pull request copies from the host.
import type { HostPullRequest } from '../../../hosts/port.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

export function factsOf(
  seen: HostPullRequest,
): Pick<
  PullRequestRow,
  | 'number'
  | 'title'
  | 'body'
  | 'author'
  | 'headBranch'
  | 'headFork'
  | 'baseBranch'
  | 'draft'
  | 'labels'
  | 'approvals'
  | 'changesRequested'
  | 'unresolvedConversations'
  | 'ownerReviewMissing'
  | 'url'
> {
  return {
    number: seen.number,
    title: seen.title,
    body: seen.body,
    author: seen.author,
    headBranch: seen.headBranch,
    headFork: seen.headFork === null ? null : `${seen.headFork.owner}/${seen.headFork.name}`,
    baseBranch: seen.baseBranch,
    draft: seen.draft,
    labels: [...seen.labels],
    approvals: seen.approvals,
    changesRequested: seen.changesRequested,
    unresolvedConversations: seen.unresolvedConversations,
    ownerReviewMissing: seen.ownerReviewMissing,
    url: seen.url,
  };
}

export function hasFacts(row: PullRequestRow, seen: HostPullRequest): boolean {
  const facts = factsOf(seen);
  return (Object.keys(facts) as (keyof typeof facts)[]).every(
    (key) => JSON.stringify(row[key] ?? null) === JSON.stringify(facts[key]),
  );
}

/** Whether the row has the state of the host. */
export function hasFollowed(row: PullRequestRow, seen: HostPullRequest): boolean {
  switch (seen.state) {
    case 'open':
      return row.status !== 'closed';
    case 'closed':
      return row.status === 'closed' || row.status === 'merged';
    case 'merged':
      return row.status === 'merged';
    default:
      return seen.state satisfies never;
  }
}
