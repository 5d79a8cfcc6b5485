// The facts that the row of a pull request copies from the host.
import type { HostPullRequest } from '../../../hosts/port.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

/** A pull request at its host, with the newest head that is known. */
export interface SeenPullRequest extends HostPullRequest {
  /** The host's record of it shows an older head than `headSha`, the tip of its branch. */
  readonly headUnseen: boolean;
}

/** Git knows a push before the host's records do. What they say of an older head is true only of that head. */
export function atTip(recorded: HostPullRequest): SeenPullRequest {
  const headSha = recorded.headTip ?? recorded.headSha;
  return { ...recorded, headSha, headUnseen: headSha !== recorded.headSha };
}

export function factsOf(
  seen: SeenPullRequest,
): Pick<
  PullRequestRow,
  | 'number'
  | 'title'
  | 'body'
  | 'author'
  | 'headBranch'
  | 'headFork'
  | 'headUnseen'
  | 'baseBranch'
  | 'draft'
  | 'labels'
  | 'approvals'
  | 'changesRequested'
  | 'unresolvedConversations'
  | 'ownerReviewMissing'
  | 'requiredReviewMissing'
  | 'url'
> {
  return {
    number: seen.number,
    title: seen.title,
    body: seen.body,
    author: seen.author,
    headBranch: seen.headBranch,
    headFork: seen.headFork === null ? null : `${seen.headFork.owner}/${seen.headFork.name}`,
    headUnseen: seen.headUnseen,
    baseBranch: seen.baseBranch,
    draft: seen.draft,
    labels: [...seen.labels],
    approvals: seen.approvals,
    changesRequested: seen.changesRequested,
    unresolvedConversations: seen.unresolvedConversations,
    ownerReviewMissing: seen.ownerReviewMissing,
    requiredReviewMissing: seen.requiredReviewMissing,
    url: seen.url,
  };
}

export function hasFacts(row: PullRequestRow, seen: SeenPullRequest): boolean {
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
